"""What an operator sees of webhooks and mails, and may do about them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone
from standardwebhooks import Webhook

from billing.models import AuditEvent
from lookups.models import Delivery, DeliveryAttempt, WebhookSecret
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import deliver, listen_at, only, write_messages
from tests.lookups.webhook_receiver import Receiver, receiving, says

pytestmark = pytest.mark.django_db
LIST, ADDRESSES = "/admin/lookups/delivery/", "/admin/lookups/webhookaddress/"


@pytest.fixture(autouse=True)
def _played(no_workers: None, settings: Any) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = True


@pytest.fixture
def staff() -> Client:
    get_user_model().objects.create_superuser("admin", password="a long password")
    client = Client()
    client.login(username="admin", password="a long password")
    return client


@pytest.fixture
def onlooker() -> Client:
    """Staff that may look and nothing else."""
    user = get_user_model().objects.create_user("onlooker", password="a long password", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client()
    client.login(username="onlooker", password="a long password")
    return client


@pytest.fixture
def receiver(customer: Customer) -> Iterator[Receiver]:
    with receiving(says(200)) as server:
        listen_at(customer, server)
        yield server


def send_again(staff: Client) -> str:
    keys = [str(pk) for pk in Delivery.objects.values_list("pk", flat=True)]
    return staff.post(LIST, {"action": "send_again", "_selected_action": keys}, follow=True).content.decode()


class TestTheLog:
    """Of deliveries."""

    def test_shows_what_was_answered_and_when_it_is_tried_next(self, staff: Client, customer: Customer) -> None:
        with receiving(says(500, b"<script>alert(1)</script>")) as server:
            address = listen_at(customer, server)
            (row,) = write_messages(customer, 1)
            Delivery.objects.update(body='{"data":"<img src=x onerror=alert(2)>"}')
            deliver()
        page = staff.get(LIST).content.decode()
        for words in ("webhook.test", "pending", "answered 500", address):
            assert words in page
        page = staff.get(f"{LIST}{row.pk}/change/").content.decode()
        assert row.message_id in page
        assert "&lt;script&gt;alert(1)" in page
        assert "&lt;img src=x onerror" in page
        assert "<script>alert(1)" not in page
        assert "<img src=x" not in page

    def test_is_found_by_the_name_a_customer_quotes(self, staff: Client, customer: Customer) -> None:
        one, other = write_messages(customer, 2)
        page = staff.get(LIST, {"q": one.message_id}).content.decode()
        assert str(one.pk) in page
        assert str(other.pk) not in page
        assert staff.get(LIST, {"q": "msg_" + "z" * 32}).status_code == 200

    def test_has_fifty_on_a_page_in_few_queries(
        self, staff: Client, customer: Customer, django_assert_max_num_queries: Any
    ) -> None:
        write_messages(customer, 60)
        with django_assert_max_num_queries(12):
            page = staff.get(LIST).content.decode()
        assert page.count("action-select") - page.count("action-select-") >= 50
        assert staff.get(LIST, {"status": "pending", "channel": "email"}).status_code == 200

    def test_is_not_changed_by_hand(self, staff: Client, customer: Customer) -> None:
        (row,) = write_messages(customer, 1)
        assert staff.post(f"{LIST}{row.pk}/change/", {"status": "delivered"}).status_code == 403
        assert staff.post(f"{LIST}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert staff.get(f"{LIST}add/").status_code == 403


class TestSendingAgain:
    """By hand."""

    def test_sends_also_what_arrived_and_what_was_given_up_under_the_same_name(
        self, staff: Client, customer: Customer, receiver: Receiver
    ) -> None:
        rows = write_messages(customer, 2)
        deliver()
        Delivery.objects.filter(pk=rows[1].pk).update(status="given_up", delivered_at=None, attempts=10)
        assert "2 of 2 are sent again" in send_again(staff)
        kept = AuditEvent.objects.filter(subject__startswith="lookups.delivery").values_list("subject", "detail")
        assert set(kept) == {
            (f"lookups.delivery {row.pk}", f"Change: Sent again; it was {status}.")
            for row, status in zip(rows, ("delivered", "given_up"), strict=True)
        }
        assert deliver() == 2
        names = [request.headers["webhook-id"] for request in receiver.requests]
        assert sorted(names) == sorted(2 * [row.message_id for row in rows])
        assert set(Delivery.objects.values_list("status", "attempts")) == {("delivered", 1)}
        assert DeliveryAttempt.objects.count() == 4

    def test_leaves_alone_what_is_being_sent(self, staff: Client, customer: Customer) -> None:
        from lookups.notifications import deliveries

        write_messages(customer, 1)
        assert deliveries.take_next(now=timezone.now())
        assert "0 of 1 are sent again" in send_again(staff)
        assert not AuditEvent.objects.filter(subject__startswith="lookups.delivery").exists()
        assert only().attempts == 1

    def test_needs_the_permission(self, onlooker: Client, customer: Customer, receiver: Receiver) -> None:
        write_messages(customer, 1)
        deliver()
        assert onlooker.get(LIST).status_code == 200
        send_again(onlooker)
        assert only().status == "delivered"


class TestAWebhookAddress:
    """Of an account."""

    def test_is_listed_with_what_became_of_its_messages(
        self, staff: Client, customer: Customer, receiver: Receiver
    ) -> None:
        write_messages(customer, 3)
        Delivery.objects.update(status="given_up", next_at=None)
        open_customer(name="Has no address")
        page = staff.get(ADDRESSES).content.decode()
        assert f"127.0.0.1:{receiver.port}" in page
        assert "Has no address" not in page
        assert re.search(r">\s*3\s*<", page)

    def test_may_be_tried(self, staff: Client, customer: Customer, receiver: Receiver) -> None:
        path = f"{ADDRESSES}{customer.account.pk}/send-test/"
        assert f"127.0.0.1:{receiver.port}" in staff.get(path).content.decode()
        assert receiver.requests == []
        page = staff.post(path, {"mode": "live"}, follow=True).content.decode()
        assert "It arrived after" in page
        assert only().message_id in page
        assert receiver.requests[0].headers["webhook-id"] == only().message_id
        assert LogEntry.objects.filter(change_message__contains=only().message_id).exists()

    def test_that_does_not_answer_says_so(self, staff: Client, customer: Customer) -> None:
        path = f"{ADDRESSES}{customer.account.pk}/send-test/"
        with receiving(says(404)) as server:
            listen_at(customer, server)
            page = staff.post(path, {"mode": "live"}, follow=True).content.decode()
        assert "It did not arrive: answered 404." in page
        tries = (staff.post(path, {"mode": "live"}, follow=True).content.decode() for _ in range(30))
        assert any("At most 5 test webhooks a minute" in page for page in tries)  # at the latest in the next minute

    def test_shows_its_secret_to_nobody_of_the_staff(
        self, staff: Client, customer: Customer, receiver: Receiver, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        secret = customer.post("/v1/account/webhook-secret", {}).json()["webhookSecret"]
        write_messages(customer, 1)
        deliver()
        Webhook(secret).verify(receiver.requests[0].body, receiver.requests[0].headers)
        pages = [LIST, f"{LIST}{only().pk}/change/", ADDRESSES, f"{ADDRESSES}{customer.account.pk}/change/", "/admin/"]
        for page in pages:
            assert "whsec_" not in staff.get(page).content.decode()
        # Once there was such a page
        page = staff.post(f"{ADDRESSES}{customer.account.pk}/new-secret/", {"mode": "live"}, follow=True)
        assert "whsec_" not in page.content.decode()
        assert WebhookSecret.objects.count() == 1
        kept = [str(list(model._default_manager.values())) for model in apps.get_models()]
        assert secret not in caplog.text + "".join(kept)
        event = AuditEvent.objects.get(kind="secret_made")
        assert (event.detail, event.actor[:4]) == ("A webhook secret of live mode.", "key ")

    def test_of_test_mode_is_tried_and_signed_apart_from_the_live_one(self, staff: Client, tester: Customer) -> None:
        pages = f"{ADDRESSES}{tester.account.pk}/"
        with receiving(says(200)) as server:
            listen_at(tester, server)
            secret = tester.post("/v1/account/webhook-secret", {}).json()["webhookSecret"]
            assert "No webhookUrl is set for this account&#x27;s live mode" in (
                staff.post(f"{pages}send-test/", {"mode": "live"}, follow=True).content.decode()
            )
            staff.post(f"{pages}send-test/", {"mode": "test"})
        (request,) = server.requests
        assert Webhook(secret).verify(request.body, request.headers)["livemode"] is False
        assert only().livemode is False

    def test_is_left_alone_by_whoever_may_only_look(
        self, onlooker: Client, customer: Customer, receiver: Receiver
    ) -> None:
        assert onlooker.post(f"{ADDRESSES}{customer.account.pk}/send-test/").status_code == 403
        assert receiver.requests == []
        assert "whsec_" not in onlooker.get(f"{ADDRESSES}{customer.account.pk}/change/").content.decode()

    def test_that_is_none_is_not_found(self, staff: Client, customer: Customer) -> None:
        assert staff.post(f"{ADDRESSES}{customer.account.pk}/send-test/").status_code == 404
