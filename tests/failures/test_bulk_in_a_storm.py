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
        customer.ask_bulk(customer.questions(ROWS))
        assert storm.hold_of(customer) == ROWS * PRICE
        for ended in (30, 60):
            wait_until(lambda ended=ended: storm.open_jobs(customer) <= ROWS - ended, what=f"{ended} rows have ended")
            storm.bulk.kill()
            storm.start("bulk")
            storm.lose_workers_places()
            storm.send("lookups.tasks.sweep_jobs")
        assert settled(customer, most_asked=3).found == FOUND
        assert storm.spent_by(customer) == FOUND * PRICE


class TestARegistryThatHangsForEver:
    """It takes the question and never says a word."""

    def test_ends_its_jobs_unbilled_and_holds_up_nobody_else(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """The transport waits 15 s for a byte; a job is tried again until its deadline, which is moved near."""
        other = storm.new_customer()
        hanging = customer.ask(customer.questions(4, states=[HANGS]))
        assert {call.status for call in hanging} == {202}
        other.ask_bulk(other.questions(16))
        storm.finish(other, seconds=14)  # while the other registry still keeps its askers waiting
        assert storm.open_jobs(customer) == 4
        wait_until(lambda: storm.pending_jobs(customer) == 4, what="the first try was given up", seconds=40)
        storm.move_clock(13 * 60 + 20)  # a hundred seconds are left: time for one more try and no third
        clock.end_pauses(storm.books)
        storm.send("lookups.tasks.sweep_jobs")
        assert settled(customer, other, most_asked=2).found == 13

        storm.registries.hanging = False
        storm.move_clock(SIXTEEN_MINUTES)  # the registry was left alone for a while
        answered = other.ask(other.questions(4, states=[HANGS], missing=1))
        other.insist(answered)  # every place at the registry is free again
