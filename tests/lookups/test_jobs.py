"""A slow registry: the customer gets a job at once, and the answer when there is one."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone

from billing import ledger
from lookups import tasks
from lookups.jobs import lifecycle, runner
from lookups.models import Job, Lookup
from scrapers.models import ScrapeAttempt
from scrapers.sandbox.magic import MAGIC
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import PRICE, Customer, answers_when, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db
FIXED_202 = {"success", "async", "jobId", "message", "pollInterval", "estimatedSeconds"}


@pytest.fixture(autouse=True)
def slow_new_york(monkeypatch: pytest.MonkeyPatch, register: Register) -> None:
    """New York, were it known to be slow."""
    monkeypatch.setattr(NewYork, "slow", True)
    monkeypatch.setattr(NewYork, "estimated_seconds", 60)


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that would have gone to a worker; each test plays the worker itself."""
    sent: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, kwargs, **_: sent.append(kwargs["job_id"]))
    return sent


def work(job_id: str | None = None) -> None:
    """What a worker does on a message."""
    for job in Job.objects.filter(pk=uuid.UUID(job_id.removeprefix("job_"))) if job_id else Job.objects.all():
        tasks.run_job(job_id=str(job.pk))


def status(customer: Customer, job_id: str) -> Any:
    """A poll."""
    return customer.get(f"/v1/lookup/status/{job_id}")


class TestASlowState:
    """POST /v1/lookup."""

    def test_is_accepted_at_once_with_the_fixed_names(self, customer: Customer, register: Register) -> None:
        reply = customer.lookup()
        assert reply.status_code == 202
        body = reply.json()
        assert set(body) >= FIXED_202
        assert (body["success"], body["async"], body["pollInterval"], body["estimatedSeconds"]) == (
            True,
            True,
            3000,
            60,
        )
        assert reply["Location"] == body["statusUrl"] == f"/v1/lookup/status/{body['jobId']}"
        assert reply["Retry-After"] == "3"
        assert register.asked == 0  # so nobody was waited for
        assert (customer.balance.held, customer.balance.spent) == (PRICE, 0)

    def test_still_answers_from_what_is_stored(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = customer.lookup().json()["jobId"]
        work(job)
        assert customer.lookup(source="cache").status_code == 200

    def test_needs_money_first(self, customer: Customer) -> None:
        from tests.lookups.test_lookup import _spend_all

        _spend_all(customer)
        assert customer.lookup().status_code == 402
        assert Job.objects.count() == 0

    def test_takes_ten_questions_of_a_key_at_a_time(self, customer: Customer, settings: Any) -> None:
        settings.CONCURRENT_LOOKUPS = 2
        codes = [customer.lookup(f"Company {number}").status_code for number in range(3)]
        assert codes == [202, 202, 429]
        work()
        assert customer.lookup("Company 3").status_code == 202

    def test_answers_a_repeated_request_with_the_same_job(self, customer: Customer) -> None:
        first = customer.lookup(headers={"idempotency_key": "k"})
        second = customer.lookup(headers={"idempotency_key": "k"})
        assert (second.status_code, second.json()["jobId"]) == (202, first.json()["jobId"])
        assert second["Location"] == first["Location"]
        assert customer.balance.held == PRICE


class TestAStateThatProvesSlow:
    """Though nobody declared it so."""

    @pytest.fixture(autouse=True)
    def _undeclared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(NewYork, "slow", False)

    def answered_in(self, *times: float) -> None:
        for seconds in times:
            ScrapeAttempt.objects.create(
                state="NY",
                kind="business_entity",
                question="x",
                outcome="found",
                duration_ms=round(seconds * 1000),
                version="1.0",
                started_at=timezone.now() - timedelta(hours=1),
            )

    def test_is_answered_later_from_then_on(self, customer: Customer, register: Register) -> None:
        self.answered_in(*[45] * 5)
        reply = customer.lookup()
        assert (reply.status_code, reply.json()["estimatedSeconds"], register.asked) == (202, 45, 0)
        (told,) = [row for row in customer.get("/v1/states").json() if row["state"] == "NY"]
        assert told["async"] is True

    def test_is_answered_at_once_while_it_keeps_to_the_time(self, customer: Customer) -> None:
        self.answered_in(*[19] * 5)
        assert customer.lookup().status_code == 200

    def test_is_not_slow_for_one_rush_of_questions_that_waited_for_their_turn(self, customer: Customer) -> None:
        self.answered_in(2, 3, 30, 40, 50, 60, 70)
        assert customer.lookup().status_code == 200


class TestAJob:
    """GET /v1/lookup/status/{jobId}."""

    def test_is_pending_until_a_worker_takes_it(self, customer: Customer) -> None:
        job = customer.lookup().json()["jobId"]
        reply = status(customer, job)
        assert reply.status_code == 200
        body = reply.json()
        assert {name: body[name] for name in ("success", "jobId", "status", "pollInterval")} == {
            "success": True,
            "jobId": job,
            "status": "pending",
            "pollInterval": 3000,
        }
        assert 1 <= body["estimatedSeconds"] <= 60
        lifecycle.claim(Job.objects.get().pk, now=timezone.now())
        assert status(customer, job).json()["status"] == "processing"

    def test_ends_with_the_whole_reply_in_both_places(self, customer: Customer) -> None:
        job = customer.lookup().json()["jobId"]
        work(job)
        body = status(customer, job).json()
        assert (body["success"], body["status"], body["jobId"]) == (True, "complete", job)
        assert body["result"]["data"]["entityName"] == "ACME CORP."
        assert body["data"] == body["result"]["data"]
        assert body["cost"] == body["result"]["cost"] == 0.0314
        assert (customer.balance.held, customer.balance.spent) == (0, PRICE)

    def test_that_finds_nothing_is_complete_and_free(self, customer: Customer) -> None:
        job = customer.lookup("Nobody Knows This").json()["jobId"]
        work(job)
        reply = status(customer, job)
        assert reply.status_code == 200
        body = reply.json()
        assert (body["success"], body["status"], body["error"]) == (False, "complete", "Entity not found")
        assert (body["data"], body["cost"]) == (None, 0)
        assert body["result"]["suggestions"] == []
        assert customer.balance.available == 10 * PRICE

    def test_that_nobody_answers_fails_and_is_free(self, customer: Customer, register: Register) -> None:
        register.status = 403
        job = customer.lookup().json()["jobId"]
        work(job)
        reply = status(customer, job)
        assert reply.status_code == 500
        assert reply["Content-Type"] == "application/json"
        body = reply.json()
        assert (body["success"], body["jobId"], body["status"], body["cost"]) == (False, job, "failed", 0)
        assert (body["error"], body["reason"]) == ("State portal temporarily unavailable", "blocked")
        assert customer.balance.available == 10 * PRICE

    def test_that_the_registry_refuses_reads_as_it_would_have_at_once(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        job_id = tester.lookup(MAGIC["later_too_many"], "DE").json()["jobId"]
        work(job_id)
        reply, at_once = status(tester, job_id), tester.lookup(MAGIC["too_many"], "DE")
        assert reply.status_code == at_once.status_code == 400
        for name in ("error", "code", "retryable", "verdict", "reason", "details"):
            assert reply.json()[name] == at_once.json()[name]

    def test_of_a_state_that_was_switched_off_meanwhile_fails_and_is_free(
        self, customer: Customer, register: Register
    ) -> None:
        from jurisdictions import services

        job = customer.lookup().json()["jobId"]
        services.disable(code="NY", reason="x")
        work(job)
        assert status(customer, job).json()["reason"] == "disabled"
        assert register.asked == 0
        assert customer.balance.held == 0

    @pytest.mark.parametrize("job_id", ["x", "job_", "job_" + "0" * 32, "job_" + "Z" * 32, "bulk_" + "0" * 32, "%00"])
    def test_that_there_is_not_is_a_404(self, customer: Customer, job_id: str) -> None:
        assert_error(status(customer, job_id), 404, "job_not_found", "Job not found")

    def test_of_another_account_is_a_404(self, customer: Customer) -> None:
        job = customer.lookup().json()["jobId"]
        assert_error(status(open_customer(name="Other"), job), 404, "job_not_found", "Job not found")

    def test_is_kept_for_seven_days(self, customer: Customer) -> None:
        job = customer.lookup().json()["jobId"]
        work(job)
        Job.objects.update(ended_at=timezone.now() - timedelta(days=6, hours=23))
        assert status(customer, job).status_code == 200
        assert lifecycle.prune(now=timezone.now()) == 0
        Job.objects.update(ended_at=timezone.now() - timedelta(days=7))
        assert status(customer, job).status_code == 404
        assert lifecycle.prune(now=timezone.now()) == 1


class TestALostWorker:
    """The row is the truth; a message only wakes somebody."""

    def test_half_way_leaves_a_job_that_another_one_ends(self, customer: Customer, register: Register) -> None:
        job = customer.lookup().json()["jobId"]
        now = timezone.now()
        dead = lifecycle.claim(Job.objects.get().pk, now=now)
        assert dead is not None
        work(job)
        assert Job.objects.get().status == "processing"  # the lease still runs
        assert runner.run(job_id=dead.pk, now=now + lifecycle.LEASE)
        assert status(customer, job).json()["status"] == "complete"
        assert customer.balance.spent == PRICE
        assert not lifecycle.end(dead, Lookup.objects.get(), now=now)

    def test_between_charging_and_ending_is_charged_once(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = customer.lookup().json()["jobId"]
        with monkeypatch.context() as patch:
            patch.setattr(lifecycle, "end", lambda *a, **k: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                work(job)
        assert customer.balance.spent == PRICE
        later = timezone.now() + lifecycle.LEASE
        assert runner.run(job_id=Job.objects.get().pk, now=later)
        assert status(customer, job).json()["data"]["entityName"] == "ACME CORP."
        assert customer.balance.spent == PRICE
        assert register.asked == 1
        assert Lookup.objects.count() == 1

    def test_is_noticed_by_the_sweep(self, customer: Customer, woken: list[str]) -> None:
        customer.lookup()
        woken.clear()
        now = timezone.now()
        assert runner.sweep(now=now).woken == 0
        assert runner.sweep(now=now + lifecycle.UNHEARD_AFTER).woken == 1
        assert woken == [str(Job.objects.get().pk)]

    def test_for_good_fails_the_job_and_gives_the_money_back(self, customer: Customer) -> None:
        job = customer.lookup().json()["jobId"]
        late = timezone.now() + lifecycle.MAX_WAIT
        assert runner.sweep(now=late).failed == 1
        assert runner.sweep(now=late).failed == 0
        assert status(customer, job).json()["reason"] == "timeout"
        assert customer.balance.available == 10 * PRICE
        work(job)
        assert customer.balance.available == 10 * PRICE

    def test_after_three_tries_is_given_up(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        job = customer.lookup().json()["jobId"]
        monkeypatch.setattr("lookups.lookup.storage.store", lambda **_: 1 / 0)
        now = timezone.now()
        for number in range(3):
            with pytest.raises(ZeroDivisionError):
                runner.run(job_id=Job.objects.get().pk, now=now + number * lifecycle.LEASE)
        assert status(customer, job).json()["status"] == "failed"
        assert customer.balance.available == 10 * PRICE

    def test_never_costs_the_job_its_hold(self, customer: Customer) -> None:
        customer.lookup()
        assert ledger.expire_holds(now=timezone.now() + lifecycle.MAX_WAIT + lifecycle.LEASE) == 0
        assert lifecycle.MAX_WAIT + lifecycle.HELD_BEYOND > lifecycle.MAX_WAIT + lifecycle.LEASE

    def test_is_no_worry_when_the_queue_is_down(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        def down(*_: Any, **__: Any) -> None:
            raise ConnectionError("no broker")

        customer.lookup()
        monkeypatch.setattr(current_app, "send_task", down)
        lifecycle.wake(Job.objects.get().pk)
        assert Job.objects.get().status == "pending"


@pytest.mark.django_db(transaction=True)
class TestManyWorkers:
    """The same message twice, two sweeps, a late worker."""

    def test_on_one_job_answer_it_once(
        self, switches: None, register: Register, woken: list[str], at_once: Callable[..., list[Any]]
    ) -> None:
        customer = open_customer()
        job = customer.lookup().json()["jobId"]
        assert woken == [str(Job.objects.get().pk)]
        at_once(*[lambda: work(job)] * 6)
        assert register.asked == 1
        assert customer.balance.spent == PRICE
        assert status(customer, job).json()["status"] == "complete"

    def test_on_the_same_question_ask_once_and_bill_each(
        self, switches: None, register: Register, come: list[Any], at_once: Callable[..., list[Any]]
    ) -> None:
        customers = [open_customer(name=f"Customer {number}") for number in range(3)]
        names = [customer.lookup().json()["jobId"] for customer in customers]
        all_here = answers_when(register, lambda: len(come) == 3)
        at_once(*[lambda name=name: work(name) for name in names], all_here)
        assert register.asked == 1
        assert [customer.balance.spent for customer in customers] == [PRICE] * 3
