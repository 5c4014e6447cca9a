"""kill -9 a worker: in the middle of a fetch, between storing and charging, and while it ends the job.

The workers run threads, so one process is the whole worker; there is no child to kill apart from it. What happens
between two statements is stopped by a lock on the row that the second one needs.
"""

from __future__ import annotations

import pytest

from tests.failures.books import CHARGES, ENDS_A_JOB
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]
SIXTEEN_MINUTES = 16 * 60  # beyond the deadline of a job


class TestAKilledWorker:
    """The worker for single jobs, which are its own: the web server was killed before, or their states are slow."""

    def test_loses_no_job_that_it_was_fetching(self, storm: Service, customer: Customer, settled: Audit) -> None:
        storm.orphan(customer, 20)
        storm.sweep_into(waiting=8)
        storm.worker.kill()
        storm.registries.open()
        storm.start("worker")
        storm.lose_workers_places()
        assert settled(customer, most_asked=3).found == 16

    def test_loses_no_job_of_a_slow_state_that_it_was_fetching(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.leave_to_worker(customer, 20)
        storm.worker.kill()
        storm.registries.open()
        storm.start("worker")
        storm.lose_workers_places()
        assert settled(customer, most_asked=3).found == 16

    def test_loses_and_charges_nothing_between_storing_and_charging(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.leave_to_worker(customer, 12, missing=0)
        with storm.books.locked("billing_account", [customer.account]):
            storm.registries.open()
            storm.kill_at_lock(storm.worker, statement=CHARGES)
        assert storm.spent_by(customer) == 0
        storm.start("worker")
        storm.lose_workers_places()
        assert settled(customer, most_asked=3).found == 12

    def test_charges_once_when_it_dies_while_it_ends_a_job(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        self.kill_while_it_ends_a_job(storm, customer)
        storm.start("worker")
        storm.lose_workers_places()
        assert settled(customer, most_asked=3).found == 12

    def test_fails_no_job_that_is_paid_for(self, storm: Service, customer: Customer, settled: Audit) -> None:
        """Nobody takes the job up again before its deadline; what was charged for is delivered all the same."""
        self.kill_while_it_ends_a_job(storm, customer)
        storm.move_clock(SIXTEEN_MINUTES)
        storm.start("worker")
        settled(customer, most_asked=3)

    def kill_while_it_ends_a_job(self, storm: Service, customer: Customer) -> None:
        """Whether what it charged is committed by then or goes with the rest, the books must come out even."""
        storm.leave_to_worker(customer, 12, missing=0)
        with storm.books.no_job_ends():
            storm.registries.open()
            storm.kill_at_lock(storm.worker, statement=ENDS_A_JOB)


class TestAKilledBulkWorker:
    """The worker for bulk jobs."""

    def test_loses_no_row_that_it_was_fetching(self, storm: Service, customer: Customer, settled: Audit) -> None:
        storm.registries.shut()
        customer.ask_bulk(customer.questions(24))
        storm.wait_for_fetches(12)
        storm.bulk.kill()
        storm.registries.open()
        storm.start("bulk")
        storm.lose_workers_places()
        assert settled(customer, most_asked=2).found == 20

    @pytest.mark.parametrize("moment", ["before charging", "while ending"])
    def test_loses_and_charges_nothing_twice_while_it_settles(
        self, moment: str, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.registries.shut()
        customer.ask_bulk(customer.questions(16, missing=0))
        storm.wait_for_fetches(12)
        before = moment == "before charging"
        books = storm.books
        with books.locked("billing_account", [customer.account]) if before else books.no_job_ends():
            storm.registries.open()
            storm.kill_at_lock(storm.bulk, statement=CHARGES if before else ENDS_A_JOB)
        assert storm.spent_by(customer) == 0 or not before
        storm.start("bulk")
        storm.lose_workers_places()
        assert settled(customer, most_asked=2).found == 16
