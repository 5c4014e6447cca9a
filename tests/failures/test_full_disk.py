"""The embedded default on a disk that is full, or open for reading alone: file, queue and counts lie on the same."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import httpx
import pytest
from django.conf import settings

from tests.failures import bounds
from tests.failures.books import wait_until
from tests.failures.customers import Customer
from tests.failures.disks import Disk, small_disk
from tests.failures.registries import Registries
from tests.failures.registries import running as registries_running
from tests.failures.service import SETTINGS, SYNC_BUDGET_SECONDS, Process
from tests.journeys.checkout import ROOT, clean_environment, free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("full disk")]
PRICE = 314
DATABASE_SECONDS = 5.0  # for its turn to write
AT_ONCE = SYNC_BUDGET_SECONDS + DATABASE_SECONDS


@dataclass
class Embedded:
    """Web, worker, bulk worker and clock on a file and a folder, on a disk of their own."""

    url: str
    disk: Disk
    registries: Registries
    processes: dict[str, Process]
    environment: dict[str, str]
    customer: Customer

    def is_healthy(self) -> bool:
        """Whether it says so."""
        with suppress(httpx.HTTPError):
            return bool(httpx.get(f"{self.url}/v1/health", timeout=5).json()["status"] == "healthy")
        return False

    def dead(self) -> list[str]:
        """The processes that do not run."""
        return [name for name, process in self.processes.items() if not process.is_alive()]

    def read(self, statement: str) -> list[tuple[object, ...]]:
        """All rows of a query."""
        with closing(sqlite3.connect(self.disk.folder / "db.sqlite3", timeout=20)) as connection:
            return connection.execute(statement).fetchall()

    def manage(self, command: str) -> subprocess.CompletedProcess[str]:
        """`manage.py`, as an operator runs it."""
        line = [sys.executable, "manage.py", command]
        return subprocess.run(line, cwd=ROOT, env=self.environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def running_embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """Everything started once."""
    if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        pytest.skip("the embedded default: part of the first engine run")
    folder = Path(mkdtemp(prefix="sos-lookup-disk-", dir="/tmp"))
    logs = tmp_path_factory.mktemp("logs")
    with small_disk(folder, megabytes=24) as disk, registries_running() as registries:
        port = free_port()
        more = {"VAR_DIR": str(folder), "PORTALS_URL": registries.url, "DATABASE_SECONDS": str(DATABASE_SECONDS)}
        environment = clean_environment(SETTINGS | more)
        open_accounts = [sys.executable, "-m", "tests.failures.customers", "1"]
        opened = subprocess.run(open_accounts, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        (account,) = json.loads(opened.stdout)
        (folder / "static").mkdir()
        processes = {
            name: Process(name, [name, *options], environment, logs / f"{name}.log")
            for name, options in {"web": ["--port", str(port)], "worker": [], "bulk": [], "beat": []}.items()
        }
        url = f"http://127.0.0.1:{port}"
        customer = Customer(account["account"], account["secret"], url, "D1")
        embedded = Embedded(url, disk, registries, processes, environment, customer)
        try:
            for process in processes.values():
                process.start()
            wait_until(embedded.is_healthy, what="the service is well", seconds=120)
            yield embedded
        finally:
            for process in processes.values():
                process.end()
    os.rmdir(folder)


@pytest.fixture
def embedded(running_embedded: Embedded) -> Embedded:
    """The service, well again after the story before."""
    running_embedded.registries.open()
    wait_until(running_embedded.is_healthy, what="the service is well", seconds=60)
    return running_embedded


class TestADisk:
    """Of the machine that everything is on."""

    @pytest.mark.parametrize("fault", ["full", "read_only"])
    def test_that_takes_nothing_more_puts_off_every_caller_and_loses_nothing(
        self, fault: str, embedded: Embedded
    ) -> None:
        customer = embedded.customer
        embedded.registries.shut()
        before = customer.ask(customer.questions(4))
        assert {call.status for call in before} == {202}
        during = customer.questions(6)
        with getattr(embedded.disk, fault)():
            embedded.registries.open()  # the answers to those before come now
            wait_until(lambda: embedded.registries.waiting() == 0, what="the answers have come")
            bounds.assert_put_off(customer.ask(during), within=AT_ONCE)
            signs = bounds.read_signs(embedded.url)
            assert signs.ready == 503
            assert "broker" in signs.missing
            assert signs.health["status" if signs.health_status == 200 else "code"] in ("degraded", "internal_error")
            assert embedded.dead() == []
        customer.insist(during)
        self.finish(embedded)
        self.compare_books(embedded)
        wait_until(embedded.is_healthy, what="the service is well", seconds=60)
        assert embedded.dead() == []

    def finish(self, embedded: Embedded) -> None:
        """A job whose answer could not be kept is taken up again after 130 s: that much passes for its leases."""
        with closing(sqlite3.connect(embedded.disk.folder / "db.sqlite3", timeout=20)) as connection:
            connection.execute("UPDATE lookups_sharedfetch SET lease_until = '2000-01-01' WHERE ended_at IS NULL")
            connection.execute("UPDATE lookups_job SET lease_until = '2000-01-01' WHERE status = 'processing'")
            connection.execute("UPDATE lookups_job SET not_before = NULL WHERE ended_at IS NULL")
            connection.commit()
        left = "SELECT status, attempts, lease_until, not_before FROM lookups_job WHERE ended_at IS NULL"
        try:
            wait_until(lambda: not embedded.read(left), what="every job has ended", seconds=60)
        except AssertionError as late:
            raise AssertionError(f"{late}: {embedded.read(left)}") from late

    def compare_books(self, embedded: Embedded) -> None:
        """One answer, one charge; nothing is open or set aside."""
        customer, found = embedded.customer, 0
        for call in customer.calls:
            reply = call.body
            if call.status == 202:
                reply = customer.read(f"/v1/lookup/status/{call.body['jobId']}").json()
                assert reply["status"] == "complete", reply
            found += reply.get("success") is True
        assert found == sum("Petrel" in call.name for call in customer.calls)
        open_lookups = "SELECT id FROM lookups_lookup WHERE verdict IS NULL AND bulk_id IS NULL"
        wait_until(lambda: not embedded.read(open_lookups), what="no lookup is open", seconds=60)
        assert embedded.read("SELECT spent, held FROM billing_account") == [(found * PRICE, 0)]
        reconciled = embedded.manage("reconcile")
        assert reconciled.returncode == 0, reconciled.stdout
