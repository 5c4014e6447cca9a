"""Redis stopped, frozen, full, or a replica of another one: nobody knows how fast a registry may be asked."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.failures import bounds
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import SYNC_BUDGET_SECONDS, Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
REDIS_SECONDS = 2.0  # of the broker; the counters wait a quarter of a second
WITHIN = SYNC_BUDGET_SECONDS + 2 * REDIS_SECONDS


@contextmanager
def full(storm: Service) -> Iterator[None]:
    """It has used up its memory, and may drop nothing."""
    storm.queue().config_set("maxmemory-policy", "noeviction")
    storm.queue().config_set("maxmemory", 1)
    storm.stops += 1
    try:
        yield
    finally:
        storm.queue().config_set("maxmemory", 0)


@contextmanager
def replica(storm: Service) -> Iterator[None]:
    """It takes its data from another Redis, as after a failover, and refuses to write anything of ours."""
    storm.queue().replicaof("127.0.0.1", "1")
    storm.stops += 1
    try:
        yield
    finally:
        storm.queue().replicaof("NO", "ONE")


FAULTS: dict[str, Callable[[Service], AbstractContextManager[None]]] = {
    "stopped": lambda storm: storm.without(storm.addresses.redis, signal.SIGKILL),
    "frozen": lambda storm: storm.frozen(storm.addresses.redis),
    "full": full,
    "a replica": replica,
}


class TestRedis:
    """The broker, the pace, the limits."""

    @pytest.mark.parametrize("fault", FAULTS)
    def test_that_takes_nothing_puts_off_who_asks_and_is_named_and_ends_no_process(
        self, fault: str, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        calls = customer.questions(6)
        with FAULTS[fault](storm):
            # 202: told nothing within the time that a customer waits, he has a job, which is put off.
            bounds.assert_put_off(customer.ask(calls), within=WITHIN, statuses=(503, 202))
            assert storm.asked(calls) == []
            signs = bounds.read_signs(storm.url)
            assert (signs.ready, signs.missing) == (503, ["broker"])
            assert (signs.health_status, signs.health["status"]) == (200, "degraded")
            assert signs.health["checks"] | {"redis": "error", "postgres": "ok"} == signs.health["checks"]
            if fault == "a replica":  # who waits for work is told at once; a full one has none for him
                wait_until(lambda: "ResponseError" in storm.worker.said(), what="the worker was refused")
            assert storm.dead() == []
        customer.insist(calls)
        wait_until(lambda: bounds.read_signs(storm.url).ready == 200, what="the service is ready again")
        storm.move_clock(30)
        settled(customer, most_asked=2)
        assert storm.dead() == []
