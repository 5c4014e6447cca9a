"""Jobs that are ended by somebody else than the worker who answers them: nobody pays for what nobody gets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from billing import reconciliation
from billing.models import LedgerEntry
from jurisdictions import services as jurisdictions
from lookups.bulk import bulk_jobs, queue
from lookups.jobs import lifecycle, operator_actions, runner
from lookups.lookup import handover
from lookups.models import BulkJob, Entity, Job, Lookup, Watch
from lookups.watches import ticking, watching
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def customer(switches: None) -> Customer:
    return open_customer()


@pytest.fixture(autouse=True)
def held_register(register: Register, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Iterator[threading.Event]:
    """New York, known to be slow; it answers when it may."""
    monkeypatch.setattr(NewYork, "slow", True)
    monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=4))
    register.may_go = threading.Event()
    yield register.may_go
    register.may_go.set()


def run(job: Job) -> bool:
    try:
        return runner.run(job_id=job.pk, now=timezone.now())
    finally:
        connection.close()


@contextmanager
def at_work(register: Register, job: Job) -> Iterator[Future[bool]]:
    """A worker that has asked the register for this job and waits for its answer; the register then may answer."""
    with ThreadPoolExecutor(1) as pool:
        register.in_there.clear()
        future = pool.submit(run, job)
        try:
            assert register.in_there.wait(10)
            yield future
        finally:
            assert register.may_go is not None
            register.may_go.set()
        future.result(20)


def sweep(now: Any = None) -> runner.Swept:
    return runner.sweep(now=now or timezone.now())


def accepted(customer: Customer, **more: Any) -> Job:
    return Job.objects.get(pk=customer.lookup(**more).json()["jobId"].removeprefix("job_"))


def assert_nobody_paid(customer: Customer) -> None:
    assert (customer.balance.available, customer.balance.held, customer.balance.spent) == (10 * PRICE, 0, 0)
    assert reconciliation.run(now=timezone.now()).mismatches == []


class TestAStateSwitchedOff:
    """While its questions are under way."""

    def test_ends_its_running_jobs_unbilled(self, customer: Customer, register: Register) -> None:
        job = accepted(customer)
        with at_work(register, job) as worker:
            jurisdictions.disable(code="NY", reason="Asked to stop.")
            assert sweep().failed == 1
            job.refresh_from_db()
            assert (job.status, job.lookup.verdict, job.lookup.reason) == ("failed", "unavailable", "disabled")
            assert_nobody_paid(customer)
        assert not worker.result()  # it had nothing left to end
        told = customer.get(f"/v1/lookup/status/{job.public_id}")
        assert (told.status_code, told.json()["reason"], told.json()["cost"]) == (500, "disabled", 0)
        assert_nobody_paid(customer)
        assert Lookup.objects.get().verdict == "unavailable"

    def test_ends_those_that_wait(self, customer: Customer, register: Register) -> None:
        job = accepted(customer)
        jurisdictions.disable(code="NY", reason="Asked to stop.")
        assert sweep().failed == 1
        assert sweep().failed == 0
        job.refresh_from_db()
        assert (job.status, job.lookup.verdict, register.asked) == ("failed", "unavailable", 0)
        assert_nobody_paid(customer)

    def test_sells_no_answer_that_comes_in_before_the_sweep(self, customer: Customer, register: Register) -> None:
        job = accepted(customer)
        with at_work(register, job):
            jurisdictions.disable(code="NY", reason="Asked to stop.")
        job.refresh_from_db()
        assert (job.status, job.lookup.verdict) == ("failed", "unavailable")
        assert Entity.objects.count() == 0
        assert_nobody_paid(customer)

    def test_ends_a_synchronous_lookup_unbilled(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", False)

        def ask() -> Any:
            try:
                return customer.lookup()
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(ask)
            assert register.in_there.wait(10)
            jurisdictions.disable(code="NY", reason="Asked to stop.")
            assert register.may_go is not None
            register.may_go.set()
            reply = future.result(20)
        assert (reply.status_code, reply.json()["reason"]) == (503, "disabled")
        assert_nobody_paid(customer)
        assert Lookup.objects.get().attempt_id is not None  # the registry had been asked all the same

    def test_leaves_other_states_and_test_keys_alone(self, customer: Customer) -> None:
        tester = open_customer(mode="test", name="Tester")
        accepted(customer)
        tester.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Acme Corp", "state": "FL"}]})
        jurisdictions.disable(code="FL", reason="Asked to stop.")
        assert sweep().failed == 0
        assert set(Job.objects.values_list("status", flat=True)) == {"pending"}
        assert (Job.objects.count(), customer.balance.held) == (2, PRICE)

    def test_ends_the_rows_of_a_bulk_job_and_gives_their_shares_back(
        self, customer: Customer, register: Register
    ) -> None:
        rows = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "Zebra Inc", "state": "NY"}]
        customer.post("/v1/bulk-lookup", {"entities": rows})
        first, second = Job.objects.order_by("position")
        with at_work(register, first):
            jurisdictions.disable(code="NY", reason="Asked to stop.")
            assert sweep().failed == 2
        second.refresh_from_db()
        assert (second.status, second.lookup.verdict) == ("failed", "unavailable")
        assert_nobody_paid(customer)


class TestAnOperator:
    """Ends a job that runs, or takes it from its worker."""

    def test_ends_it_and_the_answer_that_comes_later_is_not_sold(self, customer: Customer, register: Register) -> None:
        job = accepted(customer)
        with at_work(register, job):
            running = Job.objects.get()
            assert operator_actions.end(running, now=timezone.now())
            assert not operator_actions.end(running, now=timezone.now())
            assert_nobody_paid(customer)
        job.refresh_from_db()
        assert (job.status, job.lookup.reason) == ("failed", "ended_by_operator")
        told = customer.get(f"/v1/lookup/status/{job.public_id}").json()
        assert (told["error"], told["code"]) == ("Ended by the operator", "internal_error")
        assert_nobody_paid(customer)
        assert Entity.objects.count() == 1  # what the register said is kept: the next one may have it

    def test_ends_one_row_of_a_bulk_job_and_the_others_keep_their_shares(
        self, customer: Customer, register: Register
    ) -> None:
        rows = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "Zebra Inc", "state": "NY"}]
        customer.post("/v1/bulk-lookup", {"entities": rows})
        first, second = Job.objects.order_by("position")
        with at_work(register, first):
            assert operator_actions.end(Job.objects.get(pk=first.pk), now=timezone.now())
            assert (customer.balance.held, customer.balance.spent) == (PRICE, 0)
        assert (customer.balance.held, customer.balance.spent) == (PRICE, 0)
        assert run(second)
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_ends_a_lookup_whose_caller_waits_no_longer(
        self, customer: Customer, register: Register, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", False)
        settings.SYNC_BUDGET_SECONDS = 0.3
        with ThreadPoolExecutor(2) as pool:
            monkeypatch.setattr(handover, "_pool", lambda _: pool)
            job = accepted(customer)
            assert job.status == "processing"
            assert operator_actions.end(job, now=timezone.now())
            assert register.may_go is not None
            register.may_go.set()
        assert_nobody_paid(customer)
        job.refresh_from_db()
        assert job.lookup.reason == "ended_by_operator"

    def test_releases_it_to_another_worker_and_it_is_paid_once(
        self, customer: Customer, register: Register, come: list[Any]
    ) -> None:
        job = accepted(customer)
        with ThreadPoolExecutor(1) as other, at_work(register, job) as first:
            assert operator_actions.release(Job.objects.get(), now=timezone.now())
            second = other.submit(run, job)
            _wait_until(lambda: len(come) == 2)
            assert not operator_actions.release(job, now=timezone.now())  # as it was read, nobody had it
        assert [first.result(20), second.result(20)].count(True) >= 1
        job.refresh_from_db()
        assert (job.status, job.lookup.verdict, register.asked) == ("complete", "found", 1)
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        assert LedgerEntry.objects.filter(kind="capture").count() == 1


class TestAQuestionThatWasUnderWay:
    """When nobody wanted its answer any more, and whose registry failed then."""

    def test_is_not_tried_again_for_a_bulk_job_that_was_cancelled(self, customer: Customer, register: Register) -> None:
        customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Acme Corp", "state": "NY"}]})
        with at_work(register, Job.objects.get()):
            bulk_jobs.cancel(BulkJob.objects.get(), now=timezone.now())
            register.status = 500
        queue.sweep(now=timezone.now())
        told = customer.get(f"/v1/bulk-lookup/{BulkJob.objects.get().public_id}").json()
        assert (told["status"], told["results"][0]["verdict"]) == ("cancelled", "unavailable")
        assert told["completed_at"] is not None
        assert Job.objects.get().status == "failed"
        assert_nobody_paid(customer)

    def test_is_not_begun_again_for_a_cancelled_bulk_job_whose_worker_was_lost(
        self, customer: Customer, register: Register
    ) -> None:
        """Two minutes after the customer had cancelled it was asked, and paid for."""
        customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Acme Corp", "state": "NY"}]})
        assert lifecycle.claim(Job.objects.get().pk, now=timezone.now()) is not None  # by who is killed then
        bulk_jobs.cancel(BulkJob.objects.get(), now=timezone.now())
        queue.work(now=timezone.now() + lifecycle.LEASE)
        told = customer.get(f"/v1/bulk-lookup/{BulkJob.objects.get().public_id}").json()
        assert (told["status"], told["results"][0]["verdict"], register.asked) == ("cancelled", "cancelled", 0)
        assert told["completed_at"] is not None
        assert_nobody_paid(customer)

    @pytest.mark.parametrize("how", ["deleted", "paused"])
    def test_is_not_tried_again_for_a_watch_that_looks_no_more(
        self, customer: Customer, register: Register, how: str
    ) -> None:
        customer.post("/v1/watches", {"state": "NY", "entity_name": "Acme Corp"})
        ticking.tick(now=timezone.now())
        with at_work(register, Job.objects.get()):
            watch, now = Watch.objects.get(), timezone.now()
            if how == "deleted":
                watching.delete(watch, now=now)
            else:
                watching.change(watch, by=customer.key, now=now, status="paused")
            register.status = 500
        assert Job.objects.get().status == "failed"
        assert_nobody_paid(customer)


class TestAServiceThatStoodStill:
    """For more than a month, or was restored from a backup of then."""

    def test_ends_what_waited_and_gives_its_price_back(self, customer: Customer) -> None:
        job, later = accepted(customer), timezone.now() + timedelta(days=40)
        assert sweep(later).failed == 1
        job.refresh_from_db()
        assert (job.status, job.lookup.verdict, job.lookup.reason) == ("failed", "unavailable", "timeout")
        assert_nobody_paid(customer)

    def test_cancels_a_bulk_request_of_then(self, customer: Customer) -> None:
        customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Acme Corp.", "state": "NY"}]})
        bulk_jobs.cancel(BulkJob.objects.get(), now=timezone.now() + timedelta(days=40))
        assert Lookup.objects.get().verdict == "cancelled"
        assert_nobody_paid(customer)


class TestAJobThatWasPaidFor:
    """But whose worker died before it could end it."""

    @pytest.fixture
    def paid(self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch) -> Job:
        register.may_go.set()  # type: ignore[union-attr]
        job = accepted(customer)
        with monkeypatch.context() as patch:
            patch.setattr(lifecycle, "end", lambda *_, **__: False)  # the process is gone before this
            run(job)
        assert customer.balance.spent == PRICE
        job.refresh_from_db()
        assert job.status == "processing"
        return job

    def test_ends_with_its_answer_even_after_its_deadline(self, customer: Customer, paid: Job) -> None:
        sweep(timezone.now() + lifecycle.MAX_WAIT + timedelta(minutes=5))
        told = customer.get(f"/v1/lookup/status/{paid.public_id}").json()
        assert (told["status"], told["data"]["entityName"]) == ("complete", "ACME CORP.")
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_ends_with_its_answer_when_an_operator_ends_it(self, customer: Customer, paid: Job) -> None:
        assert operator_actions.end(paid, now=timezone.now())
        paid.refresh_from_db()
        told = customer.get(f"/v1/lookup/status/{paid.public_id}").json()
        assert (paid.status, told["data"]["entityName"]) == ("complete", "ACME CORP.")

    def test_ends_with_its_answer_when_its_state_is_switched_off(self, customer: Customer, paid: Job) -> None:
        jurisdictions.disable(code="NY", reason="Asked to stop.")
        sweep()
        paid.refresh_from_db()
        assert paid.status == "complete"


class TestALookupWhoseReplyWasLost:
    """Because its process died after it had become a job."""

    def test_is_the_same_job_when_it_is_asked_again(
        self, customer: Customer, register: Register, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from lookups.lookup import flow
        from lookups.lookup.asks import Ask
        from lookups.lookup.outcomes import Accepted
        from lookups.lookup.payers import KeyPayer
        from lookups.lookup.questions import Question

        monkeypatch.setattr(NewYork, "slow", False)
        settings.SYNC_BUDGET_SECONDS = 0.3
        with ThreadPoolExecutor(2) as pool:
            monkeypatch.setattr(handover, "_pool", lambda _: pool)
            job = accepted(customer)
            asked = Ask(
                question=Question.from_json(job.lookup.question),
                payer=KeyPayer(customer.key),
                ask_id=job.ask_id,
                resumed=True,
            )
            told = flow.perform(ask=asked, now=timezone.now())
            assert told == Accepted(job)
            register.may_go.set()  # type: ignore[union-attr]
        _wait_until(lambda: Job.objects.get().status == "complete")
        assert (customer.balance.held, customer.balance.spent, register.asked) == (0, PRICE, 1)


def _wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
