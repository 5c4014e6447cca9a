"""An admin says where webhooks go, gets a secret, tries it out, and sees what became of each message."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.test import Client
from django.utils import timezone
from standardwebhooks import Webhook

from billing.models import AuditEvent
from lookups.models import Delivery, DeliveryAttempt, WebhookSecret
from lookups.notifications import deliveries, webhook_signatures
from lookups.workspace.webhooks import snippets
from tests.lookups.messages import deliver
from tests.lookups.webhook_receiver import receiving, says
from tests.workspace.conftest import Browser, open_office

pytestmark = pytest.mark.django_db
PAGE = "/app/webhooks/"


@pytest.fixture(autouse=True)
def at_home(settings: Any, no_workers: None) -> None:
    """As on a developer's machine; the sender's own tests are about the fence."""
    settings.WEBHOOKS_TO_LOOPBACK = True
    if settings.REDIS_URL:  # an account of an earlier run had the same number, perhaps in this very minute
        counts = redis.Redis.from_url(settings.REDIS_URL)
        for name in counts.scan_iter("sos:rate:hook-*"):
            counts.delete(name)


def text_of(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def written(browser: Browser, **columns: Any) -> Delivery:
    """A message of the account that waits."""
    now = timezone.now()
    row = {"channel": "webhook", "event": "watch.digest", "body": '{"type": "watch.digest"}', "livemode": True}
    if columns.get("status", "pending") == "pending":
        row |= {"next_at": now}
    return Delivery.objects.create(account=browser.account, **row | {"created_at": now} | columns)


def path_of(row: Delivery, more: str = "") -> str:
    return f"{PAGE}{row.message_id}/{more}"


class TestTheAddress:
    def test_is_each_modes_own(self, office: Browser) -> None:
        assert office.post(PAGE, {"address": "https://hooks.example.com/live"}).status_code == 302
        office.work_in("sandbox")
        office.post(PAGE, {"address": "https://hooks.example.com/test"})
        office.account.refresh_from_db()
        assert office.account.webhook_url == "https://hooks.example.com/live"
        assert office.account.test_webhook_url == "https://hooks.example.com/test"
        page = text_of(office.get(PAGE))
        assert 'value="https://hooks.example.com/test"' in page
        assert "live mode sends to <code>https://hooks.example.com/live</code>" in page

    def test_stands_in_the_audit_log_with_who_set_it(self, office: Browser) -> None:
        office.post(PAGE, {"address": "https://hooks.example.com/live"})
        office.work_in("sandbox")
        office.post(PAGE, {"address": "https://hooks.example.com/test"})
        live, test = AuditEvent.objects.filter(kind="settings_changed").order_by("pk")
        assert live.detail == "In the workspace: webhook_url."
        assert test.detail == "In the workspace (test): webhook_url."
        assert live.actor == str(office.account.members.get())
        assert "hooks.example.com" not in str(list(AuditEvent.objects.values()))

    def test_is_taken_away(self, office: Browser) -> None:
        office.post(PAGE, {"address": "https://hooks.example.com/"})
        office.post(PAGE, {"address": " "})
        office.account.refresh_from_db()
        assert office.account.webhook_url == ""

    @pytest.mark.parametrize(
        "address",
        [
            "http://hooks.example.com/",
            "https://10.0.0.1/",
            "https://user:password@hooks.example.com/",
            "https://printer.local/",
            "javascript:alert(1)",
            "https://hooks.example.com/" + "a" * 500,
        ],
    )
    def test_leads_nowhere_but_to_the_internet(self, office: Browser, settings: Any, address: str) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = False
        answer = office.post(PAGE, {"address": address})
        assert answer.status_code == 400
        office.account.refresh_from_db()
        assert office.account.webhook_url == ""

    def test_is_for_admins(self, clerk: Browser, viewer: Browser) -> None:
        row = written(clerk)
        gets = (PAGE, f"{PAGE}secret/", path_of(row), path_of(row, "body.json"))
        assert [clerk.get(path).status_code for path in gets] == [403] * 4
        posts = (PAGE, f"{PAGE}secret/", f"{PAGE}test/", path_of(row, "again/"))
        assert [viewer.post(path, {"address": "https://evil.example.com/"}).status_code for path in posts] == [403] * 4
        assert Client().get(PAGE).status_code == 302
        clerk.account.refresh_from_db()
        assert clerk.account.webhook_url == ""


class TestTheSecretAndTheTest:
    def test_the_secret_is_shown_once_and_verifies_the_test(self, office: Browser) -> None:
        assert "The current secret keeps signing" in text_of(office.get(f"{PAGE}secret/"))
        answer = office.post(f"{PAGE}secret/")
        [secret] = re.findall(r"whsec_[A-Za-z0-9+/=]+", text_of(answer))
        assert "no-store" in answer["Cache-Control"]
        assert secret not in text_of(office.get(PAGE))
        with receiving(says(204)) as receiver:
            office.post(PAGE, {"address": f"http://127.0.0.1:{receiver.port}/hook"})
            page = text_of(office.post(f"{PAGE}test/"))
        assert "The test has arrived: answered 204" in page
        request = receiver.requests[-1]
        assert Webhook(secret).verify(request.body, request.headers)["type"] == "webhook.test"
        assert "webhook.test" in page[page.index("What was sent") :]

    def test_a_test_that_fails_says_why(self, office: Browser) -> None:
        with receiving(says(500, b"<b>broken</b>")) as receiver:
            office.post(PAGE, {"address": f"http://127.0.0.1:{receiver.port}/hook"})
            page = text_of(office.post(f"{PAGE}test/"))
        assert "The test has not arrived: answered 500" in page

    def test_without_an_address_nothing_is_sent(self, office: Browser) -> None:
        assert "There is no address yet" in text_of(office.post(f"{PAGE}test/"), 400)
        assert not Delivery.objects.exists()

    def test_the_secret_is_one_where_its_page_is_loaded_again(self, office: Browser) -> None:
        """Another one would have the first sign for a day alone, which is in its place already."""
        [named] = re.findall(r'name="named" value="([^"]+)"', text_of(office.get(f"{PAGE}secret/")))
        fields = {"named": named}
        assert "Copy the secret now" in text_of(office.post(f"{PAGE}secret/", fields))
        again = text_of(office.post(f"{PAGE}secret/", fields))
        assert "created one secret, which is in use" in again
        assert "whsec_" not in again
        assert WebhookSecret.objects.get().signs_until is None

    def test_no_more_are_made_than_the_service_allows(self, office: Browser) -> None:
        answers = [office.post(f"{PAGE}secret/") for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]
        assert "At most 5 webhook secrets a day" in text_of(answers[5], 429)
        assert int(answers[5]["Retry-After"]) > 0


class TestTheLog:
    def test_has_every_message_of_the_mode_newest_first(self, office: Browser) -> None:
        now = timezone.now()
        written(office, created_at=now - timedelta(hours=2), status="given_up", attempts=10, last_answer="answered 500")
        written(office, created_at=now, address="https://hooks.example.com/sos?token=hidden")
        written(office, livemode=False, address="https://sandbox.example.com/")
        page = text_of(office.get(PAGE))
        log = page[page.index("What was sent") :]
        assert log.index("https://hooks.example.com/sos") < log.index("answered 500")
        assert "token=hidden" not in page
        assert "sandbox.example.com" not in page
        assert "sandbox.example.com" in text_of(office.work_in("sandbox").get(PAGE))

    def test_is_narrowed_by_state_and_goes_on_after_two_hundred(self, office: Browser) -> None:
        now = timezone.now()
        for number in range(201):
            written(office, created_at=now - timedelta(seconds=number), last_answer=f"answered nr {number}.")
        written(office, status="given_up", last_answer="answered 410", created_at=now - timedelta(days=1))
        page = text_of(office.get(f"{PAGE}?status=pending"))
        assert "answered nr 199." in page
        assert "answered nr 200." not in page
        assert "answered 410" not in page
        older = re.search(r'href="(\?after=[^"#]+)#log"', page)
        assert older
        rest = text_of(office.get(f"{PAGE}{older[1]}"))
        assert "answered nr 200." in rest
        assert "answered 410" not in rest
        assert "answered 410" in text_of(office.get(f"{PAGE}?status=given_up"))

    def test_of_nothing_names_the_next_step(self, office: Browser) -> None:
        assert "Nothing is sent" in text_of(office.get(PAGE))
        assert "No messages" in text_of(office.get(f"{PAGE}?status=given_up"))
        assert "Nothing is sent" in text_of(office.get(f"{PAGE}?status=nonsense&after=nonsense"))


class TestOneMessage:
    def test_shows_each_try_and_what_it_says(self, office: Browser) -> None:
        body = {"type": "watch.digest", "data": {"name": "</code><script>alert(1)</script>\u202egpj"}}
        row = written(office, body=json.dumps(body, ensure_ascii=False), attempts=2)
        for status, error in ((500, "answered 500"), (None, "no answer within 10 s")):
            DeliveryAttempt.objects.create(
                delivery=row, at=row.created_at, status_code=status, error=error, duration_ms=123, excerpt="<h1>oops"
            )
        content = office.get(path_of(row)).content.decode()
        assert "<script>alert" not in content
        assert "<h1>oops" not in content
        assert "\u202e" not in content  # written out, so that it turns nothing around
        assert "\\u202egpj" in content
        page = html.unescape(content)
        assert "answered 500" in page
        assert "no answer within 10 s" in page
        assert office.get(path_of(row, "body.json")).content.decode() == row.body

    def test_that_is_long_is_cut_and_whole_in_its_file(self, office: Browser) -> None:
        row = written(office, body=json.dumps({"officers": ["ADA MERRILL"] * 4000}))
        answer = office.get(path_of(row))
        assert len(answer.content) < 100_000
        assert "The file has all of it" in text_of(answer)
        assert office.get(path_of(row, "body.json")).content.decode() == row.body

    def test_is_sent_again_and_arrives(self, office: Browser) -> None:
        row = written(office, status="given_up", attempts=10, last_answer="answered 500")
        written(office, status="given_up", attempts=10, last_answer="answered 500")  # another, which nobody asks for
        with receiving(says(204)) as receiver:
            office.post(PAGE, {"address": f"http://127.0.0.1:{receiver.port}/hook"})
            assert office.post(path_of(row, "again/")).status_code == 302
            assert deliver() == 1
        assert receiver.requests[-1].headers["webhook-id"] == row.message_id
        assert "Delivered" in text_of(office.get(path_of(row)))

    def test_is_sent_again_ten_times_a_minute_at_most(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(deliveries, "MOST_REPEATED", 1)
        row = written(office, status="given_up")
        assert office.post(path_of(row, "again/")).status_code == 302
        Delivery.objects.filter(pk=row.pk).update(status="given_up", next_at=None)
        answer = office.post(path_of(row, "again/"))
        assert answer.status_code == 429
        assert int(answer["Retry-After"]) > 0
        assert Delivery.objects.get().status == "given_up"
        other = open_office(name="Another", email="eve@else.test")
        theirs = written(other, status="given_up")
        assert other.post(path_of(theirs, "again/")).status_code == 302  # each account has its own ten

    def test_that_was_a_test_is_not_sent_again(self, office: Browser) -> None:
        row = written(office, event="webhook.test", status="given_up")
        assert "Send it again" not in text_of(office.get(path_of(row)))
        answer = office.post(path_of(row, "again/"), follow=True)
        assert "Nothing more is sent" in text_of(answer)
        assert Delivery.objects.get().status == "given_up"

    def test_of_another_account_or_mode_is_not_there(self, office: Browser) -> None:
        theirs = written(open_office(name="Another", email="eve@else.test"), status="given_up")
        other_mode = written(office, livemode=False, status="given_up")
        for row in (theirs, other_mode):
            assert office.get(path_of(row)).status_code == office.get(path_of(row, "body.json")).status_code == 404
            assert office.post(path_of(row, "again/")).status_code == 404
        assert set(Delivery.objects.values_list("status", flat=True)) == {"given_up"}
        assert office.get(f"{PAGE}msg_nonsense/").status_code == 404


class TestTheSnippets:
    SECRET = "whsec_" + "c2VjcmV0IG9mIHRlc3Rz"
    BODY = '{"name": "Blue Heronß Logistics"}'.encode()

    def signed(self, **moved: Any) -> dict[str, str]:
        now = timezone.now() - timedelta(**moved)
        return webhook_signatures.sign(
            message_id="msg_1", body=self.BODY, secrets=["whsec_b3RoZXI=", self.SECRET], now=now
        )

    def test_in_python_tell_ours_from_others(self) -> None:
        made: dict[str, Any] = {}
        exec(snippets.PYTHON, made)
        is_genuine = made["is_genuine"]
        assert is_genuine(self.SECRET, self.signed(), self.BODY)
        assert not is_genuine(self.SECRET, self.signed(), self.BODY + b" ")
        assert not is_genuine("whsec_bm9uZQ==", self.signed(), self.BODY)
        assert not is_genuine(self.SECRET, self.signed(minutes=6), self.BODY)

    @pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
    def test_in_javascript_do_so_too(self, tmp_path: Any) -> None:
        (tmp_path / "verify.mjs").write_text(snippets.JAVASCRIPT)
        cases = [
            (self.SECRET, self.signed(), self.BODY),
            (self.SECRET, self.signed(), self.BODY + b" "),
            ("whsec_bm9uZQ==", self.signed(), self.BODY),
            (self.SECRET, self.signed(minutes=6), self.BODY),
        ]
        asked = json.dumps([[secret, headers, body.decode()] for secret, headers, body in cases])
        (tmp_path / "ask.mjs").write_text(
            'import { isGenuine } from "./verify.mjs";\n'
            f"const cases = {asked};\n"
            "console.log(JSON.stringify(cases.map(([s, h, b]) => isGenuine(s, h, Buffer.from(b)))));\n"
        )
        node = shutil.which("node")
        assert node
        ended = subprocess.run([node, "ask.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert json.loads(ended.stdout) == [True, False, False, False], ended.stderr
