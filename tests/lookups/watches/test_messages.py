"""What is seen at a watched company goes out: to an address, signed, or in one mail a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone
from standardwebhooks import Webhook

from billing.models import Account
from lookups.models import Delivery, Watch, WatchCheck, WatchEvent
from lookups.notifications import deliveries
from lookups.watches import digest
from scrapers.sandbox.changing import CHANGING
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import body_of, deliver, listen_at
from tests.lookups.watches.looks import codes, look, look_again, read_events, watch
from tests.lookups.webhook_receiver import Receiver, receiving, says

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """The customer's server."""
    settings.WEBHOOKS_TO_LOOPBACK = True
    with receiving(says(200)) as server:
        yield server


class TestAWebhook:
    """Of a watch."""

    def test_brings_what_the_events_list_and_is_signed(self, tester: Customer, receiver: Receiver) -> None:
        listen_at(tester, receiver)
        secret = tester.post("/v1/account/webhook-secret", {}).json()["webhookSecret"]
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"], ref="vendor 7")
        look()
        assert deliver() == 0  # a first reading tells nothing
        look_again()
        assert deliver() == 1
        [request] = receiver.requests
        message = body_of(request)
        assert (message["type"], message["livemode"]) == ("watch.changed", False)
        assert message["data"] == read_events(tester)[0]
        assert Webhook(secret).verify(request.body, request.headers)

    def test_goes_to_the_watchs_own_address(self, tester: Customer, receiver: Receiver) -> None:
        address = f"http://127.0.0.1:{receiver.port}/of-this-watch"
        watch(tester, state="DE", entity_name="Magic Found LLC", webhook=address, tell_unchanged=True)
        look()
        look_again()
        assert deliver() == 1
        assert receiver.requests[0].line.split()[1] == "/of-this-watch"
        assert body_of(receiver.requests[0])["type"] == "watch.unchanged"
        [told] = tester.get("/v1/account/deliveries").json()["deliveries"]
        assert (told["type"], told["status"], told["jobId"]) == ("watch.unchanged", "delivered", None)

    def test_has_the_request_id_of_the_request_that_made_the_watch(self, tester: Customer, receiver: Receiver) -> None:
        listen_at(tester, receiver)
        asked = {"state": "DE", "entity_name": CHANGING["changes_agent"]}
        assert tester.post("/v1/watches", asked, x_request_id="order-21").status_code == 201
        look()
        look_again()
        assert deliver() == 1
        assert receiver.requests[0].headers["x-request-id"] == "order-21"

    def test_says_that_a_watch_is_paused(self, tester: Customer, receiver: Receiver) -> None:
        listen_at(tester, receiver)
        watch(tester, state="DE", entity_name="Magic No Funds LLC")
        look()
        deliver()
        message = body_of(receiver.requests[0])
        assert (message["type"], message["data"]["reason"]) == ("watch.paused", "insufficient_balance")

    def test_says_that_a_company_could_not_be_read_for_a_week(self, tester: Customer, receiver: Receiver) -> None:
        listen_at(tester, receiver)
        watch(tester, state="DE", entity_name="Magic Ambiguous LLC")
        look()
        WatchCheck.objects.update(created_at=timezone.now() - 7 * DAY)
        look_again()
        assert deliver() == 1
        message = body_of(receiver.requests[0])
        assert (message["type"], message["data"]) == ("watch.unclear", read_events(tester)[0])

    def test_is_forgotten_like_others_and_its_event_stays(self, tester: Customer, receiver: Receiver) -> None:
        listen_at(tester, receiver)
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"])
        look()
        look_again()
        deliver()
        assert deliveries.prune(now=timezone.now() + timedelta(days=8)) == 1
        assert (Delivery.objects.count(), WatchEvent.objects.count()) == (0, 1)


class TestTheDailyMail:
    """email_digest."""

    @pytest.fixture(autouse=True)
    def mailed(self, settings: Any) -> None:
        settings.MAIL_CONFIGURED = True

    def test_tells_what_all_watches_saw_once(self, tester: Customer) -> None:
        for outcome in ("changes_agent", "changes_name"):
            watch(tester, state="DE", entity_name=CHANGING[outcome], email_digest=True)
        watch(tester, state="DE", entity_name=CHANGING["changes_officer"])
        look()
        look_again()
        tomorrow = timezone.now() + DAY
        assert [digest.write_due(now=tomorrow) for _ in range(2)] == [1, 0]
        deliver(now=tomorrow + DAY)
        [sent] = mail.outbox
        assert (sent.subject, sent.to) == ("Watched companies: 2 events", [tester.account.email])
        assert "/app/events/\n" in sent.body  # for who watches in the workspace
        assert "data.registeredAgentName: HARBOR AGENTS" in sent.body
        assert "name.changed (high)" in sent.body
        assert "MARLPIT" not in sent.body  # the third asked for none

    def test_of_the_sandbox_says_that_it_is_invented(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"], email_digest=True)
        look()
        look_again()
        tomorrow = timezone.now() + DAY
        digest.write_due(now=tomorrow)
        deliver(now=tomorrow + DAY)
        assert mail.outbox[0].body.startswith("This is of the sandbox")
        Delivery.objects.update(livemode=True)
        assert "sandbox" not in digest.make(Delivery.objects.get()).body

    def test_of_the_sandbox_is_one_of_its_own_beside_that_of_what_is_real(self, tester: Customer) -> None:
        real, _ = [
            watch(tester, state="DE", entity_name=CHANGING[outcome], email_digest=True)
            for outcome in ("changes_agent", "changes_name")
        ]
        look()
        look_again()
        number = real["id"].removeprefix("watch_")
        Watch.objects.filter(pk=number).update(sandbox=False)
        WatchEvent.objects.filter(watch=number).update(sandbox=False)
        assert digest.write_due(now=timezone.now() + DAY) == 2
        bodies = {mail.livemode: digest.make(mail).body for mail in Delivery.objects.all()}
        assert "agent.changed" in bodies[True]
        assert "name.changed" not in bodies[True]
        assert "name.changed" in bodies[False]
        assert "agent.changed" not in bodies[False]

    def test_tells_each_account_what_its_own_watches_saw(self, tester: Customer) -> None:
        other = open_customer(mode="test", name="Other")
        type(other.account).objects.filter(pk=other.account.pk).update(email="bea@other.test")
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"], email_digest=True)
        watch(other, state="DE", entity_name=CHANGING["changes_name"], email_digest=True)
        look()
        look_again()
        tomorrow = timezone.now() + DAY
        assert digest.write_due(now=tomorrow) == 2
        deliver(now=tomorrow + DAY)
        told = {sent.to[0]: ("agent.changed" in sent.body, "name.changed" in sent.body) for sent in mail.outbox}
        assert told == {tester.account.email: (True, False), "bea@other.test": (False, True)}
        assert {sent.subject for sent in mail.outbox} == {"Watched companies: 1 event"}

    def test_that_is_asked_for_later_brings_the_last_week_and_not_all_there_ever_was(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name=CHANGING["changes_agent"])
        look()
        look_again()
        assert len(codes(tester)) == 1
        assert tester.patch(f"/v1/watches/{made['id']}", {"email_digest": True}).status_code == 200
        assert digest.write_due(now=timezone.now() + 9 * DAY) == 0
        assert digest.write_due(now=timezone.now() + DAY) == 1

    def test_waits_for_the_morning(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"], email_digest=True)
        look()
        look_again()
        seen = WatchEvent.objects.get().created_at
        assert digest.write_due(now=seen + timedelta(seconds=1)) == 0

    def test_is_none_where_nothing_was_seen(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name="Magic Found LLC", email_digest=True)
        look()
        look_again()
        assert digest.write_due(now=timezone.now() + DAY) == 0

    def test_is_not_written_again_when_it_is_forgotten(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"], email_digest=True)
        look()
        look_again()
        tomorrow = timezone.now() + DAY
        digest.write_due(now=tomorrow)
        deliver(now=tomorrow)
        deliveries.prune(now=tomorrow + timedelta(days=8))
        assert digest.write_due(now=tomorrow + timedelta(days=9)) == 0

    def test_keeps_line_breaks_of_a_registry_out_of_the_text(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["changes_agent"], email_digest=True)
        look()
        look_again()
        Watch.objects.update(name="EVIL\r\nBcc: a@example.test")
        tomorrow = timezone.now() + DAY
        digest.write_due(now=tomorrow)
        deliver(now=tomorrow)
        assert "EVIL Bcc: a@example.test" in mail.outbox[0].body

    def test_needs_an_address(self, tester: Customer) -> None:
        Account.objects.filter(pk=tester.account.pk).update(email="")
        asked = {"state": "DE", "entity_id": "SB-DE-900001", "email_digest": True}
        reply = tester.post("/v1/watches", asked)
        [why] = reply.json()["details"]["email_digest"]
        assert why.startswith("The account has no e-mail address. Choose one in the workspace, under Settings, or ")
