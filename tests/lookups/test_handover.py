"""A fetch that outlives the synchronous budget: the caller gets a job, the portal is asked once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from billing import reconciliation
from lookups.jobs import lifecycle, runner
from lookups.lookup import estimates, handover, settlement
from lookups.models import Heartbeat, Job, Lookup
from tests.lookups.conftest import PRICE, Customer, answers_when, open_customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def hurry(
    settings: Any, register: Register, monkeypatch: pytest.MonkeyPatch, no_workers: None
) -> Iterator[threading.Event]:
    """Callers wait 0.4 seconds; the register answers when it may. At the end every thread has come home."""
    settings.SYNC_BUDGET_SECONDS = 0.4
    pool = ThreadPoolExecutor(8)
    monkeypatch.setattr(handover, "_pool", lambda _: pool)
    register.may_go = threading.Event()
    yield register.may_go
    register.may_go.set()
    pool.shutdown(wait=True)


@pytest.fixture
def customer(switches: None) -> Customer:
    return open_customer()


def status(customer: Customer, job_id: str) -> Any:
    return customer.get(f"/v1/lookup/status/{job_id}")


def ended(customer: Customer, job_id: str, *words: str) -> dict[str, Any]:
    """Poll as a client does until the job says one of `words`."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        body: dict[str, Any] = status(customer, job_id).json()
        if body["status"] in (words or ("complete", "failed")):
            return body
        time.sleep(0.02)
    raise AssertionError(body)


class TestALookupThatTakesLonger:
    """Than its caller waits."""

    def test_becomes_a_job_without_a_second_fetch(
        self, customer: Customer, register: Register, hurry: threading.Event
    ) -> None:
        started = time.monotonic()
        reply = customer.lookup()
        assert time.monotonic() - started >= 0.4
        assert reply.status_code == 202
        body = reply.json()
        assert reply["Location"] == f"/v1/lookup/status/{body['jobId']}"
        assert (body["async"], body["pollInterval"]) == (True, 3000)
        assert body["estimatedSeconds"] >= 1
        assert status(customer, body["jobId"]).json()["status"] == "processing"
        assert (customer.balance.held, customer.balance.spent) == (PRICE, 0)
        hurry.set()
        told = ended(customer, body["jobId"])
        assert told["data"]["entityName"] == "ACME CORP."
        assert told["data"] == told["result"]["data"]
        assert register.asked == 1
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_is_none_when_it_comes_in_time(self, customer: Customer, settings: Any, hurry: threading.Event) -> None:
        settings.SYNC_BUDGET_SECONDS = 20
        hurry.set()
        assert customer.lookup().status_code == 200
        assert Job.objects.count() == 0

    def test_that_finds_nothing_is_free(self, customer: Customer, hurry: threading.Event) -> None:
        job = customer.lookup("Nobody Knows This").json()["jobId"]
        hurry.set()
        told = ended(customer, job)
        assert (told["success"], told["status"], told["data"], told["cost"]) == (False, "complete", None, 0)
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)

    def test_that_meets_a_wall_fails_and_is_free(
        self, customer: Customer, register: Register, hurry: threading.Event
    ) -> None:
        register.status = 403
        job = customer.lookup().json()["jobId"]
        hurry.set()
        assert ended(customer, job)["reason"] == "blocked"
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)

    def test_of_a_registry_that_stumbles_is_tried_again(
        self, customer: Customer, register: Register, hurry: threading.Event
    ) -> None:
        register.status = 500
        job = customer.lookup().json()["jobId"]
        hurry.set()
        ended(customer, job, "pending")
        assert customer.balance.held == PRICE
        register.status = 200
        row = Job.objects.get()
        assert row.not_before is not None
        assert runner.run(job_id=row.pk, now=row.not_before)
        assert ended(customer, job)["data"]["entityName"] == "ACME CORP."
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_and_fails_while_the_caller_turns_away_is_no_job_that_gave_up_at_once(
        self, customer: Customer, register: Register, hurry: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The failure is decided for a caller who waits, and being written when his time is over."""
        deciding, turned_away = threading.Event(), threading.Event()
        settle, hand_over, result = settlement._settle, handover._hand_over, Future.result

        def settle_late(*arguments: Any, **words: Any) -> Lookup:
            deciding.set()
            assert turned_away.wait(60)
            return settle(*arguments, **words)

        def turn_away(*arguments: Any) -> Any:
            try:
                return hand_over(*arguments)
            finally:
                turned_away.set()

        def be_patient_till_then(future: Future[Any], timeout: float | None = None) -> Any:
            if timeout is None:
                return result(future)
            assert deciding.wait(60)
            raise TimeoutError

        monkeypatch.setattr(Future, "result", be_patient_till_then)
        monkeypatch.setattr(settlement, "_settle", settle_late)
        monkeypatch.setattr(handover, "_hand_over", turn_away)
        register.status = 500
        hurry.set()
        reply = customer.lookup()
        assert (reply.status_code, reply.json()["reason"], Job.objects.count()) == (503, "down", 0)
        assert (customer.balance.available, customer.balance.held) == (10 * PRICE, 0)

    def test_and_fails_while_its_job_is_written_is_tried_again(
        self, customer: Customer, register: Register, hurry: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who decides on the failure waits for the job, and holds nothing that its writing needs (all of SQLite)."""
        deciding = threading.Event()
        still, try_again = estimates.still, handover._RunningLookup._try_again

        def estimate_till_then(*arguments: Any, **words: Any) -> int:
            hurry.set()
            assert deciding.wait(60)
            return still(*arguments, **words)

        def decide(running: Any, failure: Any) -> bool:
            deciding.set()
            return try_again(running, failure)

        monkeypatch.setattr(estimates, "still", estimate_till_then)
        monkeypatch.setattr(handover._RunningLookup, "_try_again", decide)
        register.status = 500
        reply = customer.lookup()
        assert reply.status_code == 202
        assert ended(customer, reply.json()["jobId"], "pending")["nextTryAt"]

    def test_is_the_same_job_for_a_repeated_request(
        self, customer: Customer, register: Register, hurry: threading.Event
    ) -> None:
        first = customer.lookup(headers={"idempotency_key": "k"}).json()["jobId"]
        assert customer.lookup(headers={"idempotency_key": "k"}).json()["jobId"] == first
        assert customer.balance.held == PRICE
        hurry.set()
        ended(customer, first)
        assert (customer.balance.spent, register.asked) == (PRICE, 1)

    def test_is_asked_once_for_two_customers_who_both_pay(
        self, customer: Customer, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        other = open_customer(name="Other")
        replies_ = at_once(customer.lookup, other.lookup)
        assert [reply.status_code for reply in replies_] == [202, 202]
        answers_when(register, lambda: len(come) == 2)()
        for who, reply in zip((customer, other), replies_, strict=True):
            assert ended(who, reply.json()["jobId"])["data"]["entityName"] == "ACME CORP."
            assert who.balance.spent == PRICE
        assert register.asked == 1

    def test_that_found_no_thread_is_left_to_a_worker(
        self, customer: Customer, register: Register, hurry: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ThreadPoolExecutor(1) as small:
            monkeypatch.setattr(handover, "_pool", lambda _: small)
            first = customer.lookup().json()["jobId"]
            second = customer.lookup("Zebra Inc").json()["jobId"]
            assert status(customer, second).json()["status"] == "pending"
            hurry.set()
            ended(customer, first)
            row = Job.objects.get(status="pending")
            assert runner.run(job_id=row.pk, now=timezone.now())
        assert ended(customer, second)["data"]["entityName"] == "ZEBRA INC."
        assert customer.balance.spent == 2 * PRICE

    def test_that_found_no_thread_waits_for_one_when_no_worker_lives(
        self, customer: Customer, register: Register, hurry: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Heartbeat.objects.filter(role="worker").delete()
        with ThreadPoolExecutor(1) as small:
            monkeypatch.setattr(handover, "_pool", lambda _: small)
            first = customer.lookup().json()["jobId"]
            second = customer.lookup("Zebra Inc").json()["jobId"]
            assert status(customer, second).json()["status"] == "processing"
            hurry.set()
            ended(customer, first)
            assert ended(customer, second)["data"]["entityName"] == "ZEBRA INC."
        assert customer.balance.spent == 2 * PRICE


class TestAThreadThatIsLost:
    """With its process, or by a slip of ours."""

    def test_leaves_a_job_that_a_worker_ends(
        self, customer: Customer, hurry: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(settlement.storage, "store", lambda **_: 1 / 0)
            job = customer.lookup().json()["jobId"]
            hurry.set()
            deadline = time.monotonic() + 60
            while Job.objects.get().lease_until > timezone.now() and time.monotonic() < deadline:
                time.sleep(0.02)
        assert customer.balance.held == PRICE
        now = timezone.now()
        assert lifecycle.list_unheard(now=now) == [Job.objects.get().pk]
        assert runner.run(job_id=Job.objects.get().pk, now=now)
        assert ended(customer, job)["status"] == "complete"
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_and_comes_back_after_all_charges_nothing_twice(
        self, customer: Customer, register: Register, hurry: threading.Event, at_once: Callable[..., list[Any]]
    ) -> None:
        job = customer.lookup().json()["jobId"]
        late = timezone.now() + lifecycle.LEASE + timedelta(seconds=30)
        row = Job.objects.get()

        def worker() -> None:
            with suppress(IntegrityError):  # the thread was faster under the same ask: the next sweep finds that
                runner.run(job_id=row.pk, now=late)

        at_once(worker, answers_when(register, lambda: register.asked == 2))
        row.refresh_from_db()
        if row.status == "processing":
            runner.run(job_id=row.pk, now=late + lifecycle.LEASE)
        assert ended(customer, job)["data"]["entityName"] == "ACME CORP."
        deadline = time.monotonic() + 60
        while customer.balance.held and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)
        assert Lookup.objects.count() == 1
        assert reconciliation.run(now=timezone.now()).mismatches == []
