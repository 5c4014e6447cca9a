"""Every process is killed again and again, and no answer was sold whose bytes are not there."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings

from tests.failures import embedded as embedded_service
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.embedded import Embedded
from tests.failures.service import Process, Service
from tests.journeys.checkout import ROOT

KILLED = ["web", "worker", "bulk", "worker"]
MOST = 200  # what workers that are killed all the time cannot do is promised at once, and more and more would wait
KEEPS_A_READING = 'INSERT INTO "scrapers_reading"%'


def examine(environment: Mapping[str, str], customer: Customer) -> dict[str, Any]:
    """What `tests.failures.kept_bytes` finds; fails where anything is sold without its bytes, or left behind."""
    line = [sys.executable, "-m", "tests.failures.kept_bytes", str(customer.account)]
    looked = subprocess.run(line, cwd=ROOT, env=dict(environment), capture_output=True, text=True)
    assert looked.returncode == 0, looked.stderr
    found: dict[str, Any] = json.loads(looked.stdout)
    assert found["without_bytes"] == found["files_of_nobody"] == found["kept_for_ever"] == []
    assert found["left_after_a_year"] == []
    assert found["files"] > 0 < found["in_rows"]
    return found


def ask_on(customer: Customer, over: Event) -> None:
    """Go on asking, whatever comes back, until so much has been asked that it takes the workers a while."""
    while not over.is_set() and len(customer.calls) < MOST:
        customer.ask(customer.questions(6), timeout=10)


def kill_on(processes: Mapping[str, Process], customer: Customer) -> None:
    """kill -9 one after the other in any order, and start it again at once, while the customer goes on asking."""
    chance, over = random.Random(16), Event()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask_on, customer, over)
        for name in chance.sample(KILLED, len(KILLED)):
            time.sleep(chance.uniform(0.5, 3.0))
            processes[name].kill()
            processes[name].start()
        over.set()
        asking.result(60)


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.xdist_group("failures")
class TestOnServers:
    """PostgreSQL and Redis, the bytes in rows or in a folder that all processes share."""

    def test_nothing_is_sold_without_its_bytes(self, storm: Service, customer: Customer, settled: Audit) -> None:
        storm.registries.seconds, storm.registries.long = 0.1, True
        kill_on(storm.processes, customer)
        storm.wait_for("web", "worker", "bulk")
        storm.lose_workers_places()
        customer.insist(customer.calls, seconds=150)
        storm.lose_workers_places()
        found = settled(customer, most_asked=12, seconds=90)
        assert examine(storm.environment, customer)["sold"] == found.found > 0

    def test_a_kill_between_the_bytes_and_their_reading_sells_nothing(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        storm.registries.long = True
        calls = customer.questions(8, missing=0)
        with storm.books.no_reading_is_kept(), ThreadPoolExecutor(1) as pool:
            asking = pool.submit(customer.ask, calls, at_once=8)
            storm.kill_at_lock(storm.web, statement=KEEPS_A_READING)
            asking.result(60)
        assert storm.spent_by(customer) == 0
        storm.start("web")
        storm.lose_workers_places()
        customer.insist(calls)
        assert settled(customer, most_asked=3).found == 8
        assert examine(storm.environment, customer)["sold"] == 8


@pytest.mark.slow
@pytest.mark.xdist_group("killed embedded")
class TestEmbedded:
    """One file is the database, and one folder has the rest."""

    @pytest.fixture
    def embedded(self, tmp_path: Path) -> Iterator[Embedded]:
        if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
            pytest.skip("the embedded default: part of the first engine run")
        folder = tmp_path / "var"
        folder.mkdir()
        with embedded_service.running(folder, logs=tmp_path) as started:
            yield started

    def test_nothing_is_sold_without_its_bytes(self, embedded: Embedded) -> None:
        customer = embedded.customer
        embedded.registries.seconds, embedded.registries.long = 0.1, True
        kill_on(embedded.processes, customer)
        wait_until(embedded.is_healthy, what="the service is well again", seconds=120)
        embedded.lose_places()
        customer.insist(customer.calls, seconds=90)
        embedded.finish()
        found = examine(embedded.environment, customer)
        assert found["sold"] > 0
        assert embedded.read("SELECT spent FROM billing_account") == [(314 * found["sold"],)]
