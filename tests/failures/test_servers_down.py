"""Redis stopped, flushed or frozen; PostgreSQL restarted as an administrator does, and as a crash does."""

from __future__ import annotations

import signal
import time

import pytest

from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import STATES, Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]
# Seconds that a reply may take longer than the same one did with Redis, on however busy a machine; one that waits for a
# dead broker takes longer than that.
AT_ONCE = 5.0


class TestRedis:
    """The broker, the pace at which registries are asked, and the customers' limits. It keeps nothing on disk."""

    def test_stopped_and_flushed_in_the_middle_loses_nothing(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """It is gone when the first answers come; who has no turn yet is put off."""
        storm.registries.shut()
        customer.ask_bulk(customer.questions(24))
        single = customer.ask(customer.questions(24))
        assert {call.status for call in single} == {202}
        storm.wait_for_fetches(16)  # as many as may ask
        with storm.without(storm.addresses.redis, signal.SIGKILL):
            refused = customer.ask(customer.questions(8))
            # Both are right: most are told at once that nobody can be asked, and who was not told within the time that
            # a customer waits, because the machine is busy, has a job, which is put off.
            assert {call.status for call in refused} <= {503, 202}
            storm.registries.open()
            wait_until(lambda: storm.registries.waiting() == 0, what="the answers have come")
            assert storm.asked(refused) == []
        customer.insist([*single, *refused])
        storm.move_clock(30)
        findings = settled(customer, most_asked=3)
        assert (findings.found, findings.unanswered) == (20 + 20 + 7, [])
        assert storm.dead() == []

    def test_stopped_has_no_registry_asked_and_every_caller_answered(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """The pace is not known, so nobody is asked; a patient web server gives none of its callers a job instead."""
        storm.be_patient()
        with storm.without(storm.addresses.redis, signal.SIGKILL):
            refused = customer.ask(customer.questions(8))
            assert {call.status for call in refused} == {503}
            assert {(call.body["reason"], call.body["retryable"]) for call in refused} == {("rate_limited", True)}
            assert storm.asked(refused) == []
        customer.insist(refused)
        assert settled(customer).found == 7

    def test_flushed_while_it_runs_loses_nothing(self, storm: Service, customer: Customer, settled: Audit) -> None:
        storm.leave_to_worker(customer, 8)
        customer.ask_bulk(customer.questions(16))
        storm.wait_for_fetches(16)  # as many as may ask
        assert {call.status for call in customer.ask(customer.questions(8))} == {202}  # these wait for their turn
        storm.queue().flushall()
        storm.stops += 1
        storm.registries.open()
        storm.move_clock(30)
        settled(customer, most_asked=3)

    @pytest.mark.parametrize("way", ["stopped", "frozen"])
    def test_down_when_a_job_is_made_delays_no_reply_and_loses_no_job(
        self, way: str, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """The sweep that ends these jobs is the clock's own, which has to find the queue again as well."""
        redis = storm.addresses.redis
        usual = self.time_a_bulk_job(customer)
        storm.finish(customer)
        with storm.without(redis, signal.SIGKILL) if way == "stopped" else storm.frozen(redis):
            assert self.time_a_bulk_job(customer) - usual < AT_ONCE
        storm.move_clock(30)  # so long nobody took a row: the calls were lost
        wait_until(lambda: storm.open_jobs(customer) == 0, what="the bulk job has ended by itself", seconds=50)
        settled(customer, most_asked=2)
        assert storm.dead() == []

    def test_down_when_a_slow_states_job_is_made_delays_no_reply_and_loses_no_job(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.prove_slow(*STATES)
        usual = max(call.seconds for call in customer.ask(customer.questions(12), at_once=4))
        storm.finish(customer)
        with storm.without(storm.addresses.redis, signal.SIGKILL):
            calls = customer.ask(customer.questions(12), at_once=4)
            assert {call.status for call in calls} == {202}
            assert max(call.seconds for call in calls) - usual < AT_ONCE
        storm.move_clock(30)
        assert settled(customer, most_asked=2).found == 10 + 10
        assert storm.dead() == []

    def time_a_bulk_job(self, customer: Customer) -> float:
        """How many seconds it takes until one is accepted."""
        started = time.monotonic()
        customer.ask_bulk(customer.questions(12))
        return time.monotonic() - started


class TestPostgres:
    """The database: what it has said yes to is kept, and everybody comes back to it."""

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT], ids=["fast", "immediate"])
    def test_restarted_in_the_middle_loses_nothing(
        self, number: signal.Signals, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """It is gone when the first answers come."""
        storm.registries.shut()
        customer.ask_bulk(customer.questions(24))
        calls = customer.questions(24)
        before = customer.ask(calls[:16])
        assert {call.status for call in before} == {202}
        storm.wait_for_fetches(16)  # as many as may ask
        with storm.without(storm.addresses.postgres, number):
            during = customer.ask(calls[16:])
            assert {call.status for call in during} == {503}
            assert all(call.body["retryable"] and call.body["cost"] == 0 for call in during)
            storm.registries.open()
            wait_until(lambda: storm.registries.waiting() == 0, what="the answers have come")
        wait_until(storm.answers, what="the service answers again")
        storm.lose_workers_places()
        customer.insist([*before, *during])
        settled(customer, most_asked=4)
