"""Everything mixed by chance: three customers go on asking while one failure follows the other."""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from tests.failures import totals
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("failures")]
CUSTOMERS = 3


class Day:
    """One day's failures."""

    def __init__(self, storm: Service, chance: random.Random) -> None:
        self.storm, self.chance = storm, chance
        self.failures: list[Callable[[], None]] = [
            self.web_dies,
            self.web_children_die,
            self.worker_dies,
            self.bulk_worker_dies,
            self.redis_stops,
            self.redis_freezes,
            self.redis_is_flushed,
            self.postgres_restarts,
            self.postgres_crashes,
            self.clock_jumps,
            self.several_sweeps,
        ]

    def go_wrong(self) -> None:
        """Each failure once, in the order that chance gives them."""
        for fail in self.chance.sample(self.failures, len(self.failures)):
            fail()
            time.sleep(self.chance.uniform(0.3, 1.5))

    def web_dies(self) -> None:
        """kill -9, parent and children."""
        self.storm.web.kill()
        self.storm.start("web")

    def web_children_die(self) -> None:
        """kill -9, children alone."""
        self.storm.web.kill_child()

    def worker_dies(self) -> None:
        """kill -9."""
        self.storm.worker.kill()
        self.storm.start("worker")

    def bulk_worker_dies(self) -> None:
        """kill -9."""
        self.storm.bulk.kill()
        self.storm.start("bulk")

    def redis_stops(self) -> None:
        """And has forgotten everything when it comes back."""
        with self.storm.without(self.storm.addresses.redis, signal.SIGKILL):
            time.sleep(self.chance.uniform(0.2, 2))

    def redis_freezes(self) -> None:
        """It takes connections and says nothing."""
        with self.storm.frozen(self.storm.addresses.redis):
            time.sleep(self.chance.uniform(0.5, 3))

    def redis_is_flushed(self) -> None:
        """By somebody who should not have."""
        self.storm.queue().flushall()

    def postgres_restarts(self) -> None:
        """As an administrator does it."""
        with self.storm.without(self.storm.addresses.postgres, signal.SIGINT):
            time.sleep(self.chance.uniform(0, 1))

    def postgres_crashes(self) -> None:
        """As a crash does it."""
        with self.storm.without(self.storm.addresses.postgres, signal.SIGQUIT):
            time.sleep(self.chance.uniform(0, 1))

    def clock_jumps(self) -> None:
        """Past all leases, also those of workers that live."""
        self.storm.lose_workers_places()

    def several_sweeps(self) -> None:
        """At once."""
        for _ in range(4):
            self.storm.send("lookups.tasks.sweep_jobs")
            self.storm.send("billing.tasks.expire_holds")


def live(customer: Customer, chance: random.Random, is_over: Event) -> None:
    """Go on asking, now and then in bulk, whatever comes back."""
    while not is_over.is_set():
        if chance.random() < 0.2:
            customer.ask_bulk(customer.questions(chance.randint(4, 12)), seconds=60)
        else:
            customer.ask(customer.questions(chance.randint(2, 5)), timeout=10)
        time.sleep(chance.uniform(0.2, 1.0))


class TestAWholeDay:
    """STORM_SEED repeats the order of the failures; the customers' timing stays chance."""

    def test_loses_nothing_and_charges_nothing_twice(
        self, storm: Service, settled: Audit, record_property: Callable[[str, Any], None]
    ) -> None:
        seed = int(os.environ.get("STORM_SEED") or secrets.randbelow(1_000_000))
        record_property(totals.SEED, seed)
        print(f"STORM_SEED={seed}")  # noqa: T201
        storm.registries.seconds = 0.3
        customers = [storm.new_customer() for _ in range(CUSTOMERS)]
        is_over = Event()
        with ThreadPoolExecutor(CUSTOMERS) as pool:
            lives = [pool.submit(live, one, random.Random(seed + one.account), is_over) for one in customers]
            try:
                Day(storm, random.Random(seed)).go_wrong()
            finally:
                is_over.set()
            for life in lives:
                life.result(90)
        wait_until(storm.answers, what="the service answers")
        assert storm.dead() == []  # but for those that were killed, and started again
        storm.lose_workers_places()
        for customer in customers:
            customer.insist(customer.calls, seconds=60)
        storm.lose_workers_places()
        settled(*customers, most_asked=12, seconds=90)
