"""kill -9 the web server while customers wait; they ask again with the same Idempotency-Key, as clients do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Call, Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]


@contextmanager
def asking(customer: Customer, calls: list[Call]) -> Iterator[Future[list[Call]]]:
    """The customer's requests are on the way while the block runs."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(customer.ask, calls, at_once=len(calls))


class TestAKilledWebServer:
    """gunicorn's parent with two children, twelve threads each."""

    @pytest.mark.parametrize("whole", [True, False], ids=["with its parent", "children alone"])
    def test_leaves_each_customer_with_one_answer_and_one_charge(
        self, whole: bool, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        calls = customer.questions(20)
        storm.registries.shut()
        with asking(customer, calls):
            wait_until(lambda: storm.registries.waiting() >= 12, what="twelve fetches are under way")
            if whole:
                storm.web.kill()
            else:
                storm.web.kill_child()
        storm.registries.open()
        assert None in {call.status for call in calls} <= {None, 202}
        if whole:
            storm.start("web")
        wait_until(storm.answers, what="the web server answers again")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=2).found == 16

    def test_charges_once_when_it_dies_between_storing_and_charging(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        calls = customer.questions(12, missing=0)
        storm.registries.shut()
        with asking(customer, calls):
            wait_until(lambda: storm.registries.waiting() >= 8, what="eight fetches are under way")
            with storm.books.locked("billing_account", [customer.account]):
                storm.registries.open()
                storm.kill_at_lock(storm.web, blocked=4, what="the web server wants to charge")
        assert storm.spent_by(customer) == 0
        storm.start("web")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=2).found == 12

    def test_charges_once_when_it_dies_with_the_reply_in_its_hands(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """Charged, and killed before the customer has it: the rows that keep replies are locked."""
        calls = customer.questions(8, missing=0)
        storm.registries.shut()
        with asking(customer, calls):
            wait_until(lambda: storm.registries.waiting() >= 8, what="eight fetches are under way")
            keys = storm.books.read(
                "SELECT id FROM lookups_idempotencyrecord WHERE account_id = %(id)s", id=customer.account
            )
            with storm.books.locked("lookups_idempotencyrecord", [key for (key,) in keys]):
                storm.registries.open()
                storm.kill_at_lock(storm.web, blocked=4, what="the web server wants to keep its replies")
        assert storm.spent_by(customer) > 0
        storm.start("web")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=2).found == 8
