"""kill -9 whoever sends a webhook while the customer's server has it: it comes again, and every end is told."""

from __future__ import annotations

import socket
import threading
from collections import Counter

import httpx
import pytest

from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import Service
from tests.lookups.webhook_receiver import Receiver, receiving, says

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]


def list_whole(server: Receiver) -> list[str]:
    """The names of the messages that came whole: who is killed when it has just connected has sent nothing."""
    return [request.headers["webhook-id"] for request in server.requests if request.headers]


class TestACustomerWithAnAddress:
    """Whose server has a message while those who could note it are killed."""

    def test_is_told_of_every_end_and_of_nothing_else(self, storm: Service, customer: Customer, settled: Audit) -> None:
        killed = threading.Event()

        def answer(ready: socket.socket, stopped: threading.Event) -> None:
            if killed.wait(30):
                says(204)(ready, stopped)

        with receiving(answer) as server:
            self.listen_at(customer, f"http://127.0.0.1:{server.port}/")
            storm.leave_to_worker(customer, 12)
            customer.ask_bulk(customer.questions(4))
            storm.registries.open()  # nothing can have ended before, so there was nothing to tell
            wait_until(lambda: list_whole(server), what="the first message is on its way")
            storm.worker.kill()
            storm.bulk.kill()
            with_it = len(list_whole(server))
            killed.set()
            storm.books.write("UPDATE lookups_delivery SET lease_until = now()")  # half a minute passes
            storm.start("worker", "bulk")
            storm.lose_workers_places()
            settled(customer, most_asked=3)
            wait_until(lambda: self.all_told(storm, customer), what="all is told", seconds=60)
            told = Counter(list_whole(server))
        written = storm.books.read(
            "SELECT id, status, job_id, bulk_id FROM lookups_delivery WHERE account_id = %(id)s", id=customer.account
        )
        assert {row[1] for row in written} == {"delivered"}
        assert set(told) == {f"msg_{row[0].hex}" for row in written}
        assert with_it >= 1
        assert max(told.values()) > 1  # what the killed ones had sent came again, under its name
        ended = storm.books.read(
            "SELECT id FROM lookups_job WHERE account_id = %(id)s AND bulk_id IS NULL", id=customer.account
        )
        assert Counter(row[2] for row in written if row[2]) == Counter(row[0] for row in ended)
        assert len([row for row in written if row[3]]) == 1

    def listen_at(self, customer: Customer, address: str) -> None:
        reply = httpx.patch(
            f"{customer.url}/v1/account/settings",
            json={"webhookUrl": address},
            headers={"x-api-key": customer.secret},
            timeout=300,
        )
        assert reply.status_code == 200, reply.text

    def all_told(self, storm: Service, customer: Customer) -> bool:
        """What waits for another try is tried now; then, whether nothing waits any more."""
        storm.books.write("UPDATE lookups_delivery SET next_at = now() WHERE status = 'pending' AND claim IS NULL")
        waiting = "SELECT count(*) FROM lookups_delivery WHERE account_id = %(id)s AND status = 'pending'"
        return not storm.books.count(waiting, id=customer.account)
