"""The service as it is without any server of its own: every process on one file and one folder."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests import plain_http
from tests.failures import installed_once
from tests.failures.books import wait_until
from tests.failures.customers import Customer
from tests.failures.disks import Disk
from tests.failures.registries import Registries
from tests.failures.registries import running as registries_running
from tests.failures.service import SETTINGS, Process
from tests.journeys.checkout import ROOT, clean_environment
from tests.ports import free_port

ALL = ("web", "worker", "bulk", "beat")


@dataclass
class Embedded:
    """Web, worker, bulk worker and clock in one folder; `disk`: the one it has for itself."""

    url: str
    folder: Path
    disk: Disk | None
    registries: Registries
    processes: dict[str, Process]
    environment: dict[str, str]
    customer: Customer

    def answers(self) -> bool:
        """Whether the web server does."""
        with suppress(httpx.HTTPError):
            return plain_http.get(f"{self.url}/v1/health", timeout=5).status_code == 200
        return False

    def is_healthy(self) -> bool:
        """Whether it says so."""
        with suppress(httpx.HTTPError):
            return bool(plain_http.get(f"{self.url}/v1/health", timeout=5).json()["status"] == "healthy")
        return False

    def dead(self) -> list[str]:
        """The processes that do not run."""
        return [name for name, process in self.processes.items() if not process.is_alive()]

    def read(self, statement: str) -> list[tuple[object, ...]]:
        """All rows of a query."""
        with closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=20)) as connection:
            return connection.execute(statement).fetchall()

    def empty_log(self) -> None:
        """The database's log keeps the room that it once took: on a full disk that is a few more answers."""
        ((is_busy, *_),) = self.read("PRAGMA wal_checkpoint(TRUNCATE)")
        assert not is_busy

    def manage(self, command: str) -> subprocess.CompletedProcess[str]:
        """`manage.py`, as an operator runs it."""
        line = [sys.executable, "manage.py", command]
        return subprocess.run(line, cwd=ROOT, env=self.environment, capture_output=True, text=True)

    def lose_places(self) -> None:
        """Let minutes pass, after which whatever a killed process held is free."""
        with closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=20)) as connection:
            connection.execute("UPDATE lookups_sharedfetch SET lease_until = '2000-01-01' WHERE ended_at IS NULL")
            connection.execute("UPDATE lookups_job SET lease_until = '2000-01-01' WHERE status = 'processing'")
            connection.execute("UPDATE lookups_job SET not_before = NULL WHERE ended_at IS NULL")
            connection.execute("UPDATE lookups_idempotencyrecord SET lease_until = '2000-01-01'")
            connection.commit()

    def finish(self) -> None:
        """A job whose answer could not be kept is taken up again after 130 s: that much passes for its leases."""
        self.lose_places()
        left = "SELECT status, attempts, lease_until, not_before FROM lookups_job WHERE ended_at IS NULL"
        try:
            wait_until(lambda: not self.read(left), what="every job has ended", seconds=60)
        except AssertionError as late:
            raise AssertionError(f"{late}: {self.read(left)}") from late


@contextmanager
def running(
    folder: Path, *, logs: Path, disk: Disk | None = None, names: Collection[str] = ALL, **more: str
) -> Iterator[Embedded]:
    """Start everything in the folder, with `more` settings; end every process whatever happens.

    `names`: the processes that the story has need of, where those are not all. The service then is not well.
    """
    with registries_running() as registries:
        port = free_port()
        environment = clean_environment(SETTINGS | {"VAR_DIR": str(folder), "PORTALS_URL": registries.url} | more)
        (account,) = installed_once.open_accounts(environment, 1)
        (folder / "static").mkdir()
        lines = {name: [name, "--port", str(port)] if name == "web" else [name] for name in names}
        processes = {name: Process(name, line, environment, logs / f"{name}.log") for name, line in lines.items()}
        url = f"http://127.0.0.1:{port}"
        customer = Customer(account["account"], account["secret"], url, "D1")
        embedded = Embedded(url, folder, disk, registries, processes, environment, customer)
        try:
            for process in processes.values():
                process.start()
            is_there = embedded.is_healthy if names is ALL else embedded.answers
            wait_until(is_there, what="the service is well", seconds=120)
            yield embedded
        finally:
            for process in processes.values():
                process.end()
