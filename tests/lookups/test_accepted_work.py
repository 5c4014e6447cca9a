"""What was accepted keeps its price, whatever the operator charges for what is asked from now on."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import ledger, prices, reconciliation
from lookups import tasks
from lookups.bulk import bulk_jobs, queue
from lookups.jobs import lifecycle, operator_actions, runner
from lookups.lookup import flow, rows
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted, Ended
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup
from tests.lookups.conftest import PRICE, Customer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("register", "no_workers")]
DEARER = 500
ROWS = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "Zebra Inc", "state": "NY"}]


@pytest.fixture
def raise_the_price(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What an operator does who sets both prices anew and starts the service again."""

    def restart() -> None:
        monkeypatch.setattr(prices, "LOOKUP", DEARER)
        monkeypatch.setattr(prices, "STORED", DEARER)

    return restart


def ask_in_bulk(customer: Customer, **more: Any) -> str:
    job: str = customer.post("/v1/bulk-lookup", {"entities": ROWS, **more}).json()["job_id"]
    return job


def drop(customer: Customer, job: str) -> Any:
    client = Client(raise_request_exception=False)
    return client.delete(f"/v1/bulk-lookup/{job}", headers={"x-api-key": customer.secret})


def accept_job(customer: Customer) -> Job:
    """A single lookup that is answered later."""
    ask, now = Ask(Question(state="NY", name="Acme Corp"), KeyPayer(customer.key)), timezone.now()
    accepted = lifecycle.accept(ask, rows.draft(ask, now=now), estimated_seconds=60, now=now)
    assert isinstance(accepted, Accepted)
    return accepted.job


def assert_books_agree() -> None:
    assert reconciliation.run(now=timezone.now()).mismatches == []


class TestWhatWasAcceptedBeforeThePriceRose:
    """An operator sets another price and starts the service again."""

    def test_charges_each_row_of_a_bulk_job_what_was_held_for_it(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        job = ask_in_bulk(customer)
        raise_the_price()
        queue.work(now=timezone.now())
        body = customer.get(f"/v1/bulk-lookup/{job}").json()
        assert [row["cost"] for row in body["results"]] == [0.0314, 0.0314]
        assert (customer.balance.held, customer.balance.spent) == (0, 2 * PRICE)
        assert_books_agree()

    def test_gives_back_what_a_cancelled_bulk_job_held(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        job = ask_in_bulk(customer)
        raise_the_price()
        reply = drop(customer, job)
        assert (reply.status_code, reply.json()["status"]) == (200, "cancelled")
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)
        assert_books_agree()

    def test_gives_back_what_was_not_begun_of_a_bulk_job(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        job = ask_in_bulk(customer)
        runner.run(job_id=Job.objects.get(position=0).pk, now=timezone.now())
        raise_the_price()
        assert drop(customer, job).status_code == 200
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_sells_a_bulk_job_stored_answers_at_their_price_of_then(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        customer.lookup()
        ask_in_bulk(customer, source="cache")
        raise_the_price()
        queue.work(now=timezone.now())
        assert list(Lookup.objects.filter(bulk__isnull=False).order_by("pk").values_list("cost", flat=True)) == [0, 314]
        assert (customer.balance.held, customer.balance.spent) == (0, 2 * PRICE)

    def test_charges_a_job_what_was_held_for_it(self, customer: Customer, raise_the_price: Callable[[], None]) -> None:
        job = accept_job(customer)
        raise_the_price()
        assert runner.run(job_id=job.pk, now=timezone.now())
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_gives_back_what_a_job_held_that_the_sweep_ends(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        accept_job(customer)
        ask_in_bulk(customer)
        raise_the_price()
        Job.objects.update(deadline=timezone.now())
        tasks.sweep_jobs()
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)

    def test_charges_it_that_too_when_an_operator_asks_again(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        job = accept_job(customer)
        raise_the_price()
        assert operator_actions.end(job, now=timezone.now())
        assert operator_actions.do_over(Job.objects.get(), now=timezone.now())
        assert runner.run(job_id=job.pk, now=timezone.now())
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_is_taken_up_again_after_a_crash_at_its_own_price(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        ask_id, question = uuid.uuid4(), Question(state="NY", name="Acme Corp")
        first = Ask(question, KeyPayer(customer.key), ask_id=ask_id)
        now = timezone.now()
        rows.accept(first, rows.draft(first, now=now), now=now, hold_for=lifecycle.hold_for(first))
        raise_the_price()
        again = Ask(question, KeyPayer(customer.key), ask_id=ask_id, resumed=True)
        ended = flow.perform(ask=again, now=now)
        assert isinstance(ended, Ended)
        assert (ended.lookup.cost, customer.balance.spent) == (PRICE, PRICE)

    def test_leaves_the_new_price_to_new_questions(
        self, customer: Customer, raise_the_price: Callable[[], None]
    ) -> None:
        raise_the_price()
        assert customer.lookup().json()["cost"] == 0.05


class TestCancellingWhatIsReleasedAlready:
    """The hold had run out before: the money is back, and the customer gets an end, no error."""

    def test_ends_the_bulk_job(self, customer: Customer) -> None:
        job = ask_in_bulk(customer)
        ledger.expire_holds(now=timezone.now() + bulk_jobs.MAX_WAIT + bulk_jobs.HELD_BEYOND)
        assert drop(customer, job).json()["status"] == "cancelled"
        assert (customer.balance.held, customer.balance.available) == (0, 10 * PRICE)
        assert_books_agree()
