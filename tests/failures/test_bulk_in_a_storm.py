"""A bulk job of a hundred rows whose worker is killed again and again, beside a registry that never answers."""

from __future__ import annotations

import pytest

from tests.failures import clock
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.registries import HANGS
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]
ROWS, FOUND = 100, 80
PRICE = 314
SIXTEEN_MINUTES = 16 * 60


class TestAHundredRows:
    """The whole price is set aside at once; each row settles its share."""

    def test_end_once_with_their_worker_killed_in_the_middle(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """Twice the registries give thirty answers and then none; the next rows are under way when it is killed."""
        storm.registries.shut()
        customer.ask_bulk(customer.questions(ROWS))
        assert storm.hold_of(customer) == ROWS * PRICE
        for ended in (30, 60):
            storm.registries.answer(30)
            wait_until(lambda ended=ended: storm.open_jobs(customer) == ROWS - ended, what=f"{ended} rows have ended")
            storm.wait_for_fetches(12)
            storm.bulk.kill()
            wait_until(lambda: storm.registries.waiting() == 0, what="nobody asks any more")
            storm.start("bulk")
            storm.lose_workers_places()
            storm.send("lookups.tasks.sweep_jobs")
        storm.registries.open()
        assert settled(customer, most_asked=3).found == FOUND
        assert storm.spent_by(customer) == FOUND * PRICE


class TestARegistryThatHangsForEver:
    """It takes the question and never says a word."""

    def test_ends_its_jobs_unbilled_and_holds_up_nobody_else(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """The transport waits 15 s for a byte; a job is tried again until its deadline, which is moved near.

        So that nobody else has to be faster than these 15 s, the registry first keeps its askers on the line.
        """
        other = storm.new_customer()
        storm.registries.silent = False
        hanging = customer.ask(customer.questions(4, states=[HANGS]))
        assert {call.status for call in hanging} == {202}
        storm.wait_for_fetches(4)
        other.ask_bulk(other.questions(16))
        storm.finish(other)
        assert storm.registries.waiting(HANGS) == 4  # it keeps the same askers waiting all the while
        assert (storm.open_jobs(customer), storm.taken_up_again(customer)) == (4, 0)
        storm.registries.silent = True
        wait_until(lambda: storm.pending_jobs(customer) == 4, what="the first try was given up", seconds=40)
        storm.leave_until_deadline(customer, seconds=100)  # time for one more try and no third
        clock.end_pauses(storm.books)
        storm.send("lookups.tasks.sweep_jobs")
        assert settled(customer, other, most_asked=2).found == 13

        storm.registries.release_hanging()
        storm.move_clock(SIXTEEN_MINUTES)  # the registry was left alone for a while
        answered = other.ask(other.questions(4, states=[HANGS], missing=1))
        other.insist(answered)  # every place at the registry is free again
