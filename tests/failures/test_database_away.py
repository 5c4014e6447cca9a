"""PostgreSQL frozen before more callers than there are threads, stopped, open for reading alone, or on a full disk."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest

from tests.failures import bounds
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Call, Customer
from tests.failures.disks import small_disk
from tests.failures.service import SYNC_BUDGET_SECONDS, Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
DATABASE_SECONDS, THREADS = 2.0, 4
CANCEL = 1.0  # what is asked to stop a statement nobody waits for any more
# One wait for an answer, one for a new connection; and one more of each where the place or price is given back.
FROZEN = 2 * (DATABASE_SECONDS + CANCEL + bounds.CONNECT)
AT_ONCE = SYNC_BUDGET_SECONDS


@contextmanager
def read_only(storm: Service) -> Iterator[None]:
    """Nobody can write while the block runs, as when an administrator moves the database, or at a standby."""

    def switch(line: str) -> None:
        with psycopg.connect(storm.books.url, autocommit=True, options="-c default_transaction_read_only=off") as own:
            own.execute(f"ALTER SYSTEM {line}")
            own.execute("SELECT pg_reload_conf()")

    def says(value: str) -> bool:
        return storm.books.read("SHOW default_transaction_read_only") == [(value,)]

    switch("SET default_transaction_read_only = on")
    storm.stops += 1
    try:
        wait_until(lambda: says("on"), what="the database is open for reading alone")
        yield
    finally:
        switch("RESET default_transaction_read_only")
        wait_until(lambda: says("off"), what="the database takes what is written again")


@contextmanager
def full(storm: Service) -> Iterator[None]:
    """The disk under the lookups has no room left while the block runs; what else is written finds some.

    What is left is the end of the table's last page: the gaps that earlier stories left in the others are closed.
    """
    folder = Path(mkdtemp(prefix="sos-lookup-full-", dir="/tmp"))
    with small_disk(folder, megabytes=8) as disk:
        place = folder / "postgres"
        place.mkdir()
        identity = storm.addresses.postgres.identity
        if identity:
            shutil.chown(place, identity["user"], identity["group"])
        storm.books.write(f"CREATE TABLESPACE small LOCATION '{place}'")
        storm.books.write("VACUUM FULL lookups_lookup")
        storm.books.write("ALTER TABLE lookups_lookup SET TABLESPACE small")
        try:
            with disk.full():
                storm.stops += 1
                yield
        finally:
            storm.books.write("ALTER TABLE lookups_lookup SET TABLESPACE pg_default")
            storm.books.write("DROP TABLESPACE small")
    folder.rmdir()


class TestFrozen:
    """Its connections stay open and say nothing."""

    def test_puts_off_more_callers_than_there_are_threads_and_the_process_still_says_that_it_lives(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """Else whoever watches it would start it again, and cut off everybody."""
        storm.restart_web(DATABASE_SECONDS=str(DATABASE_SECONDS), WEB_THREADS=str(THREADS))
        processes = min(4, max(2, os.cpu_count() or 1))
        calls = customer.questions(2 * THREADS * processes)
        with storm.frozen(storm.addresses.postgres), ThreadPoolExecutor(1) as pool:
            asking = pool.submit(customer.ask, calls, at_once=len(calls), timeout=120)
            while not asking.done():
                wait_until(lambda: bounds.lives(storm.url), what="the web server says that it lives", seconds=10)
            # Half of them wait until the other half has been told.
            bounds.assert_put_off(asking.result(), within=2 * FROZEN)
            signs = bounds.read_signs(storm.url)
            assert (signs.ready, signs.missing, signs.health_status) == (503, ["database"], 503)
        customer.insist(calls)
        settled(customer)
        assert storm.dead() == []


class TestStopped:
    """Nobody listens."""

    def test_puts_off_every_caller_at_once(self, storm: Service, customer: Customer, settled: Audit) -> None:
        calls = customer.questions(8)
        with storm.without(storm.addresses.postgres, signal.SIGINT):
            bounds.assert_put_off(customer.ask(calls), within=AT_ONCE)
            for path in ("/v1/states", "/v1/account/balance", "/v1/lookups", "/v1/lookup/status/job_0"):
                reply = customer.read(path)
                bounds.assert_come_again(reply)
            signs = bounds.read_signs(storm.url)
            assert (signs.ready, signs.missing, signs.health_status) == (503, ["database"], 503)
        customer.insist(calls)
        assert bounds.read_signs(storm.url).ready == 200
        settled(customer)
        assert storm.dead() == []


class TestOpenForReadingAlone:
    """What was answered can be read, nothing can be sold."""

    def test_puts_off_who_asks_and_settles_what_was_under_way_afterwards(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.registries.shut()
        before = customer.ask(customer.questions(8))
        assert {call.status for call in before} == {202}
        storm.wait_for_fetches(8)
        during = customer.questions(8)
        with read_only(storm):
            storm.registries.open()
            bounds.assert_put_off(customer.ask(during), within=AT_ONCE)
            assert customer.read("/v1/account/balance").status_code == 200
            assert customer.read(f"/v1/lookup/status/{before[0].body['jobId']}").status_code == 200
            signs = bounds.read_signs(storm.url)
            assert (signs.ready, signs.missing) == (503, ["database"])
            assert (signs.health_status, signs.health["status"]) == (200, "degraded")
            assert signs.health["checks"]["postgres"] == "error"
            wait_until(lambda: storm.registries.waiting() == 0, what="the answers have come")
        storm.lose_workers_places()
        customer.insist(during)
        settled(customer, most_asked=2)
        assert bounds.read_signs(storm.url).ready == 200
        assert storm.dead() == []


class TestOnAFullDisk:
    """What is there can be changed where there is room for it, nothing can be added."""

    def test_puts_off_who_asks_and_settles_what_was_under_way_afterwards(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        """What cannot be written down is asked again: the web server gives the job back, the clock may come by and have
        a worker try, whose answer finds no room either and who keeps the job, and once it is free it is asked for good.
        """
        storm.registries.shut()
        before = customer.ask(customer.questions(8))
        assert {call.status for call in before} == {202}
        during: list[Call] = []

        def somebody_is_put_off() -> bool:
            calls = customer.ask(customer.questions(16))
            during.extend(calls)
            bounds.assert_put_off(calls, within=AT_ONCE, statuses=(503, 200, 404, 202))
            return any(call.status == 503 for call in calls)

        with full(storm):
            storm.registries.open()
            wait_until(somebody_is_put_off, what="the last page is full, and somebody was put off")
            assert bounds.read_signs(storm.url).health_status == 200
        storm.lose_workers_places()
        customer.insist(during)
        settled(customer, most_asked=3)
        assert storm.dead() == []
