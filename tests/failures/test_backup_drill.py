"""The drill: backed up under load, everything destroyed, restored; the books agree and customers are told the same.

On the engine of this run, every process started by the one command. `pytest -s` shows the log that the runbook quotes.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from tests import plain_http
from tests.engines import programs
from tests.engines.own_database import engine_variables
from tests.failures import installed_once, registries
from tests.failures.customers import Call, Customer
from tests.failures.service import SETTINGS
from tests.journeys.checkout import ROOT, clean_environment
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("processes"), pytest.mark.timeout(900)]
STATES = ("NY", "CO")


class Drill:
    """A service, its operator at the command line, and the log of both."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder, self.began = folder, time.monotonic()
        self.url = f"http://127.0.0.1:{free_port()}"
        self.log: list[str] = []
        self.environment = clean_environment(SETTINGS | variables | {"VAR_DIR": str(folder / "var")})
        if found := programs.find_programs():
            self.environment["PATH"] = f"{found.postgres.parent}{os.pathsep}{self.environment['PATH']}"
        self.running: subprocess.Popen[bytes] | None = None

    def say(self, text: str) -> None:
        """Add to the log."""
        self.log += [f"{time.monotonic() - self.began:6.1f} s  {line}" for line in text.splitlines()]

    def manage(self, *arguments: str) -> str:
        """A command that has to succeed."""
        self.say(f"$ manage.py {' '.join(arguments)}")
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.say(done.stdout)
        return done.stdout

    def open_customers(self, number: int) -> list[Customer]:
        """Accounts with credit, as the operator opens them."""
        opened = installed_once.open_accounts(self.environment, number)
        return [Customer(one["account"], one["secret"], self.url, f"D{one['account']}") for one in opened]

    def start(self) -> None:
        """The whole service, until it answers."""
        with (self.folder / "up.log").open("ab") as output:
            self.running = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", self.url.rpartition(":")[2], "--no-first-accounts"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + 120
        while not self.answers():
            assert self.running.poll() is None, (self.folder / "up.log").read_text()
            assert time.monotonic() < deadline, (self.folder / "up.log").read_text()
            time.sleep(0.2)
        self.say("the service answers")

    def answers(self) -> bool:
        """Whether it can serve."""
        try:
            return plain_http.get(f"{self.url}/v1/health", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    def stop(self) -> None:
        """As an operator does."""
        if self.running is not None and self.running.poll() is None:
            self.running.send_signal(signal.SIGTERM)
            self.running.wait(timeout=300)
            self.say("the service is stopped")

    def destroy(self) -> None:
        """The folder is removed, the database dropped."""
        shutil.rmtree(self.folder / "var")
        if self.environment["DATABASE_URL"]:
            name = urlsplit(self.environment["DATABASE_URL"]).path.strip("/")
            with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
                server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
                server.execute(f'CREATE DATABASE "{name}"')
        self.say("VAR_DIR is removed, the database is dropped")


class Load:
    """Customers who ask new questions without a pause while the block runs; `answered` counts."""

    def __init__(self, customers: list[Customer]) -> None:
        self.customers, self.answered, self.ended = customers, 0, threading.Event()
        self.threads = [threading.Thread(target=self._ask, args=[customer]) for customer in customers]

    def __enter__(self) -> Load:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def wait_for(self, more: int) -> None:
        """Let so many more be answered."""
        goal, deadline = self.answered + more, time.monotonic() + 90
        while self.answered < goal:
            assert time.monotonic() < deadline, f"{self.answered} of {goal} answered"
            time.sleep(0.05)

    def _ask(self, customer: Customer) -> None:
        while not self.ended.is_set():
            (call,) = customer.ask(customer.questions(1, states=STATES, missing=0), at_once=1)
            self.answered += call.status in (200, 202)


@pytest.fixture
def drill(tmp_path: Path) -> Iterator[Drill]:
    with engine_variables() as variables, registries.running() as portals:
        made = Drill(tmp_path, variables | {"PORTALS_URL": portals.url, "BACKUP_PASSPHRASE": "correct horse battery"})
        (tmp_path / "var").mkdir()
        try:
            yield made
        finally:
            made.stop()


def insist(customer: Customer, call: Call) -> str:
    """The id of its lookup, once it is found: a busy machine may say 202 first."""
    deadline = time.monotonic() + 90
    while call.status != 200:
        assert call.status == 202, call.body
        assert time.monotonic() < deadline, call.body
        time.sleep(0.2)
        reply = customer.read(f"/v1/lookup/status/{call.body['jobId']}")
        if reply.json()["status"] == "complete":
            return str(reply.json()["lookupId"])
    return str(call.body["lookupId"])


def tell(customer: Customer, ids: list[str]) -> list[dict[str, Any]]:
    """What the customer is told of lookups from before."""
    return [customer.read(f"/v1/lookups/{one}").json() for one in ids]


class TestTheDrill:
    """Everything is lost but one file."""

    def test_brings_back_what_was_there_at_the_backup(self, drill: Drill, tmp_path: Path) -> None:
        customer, *crowd = drill.open_customers(4)
        drill.start()
        calls = customer.ask(customer.questions(3, states=["NY"], missing=0), at_once=1)
        ids = [insist(customer, call) for call in calls]
        before = tell(customer, ids)
        drill.say(f"answered before the backup: {', '.join(ids)}")
        with Load(crowd) as load:
            load.wait_for(5)
            at_start = load.answered
            drill.manage("backup", str(tmp_path / "archive.sos"), "--with-secrets")
            during = load.answered - at_start
            load.wait_for(5)
            late = insist(customer, *customer.ask(customer.questions(1, states=["NY"], missing=0)))
        drill.say(f"answered while the backup was written: {during}; in all {load.answered}")
        assert during > 0
        drill.stop()
        drill.destroy()

        assert "0 differences" in drill.manage("restore", str(tmp_path / "archive.sos"))
        assert ", 0 differences." in drill.manage("verify_ledger")
        assert " 0 differences are open." in drill.manage("reconcile")
        drill.start()
        assert tell(customer, ids) == before
        drill.say("the three lookups from before the backup are told the same")
        assert customer.read(f"/v1/lookups/{late}").status_code == 404  # it is of after the backup
        new = insist(customer, *customer.ask(customer.questions(1, states=["CO"], missing=0)))
        drill.say(f"a new one is answered: {new}")
        drill.stop()
        assert ", 0 differences." in drill.manage("verify_ledger")
        print("\n" + "\n".join(drill.log))  # noqa: T201
