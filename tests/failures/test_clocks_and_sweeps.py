"""Several sweeps at the same moment; a clock that jumps forward past leases and deadlines, or is set back.

No clock of this machine is touched: the times in the rows and in Redis are moved, which is what a process reads when
its clock is ahead of, or behind, the one that wrote them.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import Service
from tests.journeys.checkout import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]
SWEEPERS = 4
SIXTEEN_MINUTES, TWO_HOURS = 16 * 60, 2 * 60 * 60


class TestSeveralSweeps:
    """Four processes sweep at the same moment, the clock's own besides."""

    def test_wake_and_fail_each_lost_job_once(self, storm: Service, customer: Customer, settled: Audit) -> None:
        """A third of the jobs is past its deadline before anybody may take them up; the service's own clock pauses."""
        with ExitStack() as started, storm.processes["beat"].paused():
            sweepers = [
                started.enter_context(
                    subprocess.Popen(
                        [sys.executable, "-m", "tests.failures.sweeper"],
                        cwd=ROOT,
                        env=storm.environment,
                        text=True,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                    )
                )
                for _ in range(SWEEPERS)
            ]
            storm.orphan(customer, 24)
            late = "SELECT id FROM lookups_job WHERE account_id = %(id)s ORDER BY id LIMIT 8"
            moved = storm.books.write(
                f"UPDATE lookups_job SET deadline = now() - interval '1 minute' WHERE id IN ({late})",
                id=customer.account,
            )
            assert moved == 8
            storm.registries.open()
            storm.lose_workers_places()
            assert [sweeper.stdout.readline() for sweeper in sweepers] == ["ready\n"] * SWEEPERS
            for sweeper in sweepers:
                sweeper.stdin.write("\n")
                sweeper.stdin.flush()
            said = [sweeper.communicate(timeout=300) for sweeper in sweepers]
        assert [sweeper.returncode for sweeper in sweepers] == [0] * SWEEPERS, said
        settled(customer, most_asked=2)
        failed = storm.books.count(
            "SELECT count(*) FROM lookups_job WHERE account_id = %(id)s AND status = 'failed'", id=customer.account
        )
        assert failed == 8


class TestAClockThatJumpsForward:
    """The workers live; their leases, or their jobs' deadlines, are over all the same."""

    def test_past_leases_lets_two_work_on_a_job_and_one_settle_it(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.registries.shut()
        calls = customer.ask(customer.questions(20), at_once=20)
        assert {call.status for call in calls} == {202}  # the web server's threads go on with them
        customer.ask_bulk(customer.questions(12))
        storm.wait_for_fetches(16)  # as many as may ask
        storm.lose_workers_places()
        storm.send("lookups.tasks.sweep_jobs")
        wait_until(lambda: storm.taken_up_again(customer) >= 8, what="the worker has eight that the web server has too")
        storm.registries.open()
        storm.finish(customer)
        storm.let_late_ones_come_home()
        settled(customer, most_asked=3)

    def test_past_deadlines_charges_for_no_job_that_it_failed(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.registries.shut()
        calls = customer.ask(customer.questions(20), at_once=20)
        assert {call.status for call in calls} == {202}
        storm.wait_for_fetches(16)  # as many as may ask
        storm.move_clock(SIXTEEN_MINUTES)
        storm.finish(customer)
        storm.registries.open()
        storm.let_late_ones_come_home()
        assert settled(customer).found == 0

    def test_past_holds_leaves_nothing_half_paid(self, storm: Service, customer: Customer, settled: Audit) -> None:
        """Money that was set aside has gone back to the customer by the time the answer is there."""
        storm.registries.shut()
        calls = customer.ask(customer.questions(16), at_once=16)
        assert {call.status for call in calls} == {202}
        storm.books.write(
            "UPDATE billing_hold SET expires_at = now() WHERE account_id = %(id)s AND state = 'open'",
            id=customer.account,
        )
        storm.send("billing.tasks.expire_holds")
        wait_until(lambda: storm.hold_of(customer) == 0, what="the holds have expired")
        storm.registries.open()
        settled(customer)


class TestAClockThatIsSetBack:
    """By two hours, with jobs under way, some of a worker that is dead."""

    def test_delays_dead_workers_jobs_and_nothing_else(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        other = storm.new_customer()
        storm.orphan(customer, 12)
        storm.registries.open()
        storm.wait_for("web")
        storm.move_clock(-TWO_HOURS)
        storm.send("lookups.tasks.sweep_jobs")
        asked = other.ask(other.questions(8, missing=0))
        other.insist(asked)
        storm.finish(other)
        assert storm.open_jobs(customer) == 12  # whoever has them may still be at work, for all anybody knows
        storm.move_clock(TWO_HOURS)
        storm.lose_workers_places()
        assert settled(customer, other, most_asked=2).found == 10 + 8
