"""A mail server that says nothing, and a DNS that says nothing, while results are to be sent."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message

from tests.failures import bounds, name_server
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import Service
from tests.lookups.webhook_receiver import receiving, says

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
STEP = 20  # seconds, of a step with the mail server
SENDERS = ("worker", "bulk")


class Mailbox(Message):
    """The mails that were taken, by their names."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_message(self, message: object) -> None:
        """Keep the name."""
        self.names.append(str(message["Message-ID"]))  # type: ignore[index]


def waiting(storm: Service, customer: Customer) -> dict[str, str]:
    """What became of the last try of each message that waits for another, by its channel."""
    rows = storm.books.read(
        "SELECT channel, last_answer FROM lookups_delivery WHERE account_id = %(id)s"
        " AND status = 'pending' AND claim IS NULL AND attempts > 0",
        id=customer.account,
    )
    return dict(rows)


class TestResultsThatAreSent:
    """By mail and by webhook, to somebody whom nobody can reach for a while."""

    def test_wait_until_they_can_be_sent_and_come_once_and_hold_up_nobody_else(
        self, storm: Service, customer: Customer, settled: Audit, tmp_path: Path
    ) -> None:
        other, mailbox = storm.new_customer(), Mailbox()
        storm.books.write("UPDATE billing_account SET email = 'ops@acme.test' WHERE id = %(id)s", id=customer.account)
        with name_server.running(tmp_path) as names, receiving(says(204)) as hooks, receiving(says(204)) as near:
            with socket.create_server(("127.0.0.1", storm.mail_port)):  # takes the connection and says nothing
                storm.restart(*SENDERS, inside=names.inside)
                far = f"http://hooks.example.test:{hooks.port}/"
                customer.ask_bulk(customer.questions(2), email_results=True, webhook_url=far)
                other.ask_bulk(other.questions(2), webhook_url=f"http://127.0.0.1:{near.port}/")
                wait_until(lambda: len(near.requests) == 1, what="who can be reached is told", seconds=30)
                calls = other.ask(other.questions(4, missing=0))
                assert {call.status for call in calls} <= {200, 202}  # a busy machine answers by jobs
                signs = bounds.read_signs(storm.url)
                assert (signs.ready, signs.health_status) == (200, 200)
                both = STEP + bounds.BUSY
                wait_until(lambda: len(waiting(storm, customer)) == 2, what="both tries were given up", seconds=both)
            assert waiting(storm, customer) == {
                "webhook": "no answer within 10 s",
                "email": "the mail server cannot be reached or broke off (SMTPServerDisconnected)",
            }
            assert not hooks.requests
            names.answers.set()
            post = Controller(mailbox, hostname="127.0.0.1", port=storm.mail_port)
            post.start()
            try:
                storm.books.write("UPDATE lookups_delivery SET next_at = now() WHERE status = 'pending'")
                wait_until(lambda: hooks.requests and mailbox.names, what="both have come", seconds=30)
                wait_until(lambda: self.all_noted(storm, customer), what="both are noted", seconds=30)
            finally:
                post.stop()
        assert (len(hooks.requests), len(mailbox.names)) == (1, 1)
        storm.restart(*SENDERS)
        settled(customer, other)

    def all_noted(self, storm: Service, customer: Customer) -> bool:
        """Whether both messages are written down as delivered."""
        done = "SELECT count(*) FROM lookups_delivery WHERE account_id = %(id)s AND status = 'delivered'"
        return storm.books.count(done, id=customer.account) == 2
