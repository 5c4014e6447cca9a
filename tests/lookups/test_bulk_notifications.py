"""A customer who sent a thousand rows gets a message when they are done, and may have the results by mail."""

from __future__ import annotations

import csv
import email
import email.policy
import io
import logging
import socket
import uuid
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from django.test import Client
from django.utils import timezone

from billing import keys, mail_server
from billing.models import Account
from lookups.bulk import bulk_jobs, queue
from lookups.bulk.bulk_jobs import Wanted
from lookups.jobs import lifecycle, operator_actions
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Delivery, DeliveryAttempt, Job, Lookup
from lookups.notifications import deliveries, result_mail
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import body_of, deliver, end_bulk, listen_at, only
from tests.lookups.registry_server import Register
from tests.lookups.webhook_receiver import Receiver, receiving, says
from tests.ports import free_port

pytestmark = pytest.mark.django_db
ROWS = [{"entity_name": "Acme Corp", "state": "NY", "ref": "a-1"}, {"entity_name": "=Nobody()", "state": "NY"}]


@pytest.fixture(autouse=True)
def _played(monkeypatch: pytest.MonkeyPatch, no_workers: None, register: Register, settings: Any) -> None:
    """Each test plays the workers; receivers and the mail server are on this machine."""
    from scrapers.states.new_york import NewYork
    from scrapers.transport.pace import Pace

    monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=2))
    settings.WEBHOOKS_TO_LOOPBACK = True


def ask(customer: Customer, **more: Any) -> Any:
    headers = more.pop("headers", {})
    return customer.post("/v1/bulk-lookup", {"entities": ROWS, **more}, **headers)


def refusal(reply: Any) -> list[str]:
    assert reply.status_code == 400
    assert not BulkJob.objects.exists()
    assert all(one["index"] is None for one in reply.json()["details"])
    return [one["error"] for one in reply.json()["details"]]


class TestABulkJobThatEnds:
    """Tells by webhook."""

    @pytest.fixture
    def receiver(self) -> Iterator[Receiver]:
        with receiving(says(200)) as server:
            yield server

    def test_its_numbers_once_without_its_rows(self, customer: Customer, receiver: Receiver) -> None:
        listen_at(customer, receiver)
        made = ask(customer).json()
        deliver()
        assert receiver.requests == []
        end_bulk()
        queue.sweep(now=timezone.now())
        deliver()
        (request,) = receiver.requests
        body = body_of(request)
        assert body["type"] == "bulk.complete"
        now = customer.get(made["poll_url"]).json()
        assert body["data"] == {
            name: value for name, value in now.items() if name not in ("results", "next_cursor")
        } | {"poll_url": made["poll_url"]}
        assert (body["data"]["status"], body["data"]["found"], body["data"]["cost"]) == ("complete", 1, 0.0314)
        assert body["data"]["completed_at"]

    def test_at_the_address_of_its_own_request_before_the_accounts(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        with receiving(says(200)) as accounts:
            listen_at(customer, accounts)
            ask(customer)
            BulkJob.objects.update(webhook_url=f"http://127.0.0.1:{receiver.port}/own")
            end_bulk()
            deliver()
            assert ([request.line for request in receiver.requests], accounts.requests) == (
                ["POST /own HTTP/1.1"],
                [],
            )

    def test_at_its_own_address_also_where_the_account_has_none(self, customer: Customer, receiver: Receiver) -> None:
        ask(customer)
        BulkJob.objects.update(webhook_url=f"http://127.0.0.1:{receiver.port}/own")
        end_bulk()
        deliver()
        assert [request.line for request in receiver.requests] == ["POST /own HTTP/1.1"]

    def test_nobody_without_an_address(self, customer: Customer) -> None:
        ask(customer)
        end_bulk()
        assert not Delivery.objects.exists()

    def test_also_when_a_person_has_asked_the_same_a_moment_before(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        listen_at(customer, receiver)
        sheet, _ = keys.issue(account=customer.account, name="sheet", scopes=[keys.RECONCILE], now=timezone.now())
        rows = [Wanted(Question("NY", one["entity_name"]), one.get("ref")) for one in ROWS]
        asking: dict[str, Any] = {
            "wanted": rows,
            "accepts_stored": False,
            "request_id": "",
            "now": timezone.now(),
            "apart": False,
        }
        shown: Any = bulk_jobs.accept(key=sheet, bulk_id=uuid.uuid4(), **asking)
        assert bulk_jobs.accept(key=sheet, bulk_id=uuid.uuid4(), **asking) == shown, "for one price"
        assert ask(customer).json()["job_id"] != shown.public_id
        end_bulk()
        deliver()
        assert len(receiver.requests) == 1

    def test_once_when_it_was_asked_twice_with_the_same_key(self, customer: Customer, receiver: Receiver) -> None:
        listen_at(customer, receiver)
        for _ in range(2):
            assert ask(customer, headers={"idempotency_key": "k"}).status_code == 202
            end_bulk()
        deliver()
        assert len(receiver.requests) == 1

    def test_that_it_was_cancelled_when_its_last_running_row_has_ended(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        listen_at(customer, receiver)
        made = ask(customer).json()
        found, _ = queue.look(now=timezone.now())
        assert found is not None
        running = lifecycle.claim(found.job_id, now=timezone.now())
        assert running is not None
        Client().delete(made["poll_url"], headers={"x-api-key": customer.secret})
        assert not Delivery.objects.exists()
        assert operator_actions.end(running, now=timezone.now())
        queue.sweep(now=timezone.now())
        Client().delete(made["poll_url"], headers={"x-api-key": customer.secret})
        deliver()
        (request,) = receiver.requests
        assert (body_of(request)["type"], body_of(request)["data"]["status"]) == ("bulk.cancelled", "cancelled")

    def test_also_when_it_ended_by_its_deadline(self, customer: Customer, receiver: Receiver) -> None:
        from lookups import tasks

        listen_at(customer, receiver)
        ask(customer)
        BulkJob.objects.update(deadline=timezone.now())
        Job.objects.update(deadline=timezone.now())
        tasks.sweep_jobs()
        deliver()
        assert body_of(receiver.requests[0])["data"]["failed"] == 2

    def test_and_what_was_sent_is_forgotten_after_seven_days_but_not_what_came_of_it(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        listen_at(customer, receiver)
        told = ask(customer).json()
        end_bulk()
        deliver()
        assert deliveries.prune(now=timezone.now()) == 0
        assert deliveries.prune(now=timezone.now() + lifecycle.KEPT_FOR) == 1
        assert (Delivery.objects.count(), DeliveryAttempt.objects.count()) == (0, 0)
        assert lifecycle.prune(now=timezone.now() + lifecycle.KEPT_FOR) == 2
        rows = customer.get(told["poll_url"]).json()["results"]
        assert [row["status"] for row in rows] == ["found", "not_found"]


class TestTheRequest:
    """POST /v1/bulk-lookup with webhook_url and email_results."""

    @pytest.mark.parametrize(
        "address", ["http://a.example/", "https://10.0.0.1/", "https://localhost/", "ftp://a.example", 3, "x" * 501, []]
    )
    def test_is_refused_with_an_address_that_is_not_on_the_public_internet(
        self, customer: Customer, address: Any, settings: Any
    ) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = False
        assert refusal(ask(customer, webhook_url=address))[0].startswith("webhook_url: ")

    def test_keeps_its_address(self, customer: Customer) -> None:
        assert ask(customer, webhook_url="https://hooks.example.com/x").status_code == 202
        assert BulkJob.objects.get().webhook_url == "https://hooks.example.com/x"

    def test_may_leave_both_empty(self, customer: Customer) -> None:
        assert ask(customer, webhook_url=None, email_results=None).status_code == 202
        assert ask(customer, webhook_url="", email_results=False).status_code == 202
        assert not BulkJob.objects.exclude(webhook_url="", emails_results=False).exists()

    def test_is_refused_where_there_is_no_mail_server(self, customer: Customer) -> None:
        assert "no mail server" in refusal(ask(customer, email_results=True))[0]

    def test_is_refused_for_an_account_without_an_e_mail_address(self, customer: Customer, settings: Any) -> None:
        settings.MAIL_CONFIGURED = True
        Account.objects.update(email="")
        [why] = refusal(ask(customer, email_results=True))
        assert why == (
            "email_results: The account has no e-mail address. Choose one in the workspace, under Settings, or have "
            "the operator set it."
        )

    @pytest.mark.parametrize("word", ["yes", "true", 1, "ops@elsewhere.test", {}])
    def test_is_refused_when_email_results_is_no_boolean(self, customer: Customer, word: Any, settings: Any) -> None:
        settings.MAIL_CONFIGURED = True
        assert refusal(ask(customer, email_results=word)) == ["email_results: Send true or false."]

    def test_names_all_that_is_wrong(self, customer: Customer) -> None:
        assert len(refusal(ask(customer, webhook_url="x", email_results=True))) == 2


class MailServer:
    """A mail server on loopback that keeps what it takes."""

    def __init__(self) -> None:
        self.taken: list[Envelope] = []
        self.says = "250 Taken"
        self.knows = "ops@acme.test"

    async def handle_RCPT(self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _: Any) -> str:
        if address != self.knows:
            return "550 No such person here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        self.taken.append(envelope)
        return self.says

    def message(self, number: int = 0) -> EmailMessage:
        """What was taken."""
        content = self.taken[number].content
        assert isinstance(content, bytes)
        read = email.message_from_bytes(content, policy=email.policy.default)
        assert isinstance(read, EmailMessage)
        return read


def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
    """Nobody's password is right."""
    return AuthResult(success=False, handled=False)


class TestTheResults:
    """Come by mail."""

    @pytest.fixture
    def server(self, settings: Any) -> Iterator[MailServer]:
        kept = MailServer()
        controller = Controller(
            kept,
            hostname="127.0.0.1",
            port=free_port(),  # the library takes no 0 for any port
            authenticator=authenticate,
            auth_require_tls=False,
            data_size_limit=20_000_000,
        )
        controller.start()
        try:
            settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
            settings.EMAIL_HOST = "127.0.0.1"
            settings.EMAIL_PORT = controller.port
            settings.MAIL_CONFIGURED = True
            settings.PUBLIC_URL = "https://sos.example"
            settings.DEFAULT_FROM_EMAIL = "SOS Lookup <results@sos.example>"
            yield kept
        finally:
            controller.stop()

    def test_to_the_account_with_the_table_of_the_download(self, customer: Customer, server: MailServer) -> None:
        made = ask(customer, email_results=True).json()
        end_bulk()
        assert deliver() == 1
        message = server.message()
        assert server.taken[0].rcpt_tos == ["ops@acme.test"]
        assert (message["To"], message["From"]) == ("ops@acme.test", "SOS Lookup <results@sos.example>")
        assert message["Subject"] == f"{made['job_id']}: complete"
        assert message["Message-ID"] == f"<{only().message_id}@sos.example>"
        assert message["Auto-Submitted"] == "auto-generated", "or each absence note would be answered"
        text = message.get_body(preferencelist=("plain",))
        assert text is not None
        assert text.get_content_type() == "text/plain"
        for words in (
            "is complete.",
            "Rows:       2",
            "Found:      1",
            "Not found:  1",
            "Failed:     0",
            "Cancelled:  0",
            "Cost:       0.0314 USD",
            "The results are attached as a CSV table.",
            "https://sos.example" + made["poll_url"],
        ):
            assert words in text.get_content()
        (table,) = message.iter_attachments()
        assert (table.get_filename(), table.get_content_type()) == (f"{made['job_id']}.csv", "text/csv")
        downloaded = customer.get(made["poll_url"], accept="text/csv").getvalue().decode()
        attached = list(csv.DictReader(io.StringIO(table.get_content())))
        assert attached == list(csv.DictReader(io.StringIO(downloaded)))
        assert attached[1]["entity_name"] == "'=Nobody()"
        assert (only().status, only().last_answer) == ("delivered", "answered 250")

    def test_tells_rows_where_several_fit_from_those_that_were_not_found(
        self, customer: Customer, server: MailServer
    ) -> None:
        ask(customer, email_results=True)
        end_bulk()
        Lookup.objects.filter(verdict="not_found").update(verdict="ambiguous")
        deliver()
        text = server.message().get_body(preferencelist=("plain",))
        assert text is not None
        assert "Not found:  0" in text.get_content()
        assert "Several fit: 1" in text.get_content()

    def test_tells_rows_that_failed_from_those_that_were_cancelled(
        self, customer: Customer, server: MailServer
    ) -> None:
        ask(customer, email_results=True)
        end_bulk()
        Lookup.objects.filter(verdict="not_found").update(verdict="failed", reason="internal_error")
        deliver()
        text = server.message().get_body(preferencelist=("plain",))
        assert text is not None
        assert {"Not found:  0", "Failed:     1", "Cancelled:  0"} <= set(text.get_content().splitlines())

    @pytest.mark.parametrize("mode", ["test", "live"])
    def test_of_the_sandbox_with_the_word_that_it_is_invented(
        self, switches: None, server: MailServer, mode: str
    ) -> None:
        ask(open_customer(mode=mode), email_results=True)
        end_bulk()
        deliver()
        text = server.message().get_body(preferencelist=("plain",))
        assert text is not None
        assert ("of the sandbox" in text.get_content()) == (mode == "test")

    def test_without_the_table_when_it_is_large(
        self, customer: Customer, server: MailServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(result_mail, "LARGEST_TABLE", 200)
        ask(customer, email_results=True)
        end_bulk()
        deliver()
        message = server.message()
        assert message.get_content_type() == "text/plain"
        assert "so it is not attached" in message.get_content()

    def test_also_of_what_was_cancelled(self, customer: Customer, server: MailServer) -> None:
        made = ask(customer, email_results=True).json()
        Client().delete(made["poll_url"], headers={"x-api-key": customer.secret})
        deliver()
        assert server.message()["Subject"] == f"{made['job_id']}: cancelled"
        text = server.message().get_body(preferencelist=("plain",))
        assert text is not None
        assert "was cancelled; what had begun by then has ended." in text.get_content()
        assert {"Failed:     0", "Cancelled:  2", "Cost:       0.0000 USD"} <= set(text.get_content().splitlines())

    def test_beside_a_webhook(self, customer: Customer, server: MailServer) -> None:
        with receiving(says(200)) as it:
            listen_at(customer, it)
            ask(customer, email_results=True)
            end_bulk()
            assert deliver() == 2
            assert (len(it.requests), len(server.taken)) == (1, 1)

    def test_to_nobody_but_the_account_as_it_is_by_then(self, customer: Customer, server: MailServer) -> None:
        ask(customer, email_results=True)
        end_bulk()
        Account.objects.update(email="new@acme.test")
        server.knows = "new@acme.test"
        deliver()
        assert server.taken[0].rcpt_tos == ["new@acme.test"]
        assert only().address == "new@acme.test"

    @pytest.mark.parametrize(
        "address",
        ["ops@acme.test\nBcc: all@elsewhere.test", "ops@acme.test, all@elsewhere.test", "ops@acme.test> x", "x", ""],
    )
    def test_to_nobody_when_the_address_is_none(self, customer: Customer, server: MailServer, address: str) -> None:
        ask(customer, email_results=True)
        Account.objects.update(email=address)
        end_bulk()
        deliver()
        assert server.taken == []
        assert only().status == "pending"
        assert only().last_answer

    def test_with_no_header_from_what_a_customer_wrote(self, customer: Customer, server: MailServer) -> None:
        Account.objects.update(name="Acme\r\nBcc: all@elsewhere.test")
        ask(customer, email_results=True)
        BulkJob.objects.update(request_id="x\r\nBcc: y")
        end_bulk()
        deliver()
        content = server.taken[0].content
        assert isinstance(content, bytes)
        assert b"elsewhere" not in content
        assert server.message()["Bcc"] is None

    def test_again_later_under_the_same_name_when_the_server_refused(
        self, customer: Customer, server: MailServer
    ) -> None:
        server.says = "451 Try again later"
        ask(customer, email_results=True)
        end_bulk()
        deliver()
        assert only().last_answer == "the mail server refused the mail: Try again later"
        assert DeliveryAttempt.objects.get().status_code == 451
        server.says = "250 Taken"
        assert deliver(timezone.now() + timedelta(minutes=2)) == 1
        assert only().status == "delivered"
        assert server.message(0)["Message-ID"] == server.message(1)["Message-ID"]

    def test_for_a_day_at_most(self, customer: Customer, server: MailServer) -> None:
        server.knows = "somebody@else.test"
        ask(customer, email_results=True)
        end_bulk()
        begin = now = timezone.now()
        while only().status == "pending":
            now = only().next_at or now
            deliver(now)
        assert timedelta(hours=23) < now - begin < timedelta(hours=28)
        assert (only().status, only().attempts) == ("given_up", 1 + len(deliveries.PAUSES[Delivery.Channel.EMAIL]))
        assert only().last_answer == "the mail server refused the address: No such person here"

    def test_not_when_the_server_is_gone(self, customer: Customer, settings: Any) -> None:
        settings.MAIL_CONFIGURED = True
        ask(customer, email_results=True)
        end_bulk()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
        deliver()
        assert only().last_answer == "the mail server cannot be reached or broke off (ConnectionRefusedError)"
        settings.MAIL_CONFIGURED = False
        deliver(timezone.now() + timedelta(minutes=2))
        assert only().last_answer == mail_server.NO_SERVER

    def test_later_when_the_server_hangs(self, customer: Customer, settings: Any) -> None:
        assert settings.EMAIL_TIMEOUT == 20
        with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the connection and never greets
            settings.MAIL_CONFIGURED, settings.EMAIL_TIMEOUT = True, 0.3
            settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
            settings.EMAIL_HOST, settings.EMAIL_PORT = silent.getsockname()
            ask(customer, email_results=True)
            end_bulk()
            deliver()  # it never greets: without a time-out this would not end
        assert only().last_answer == "the mail server cannot be reached or broke off (SMTPServerDisconnected)"
        assert (only().status, only().attempts) == ("pending", 1)

    def test_never_with_the_servers_password_in_a_log(
        self, customer: Customer, server: MailServer, settings: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "results", "very-secret-word"
        ask(customer, email_results=True)
        end_bulk()
        deliver()
        assert only().last_answer == "the mail server refused our user name or password"
        assert "very-secret-word" not in caplog.text + str(list(DeliveryAttempt.objects.values()))
