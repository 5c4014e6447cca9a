"""kill -9 the web server while customers wait; they ask again with the same Idempotency-Key, as clients do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.failures.books import CHARGES, KEEPS_AN_ANSWER, wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Call, Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]
PRICE = 314


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
        """Eight were told of their jobs before, twelve of nothing: the table that jobs are written to is locked."""
        calls = customer.questions(20)
        storm.registries.shut()
        accepted = customer.ask(calls[:8])
        assert {call.status for call in accepted} == {202}
        with storm.books.no_job_begins(), asking(customer, calls[8:]) as cut_off:
            wait_until(lambda: storm.hold_of(customer) == 20 * PRICE, what="all wait for an answer")
            storm.wait_for_fetches(12)
            if whole:
                storm.web.kill()
            else:
                storm.web.kill_child()
            storm.books.disconnect("web")
        storm.registries.open()
        assert {call.status for call in cut_off.result()} == {None}
        if whole:
            storm.start("web")
        wait_until(storm.answers, what="the web server answers again")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=2).found == 16

    def test_charges_once_when_it_dies_between_storing_and_charging(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """Who wants to charge needs the account's row, which is locked once the price of every question is held."""
        calls = customer.questions(12, missing=0)
        storm.registries.shut()
        with asking(customer, calls):
            wait_until(lambda: storm.hold_of(customer) == 12 * PRICE, what="the price of all is held")
            storm.wait_for_fetches(8)
            with storm.books.locked("billing_account", [customer.account]):
                storm.registries.open()
                storm.kill_at_lock(storm.web, statement=CHARGES)
        assert storm.spent_by(customer) == 0
        storm.start("web")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=2).found == 12

    def test_charges_once_when_it_dies_with_the_reply_in_its_hands(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """Charged, and killed before the customer has it: the rows that keep replies are locked.

        The web server is patient, so that on a slow machine too the reply is the answer and not that it comes later.
        """
        storm.be_patient()
        calls = customer.questions(8, missing=0)
        storm.registries.shut()
        with asking(customer, calls):
            storm.wait_for_fetches(8)
            keys = storm.books.read(
                "SELECT id FROM lookups_idempotencyrecord WHERE account_id = %(id)s", id=customer.account
            )
            with storm.books.locked("lookups_idempotencyrecord", [key for (key,) in keys]):
                storm.registries.open()
                storm.kill_at_lock(storm.web, statement=KEEPS_AN_ANSWER)
        assert storm.spent_by(customer) >= 4 * PRICE
        storm.start("web")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=2).found == 8
