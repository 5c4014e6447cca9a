"""A question that was asked before and is asked again: its outcome is known, waited for, or taken up where it lies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from billing import keys
from lookups.jobs import lifecycle, runner
from lookups.lookup import flow, handover, rows, single_flight
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted, Ended, NobodyAtWork, Result, TooManyAtOnce
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Heartbeat, Job, Lookup
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.messages import wait_for
from tests.lookups.registry_server import Register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("switches")]
ACME, ZEBRA = Question(state="NY", name="Acme Corp"), Question(state="NY", name="Zebra Inc")
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is at work on what was left behind, so one look shows what twenty seconds of them would."""
    monkeypatch.setattr(single_flight, "looks", lambda *, budget_seconds: iter((0.0,)))


def ask(customer: Customer, **more: Any) -> Ask:
    return Ask(**{"question": ACME, "payer": KeyPayer(customer.key), **more})


def perform(asked: Ask) -> Result:
    return flow.perform(ask=asked, now=timezone.now())


def accepted(asked: Ask) -> Lookup:
    """The row of a question whose process died before it had an answer."""
    row = rows.draft(asked, now=timezone.now())
    rows.accept(asked, row, now=timezone.now(), hold_for=HOUR)
    return row


def job_of(asked: Ask) -> Job:
    return lifecycle.adopt(asked, accepted(asked), estimated_seconds=9, runs=True, now=timezone.now())


@contextmanager
def taken(*, now: datetime) -> Iterator[bool]:
    """All places are taken."""
    yield False


@contextmanager
def no_seat() -> Iterator[bool]:
    """No thread may wait."""
    yield False


class TestAskedAgain:
    def test_finds_no_place_where_the_key_has_no_more(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        perform(ask(customer))
        again, free = ask(customer), iter([True, False])  # when it comes in, and once it is known for a repetition
        monkeypatch.setattr(again.payer, "place", lambda *, now: nullcontext(next(free)))
        assert perform(again) == TooManyAtOnce(limit=again.payer.limit)

    @pytest.mark.django_db(transaction=True)  # within one, nobody else's thread would be waited for
    def test_waits_in_no_thread_that_may_not_wait(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        accepted(ask(customer))
        monkeypatch.setattr(handover, "seat", no_seat)
        assert perform(ask(customer)) == TooManyAtOnce(limit=0)

    @pytest.mark.django_db(transaction=True)  # within one, nobody else's thread would be waited for
    def test_learns_at_once_what_has_ended(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = perform(ask(customer))
        monkeypatch.setattr(handover, "seat", no_seat)
        second = perform(ask(customer))
        assert isinstance(first, Ended)
        assert isinstance(second, Ended)
        assert (second.lookup, second.repeated) == (first.lookup, True)

    def test_is_taken_up_at_the_price_of_then_and_of_the_registry(self, customer: Customer, register: Register) -> None:
        row = accepted(ask(customer, price=PRICE + 1))
        job_of(ask(customer, question=ZEBRA))  # another one's
        result = perform(ask(customer, accepts_stored=True))
        assert isinstance(result, Ended)
        assert (result.lookup.pk, result.lookup.cost, result.lookup.source) == (row.pk, PRICE + 1, "live")

    def test_is_asked_of_the_registry_although_an_answer_is_stored(
        self, customer: Customer, register: Register
    ) -> None:
        perform(ask(customer))
        asked_once = register.asked
        row = accepted(ask(customer, apart=True, accepts_stored=False))
        Lookup.objects.exclude(pk=row.pk).delete()
        result = perform(ask(customer, accepts_stored=True, stored_price=100))
        assert isinstance(result, Ended)
        assert (result.lookup.pk, result.lookup.source, register.asked > asked_once) == (row.pk, "live", True)


class TestTakenUpAgain:
    """Under the same Idempotency-Key, after a try that broke off."""

    def test_is_paid_as_it_was_accepted(self, customer: Customer, register: Register) -> None:
        asked = ask(customer, price=PRICE + 1)
        accepted(asked)
        job_of(ask(customer, question=ZEBRA))  # another one's job
        result = perform(replace(asked, price=PRICE, resumed=True))
        assert isinstance(result, Ended)
        assert (result.lookup.cost, customer.balance.spent) == (PRICE + 1, PRICE + 1)

    def test_learns_what_has_ended(self, customer: Customer, register: Register) -> None:
        asked = ask(customer)
        first = perform(asked)
        assert isinstance(first, Ended)
        asked_once = register.asked
        again = perform(replace(asked, resumed=True))
        assert isinstance(again, Ended)
        assert (again.lookup, again.repeated) == (first.lookup, False)
        assert (register.asked, customer.balance.spent) == (asked_once, PRICE)

    def test_learns_of_its_job(self, customer: Customer, register: Register) -> None:
        asked = ask(customer)
        job = job_of(asked)
        again = perform(replace(asked, resumed=True))
        assert isinstance(again, Accepted)
        assert again.job == job


@pytest.mark.django_db(transaction=True)
class TestACallerWhoDoesNotWait:
    """Gets a job at once, however long others would wait."""

    def assert_job(self, asked: Ask, register: Register) -> None:
        answers = register.may_go = threading.Event()

        def run() -> Result:
            try:
                return perform(asked)
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            try:
                asking = pool.submit(run)
                assert isinstance(asking.result(30), Accepted)
            finally:
                answers.set()
        runner.run(job_id=Job.objects.get().pk, now=timezone.now())  # what had no thread yet is a worker's
        wait_for(lambda: not Job.objects.open().exists())
        assert Job.objects.get().status == Job.Status.COMPLETE

    def test_because_it_says_so(self, customer: Customer, register: Register, settings: Any) -> None:
        settings.SYNC_BUDGET_SECONDS = 60.0
        self.assert_job(ask(customer, patience=timedelta(0)), register)

    def test_because_no_thread_may(
        self, customer: Customer, register: Register, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.SYNC_BUDGET_SECONDS = 60.0
        monkeypatch.setattr(handover, "seat", no_seat)
        self.assert_job(ask(customer), register)


class TestACallerWhoCannotBeAnsweredLater:
    def test_is_put_off_where_no_thread_may_wait(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(handover, "seat", no_seat)
        assert perform(ask(customer)) == TooManyAtOnce(limit=0)  # this test is a transaction
        assert (Lookup.objects.count(), customer.balance.held, register.asked) == (0, 0, 0)

    @pytest.mark.django_db(transaction=True)
    def test_is_put_off_where_its_key_has_as_many_jobs_as_it_may(self, customer: Customer, register: Register) -> None:
        key, _ = keys.issue(account=customer.account, name="one", now=timezone.now(), concurrent_lookups=1)
        job_of(ask(customer, payer=KeyPayer(key), question=ZEBRA))
        hurried = ask(customer, payer=KeyPayer(key), patience=timedelta(0))
        assert perform(hurried) == TooManyAtOnce(limit=1)
        assert (Lookup.objects.count(), register.asked) == (1, 0)
        assert isinstance(perform(replace(hurried, patience=None)), Ended)  # who waits needs no job


class TestASlowStateWithoutAWorker:
    @pytest.fixture(autouse=True)
    def nobody(self, switches: None, register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        Heartbeat.objects.filter(role="worker").delete()

    def test_takes_nothing_on(self, customer: Customer) -> None:
        assert perform(ask(customer)) == NobodyAtWork()
        assert (Lookup.objects.count(), customer.balance.held) == (0, 0)

    def test_ends_what_was_taken_on_and_gives_its_price_back(self, customer: Customer) -> None:
        asked = ask(customer)
        row = accepted(asked)
        assert perform(replace(asked, resumed=True)) == NobodyAtWork()
        row.refresh_from_db()
        assert (row.verdict, row.reason, customer.balance.held) == ("failed", "internal_error", 0)
