"""The whole service in production shape, every process started by its own command line and ended by anything at all."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import redis
from celery import Celery

from tests import plain_http
from tests.engines import programs, servers
from tests.failures import clock, installed_once, memory
from tests.failures.books import Books, wait_until
from tests.failures.customers import Call, Customer
from tests.failures.registries import STATES, Registries
from tests.failures.registries import running as registries_running
from tests.journeys.checkout import ROOT, clean_environment, descendants
from tests.ports import free_port, reserved_port

SYNC_BUDGET_SECONDS = 1.5
PATIENT_SECONDS = 60.0
CUSTOMERS = 60  # more than there are stories
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.failures.settings",
    "SYNC_BUDGET_SECONDS": str(SYNC_BUDGET_SECONDS),
    "RATE_LIMIT_PER_MINUTE": "1000000",
    "CONCURRENT_LOOKUPS": "1000",
    # A seat for each of 24 callers, whichever of the two children they come to: who has none is left to the worker
    # where the thread of his fetch has not begun by then, as happens on a busy machine
    "WEB_THREADS": "48",
    "CONTACT": "storms@example.test",
    "PYTHONUNBUFFERED": "1",
    "WEBHOOKS_TO_LOOPBACK": "true",
}


@dataclass
class Process:
    """One process of the service, with whatever it starts itself; killed and started again as often as wanted."""

    name: str
    arguments: list[str]
    environment: dict[str, str]
    log: Path
    running: subprocess.Popen[bytes] | None = None
    kills: int = 0
    is_usual: bool = True
    _read_from: int = 0

    def start(self, *, inside: Sequence[str] = (), **settings: str) -> None:
        """Start it, with these settings beside the usual ones; what it says is added to its log.

        `inside`: a command that becomes it, in surroundings that it makes.
        """
        self.is_usual = not (settings or inside)
        self._read_from = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as output:
            self.running = subprocess.Popen(
                [*inside, sys.executable, "-m", "config.launch", *self.arguments],
                cwd=ROOT,
                env=self.environment | settings,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self.running is not None and self.running.poll() is None

    def said(self) -> str:
        """What it said since it was started last."""
        with self.log.open("rb") as file:
            file.seek(self._read_from)
            return file.read().decode(errors="replace")

    def kill(self) -> None:
        """kill -9, the process and its children, as when the machine's power goes."""
        assert self.running is not None
        os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()
        self.kills += 1

    def kill_child(self) -> None:
        """kill -9 each child and spare the parent, as the kernel does when memory runs out."""
        assert self.running is not None
        for pid in descendants(self.running.pid):
            os.kill(pid, signal.SIGKILL)
            self.kills += 1

    @contextmanager
    def paused(self) -> Iterator[None]:
        """It does nothing while the block runs."""
        assert self.running is not None
        self.running.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.running.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """Leave nothing behind."""
        if self.running is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.running.pid, signal.SIGKILL)
            self.running.wait()


@dataclass
class Service:
    """Web, worker, bulk worker and clock on a PostgreSQL and a Redis of their own, before four registries.

    `mail_port`: of the mail server that they know; there is none until a story runs one.
    """

    url: str
    books: Books
    addresses: servers.Addresses
    registries: Registries
    environment: dict[str, str]
    processes: dict[str, Process]
    customers: list[dict[str, object]]
    mail_port: int
    stops: int = 0
    _marks: Iterator[int] = field(default_factory=lambda: iter(range(1, 10_000)))

    @property
    def web(self) -> Process:
        """The web server: gunicorn's parent with two children."""
        return self.processes["web"]

    @property
    def worker(self) -> Process:
        """The worker for single jobs and upkeep: one process with threads."""
        return self.processes["worker"]

    @property
    def bulk(self) -> Process:
        """The worker for bulk jobs: one process with threads."""
        return self.processes["bulk"]

    @property
    def kills(self) -> int:
        """How many processes were killed so far."""
        return sum(process.kills for process in self.processes.values())

    def queue(self) -> redis.Redis:
        """Redis, on a fresh connection."""
        return redis.Redis.from_url(self.addresses.redis_url, socket_timeout=10)

    def new_customer(self) -> Customer:
        """Somebody with credit whom no other story knows."""
        opened = self.customers.pop()
        return Customer(int(str(opened["account"])), str(opened["secret"]), self.url, f"S{next(self._marks):02}")

    def start(self, *names: str) -> None:
        """Start processes and wait until all of them are ready."""
        for name in names:
            self.processes[name].start()
        self.wait_for(*names)

    def wait_for(self, *names: str) -> None:
        """Wait until these processes are ready, which have been started."""
        for name in names:
            # Five minutes, as a busy machine takes its time
            wait_until(lambda name=name: self._is_ready(name), what=f"{name} is ready", seconds=300)

    def _is_ready(self, name: str) -> bool:
        if name == "web":
            return self.answers()
        ready = {"beat": "beat: Starting"}.get(name, " ready.") in self.processes[name].said()
        return ready and self._lives(name)

    def _lives(self, role: str) -> bool:
        """Whether a process of this role is counted on: it says so as soon as it is ready."""
        return self.count_beats(role) > 0

    def count_beats(self, role: str) -> int:
        """How many processes of this role are counted on; one that was killed is for another 30 seconds."""
        counted = (
            "SELECT count(*) FROM lookups_heartbeat WHERE role = %(role)s AND beat_at > clock_timestamp() - %(ago)s"
        )
        return self.books.count(counted, role=role, ago=timedelta(seconds=30))

    def mend(self) -> None:
        """Start again whatever a story that failed has left dead, or with settings of its own."""
        for server in (self.addresses.postgres, self.addresses.redis):
            if server.process is None or server.process.poll() is not None:
                server.start()
            server.signal_all(signal.SIGCONT)
        for process in self.processes.values():
            if not process.is_usual:
                process.end()
        # What a registry took in another story makes none slow
        self.books.write("DELETE FROM scrapers_scrapeattempt")
        memory.forget(Path(self.environment["VAR_DIR"]))
        self.start(*(name for name, process in self.processes.items() if not process.is_alive()))

    def prove_slow(self, *states: str) -> None:
        """Let a day's history say that these registries answer after longer than anybody waits."""
        for state in states:
            self.books.write(
                "INSERT INTO scrapers_scrapeattempt (state, kind, question, sandbox, outcome, detail, stages,"
                " unread_labels, duration_ms, version, started_at) SELECT %(state)s, 'business_entity', 'x', FALSE,"
                " 'found', '', '[]', 0, 60000, '1.0', now() - interval '1 hour' FROM generate_series(1, 20)",
                state=state,
            )
        memory.forget(Path(self.environment["VAR_DIR"]))

    def answers(self) -> bool:
        """Whether the web server says that it can serve."""
        with contextlib.suppress(httpx.HTTPError):
            return plain_http.get(f"{self.url}/v1/health", timeout=5).status_code == 200
        return False

    def send(self, task: str) -> None:
        """Have the worker do something the clock would have it do later."""
        with self._celery().connection_for_write() as connection:
            self._celery().send_task(task, queue="upkeep", connection=connection)

    def _celery(self) -> Celery:
        return Celery("storm", broker=self.addresses.redis_url, set_as_current=False)

    def move_clock(self, seconds: float) -> None:
        """Let seconds pass, or set the clock back."""
        clock.move(self.books, self.queue(), seconds=seconds)

    def leave_until_deadline(self, customer: Customer, *, seconds: float) -> None:
        """Let so much time pass that these seconds are left until the first of the customer's deadlines."""
        left = self.books.count(
            "SELECT extract(epoch FROM min(deadline) - now()) FROM lookups_job"
            " WHERE account_id = %(account)s AND ended_at IS NULL",
            account=customer.account,
        )
        self.move_clock(left - seconds)

    def open_jobs(self, customer: Customer) -> int:
        """How many accepted jobs of a customer have not ended."""
        return self.books.count(
            "SELECT count(*) FROM lookups_job WHERE account_id = %(account)s AND ended_at IS NULL",
            account=customer.account,
        )

    def finish(self, *customers: Customer, seconds: float = 60.0) -> None:
        """Wait until every job of these customers has ended; the clock's sweep comes every second here."""
        wait_until(self.answers, what="the web server answers", seconds=60)
        swept = 0.0

        def done() -> bool:
            nonlocal swept
            if not any(self.open_jobs(customer) for customer in customers):
                return True
            if time.monotonic() > swept + 1:
                clock.end_pauses(self.books)
                with contextlib.suppress(Exception):  # the broker may be down at this moment
                    self.send("lookups.tasks.sweep_jobs")
                swept = time.monotonic()
            return False

        try:
            wait_until(done, what="every job has ended", seconds=seconds)
        except AssertionError as late:
            raise AssertionError(f"{late}: {self._open_rows()}; dead: {self.dead()}") from late

    def _open_rows(self) -> list[tuple[Any, ...]]:
        return self.books.read(
            "SELECT state, status, attempts, bulk_id IS NOT NULL, lease_until - now(), not_before - now(),"
            " deadline - now() FROM lookups_job WHERE ended_at IS NULL LIMIT 20"
        )

    def dead(self) -> list[str]:
        """The processes that do not run although nobody killed them."""
        return [name for name, process in self.processes.items() if not process.is_alive()]

    def taken_up_again(self, customer: Customer) -> int:
        """How many single jobs of a customer somebody works on who is not the first."""
        return self.books.count(
            "SELECT count(*) FROM lookups_job WHERE account_id = %(account)s AND bulk_id IS NULL"
            " AND status = 'processing' AND attempts > 1",
            account=customer.account,
        )

    def let_late_ones_come_home(self) -> None:
        """Wait until also those have dealt with their answers whose jobs have ended without them.

        They write no row by which it could be known; so they have when no fetch is left and the database is at rest.
        """
        wait_until(lambda: self.registries.waiting() == 0, what="the late answers have come")
        wait_until(self.is_quiet, what="the late answers were dealt with")

    def lose_workers_places(self) -> None:
        """Let minutes pass, after which whatever a killed process held is free: its jobs, and places at a registry.

        Both last 130 s, which are constants of the product; so the times in the rows and in Redis are moved.
        """
        self.move_clock(140)

    def be_patient(self) -> None:
        """Start the web server anew so that its customers wait however long a fetch takes: none becomes a job."""
        self.restart_web(SYNC_BUDGET_SECONDS=str(PATIENT_SECONDS))

    def restart_web(self, *, inside: Sequence[str] = (), **settings: str) -> None:
        """Start the web server anew with these variables (`inside`: see Process), and wait until it answers."""
        self.restart("web", inside=inside, **settings)

    def restart(self, *names: str, inside: Sequence[str] = (), **settings: str) -> None:
        """Start these processes anew with these variables (`inside`: see Process), and wait until they are ready."""
        for name in names:
            self.processes[name].end()
            self.processes[name].start(inside=inside, **settings)
        self.wait_for(*names)

    def orphan(self, customer: Customer, number: int, *, missing: int = 5) -> None:
        """Have so many questions accepted as jobs, and kill the web server, whose threads were answering them.

        Nobody can take the jobs up before the minutes have passed in which the killed threads would have answered
        (`lose_workers_places`), and the registries are shut; both are the story's next step, so nothing happens before.
        The other way for a job to come to the worker is a state that has proved slow (`leave_to_worker`).
        """
        self.registries.shut()
        calls = customer.ask(customer.questions(number, missing=missing), at_once=number)
        assert {call.status for call in calls} == {202}, [call.body for call in calls]
        left = "SELECT count(*) FROM lookups_job WHERE account_id = %(id)s AND status = 'pending'"
        assert self.books.count(left, id=customer.account) == 0, "some are left to the worker"
        self.web.kill()
        wait_until(lambda: self.registries.waiting() == 0, what="nobody asks any more")
        self.web.start()  # it is waited for when somebody asks it again

    def leave_to_worker(self, customer: Customer, number: int, *, missing: int = 5) -> None:
        """Have so many questions of slow states accepted, which are the worker's from the first, in mid-fetch by now.

        Unlike with orphans no web server has to be started anew, which takes as long as three workers.
        """
        self.prove_slow(*STATES)
        self.registries.shut()
        calls = customer.ask(customer.questions(number, missing=missing), at_once=number)
        assert {call.status for call in calls} == {202}, [call.body for call in calls]
        self.wait_for_fetches(8)

    def sweep_into(self, *, waiting: int) -> None:
        """Give the orphans to the worker while no registry answers, until so many fetches are under way."""
        self.lose_workers_places()
        self.send("lookups.tasks.sweep_jobs")
        self.wait_for_fetches(waiting)

    def wait_for_fetches(self, number: int) -> None:
        """Wait until so many fetches are under way at registries that are shut."""
        wait_until(lambda: self.registries.waiting() >= number, what=f"{number} fetches are under way")

    def kill_at_lock(self, process: Process, *, statement: str, blocked: int = 4) -> None:
        """Kill a process once so many of its threads stand with this statement before a lock that the story holds."""
        what = f"{blocked} threads of {process.name} stand before a lock with {statement}"
        try:
            wait_until(lambda: self.books.blocked(process.name, statement) >= blocked, what=what)
        except AssertionError as never:
            raise AssertionError(f"{never}: {self.books.statements(process.name)}") from never
        process.kill()
        self.books.disconnect(process.name)

    def asked(self, calls: Sequence[Call]) -> list[Call]:
        """Those of these questions that have reached a registry."""
        words = {words for _, words in self.registries.count("")}
        return [call for call in calls if call.name.upper().removesuffix(" LLC") in words]

    def spent_by(self, customer: Customer) -> int:
        """What a customer has paid, in units of 1/10,000 USD."""
        return self.books.count("SELECT spent FROM billing_account WHERE id = %(id)s", id=customer.account)

    @contextmanager
    def without(self, server: servers.Server, number: int = signal.SIGINT) -> Iterator[None]:
        """A server is stopped while the block runs, by this signal; then it starts again where it was."""
        server.stop(number)
        self.stops += 1
        try:
            yield
        finally:
            server.start()

    @contextmanager
    def frozen(self, server: servers.Server) -> Iterator[None]:
        """A server takes connections and answers nothing while the block runs."""
        server.signal_all(signal.SIGSTOP)
        self.stops += 1
        try:
            yield
        finally:
            server.signal_all(signal.SIGCONT)

    def pending_jobs(self, customer: Customer) -> int:
        """How many jobs of a customer wait for somebody to try them."""
        return self.books.count(
            "SELECT count(*) FROM lookups_job WHERE account_id = %(account)s AND status = 'pending'",
            account=customer.account,
        )

    def is_quiet(self) -> bool:
        """Whether no process of the service has had anything to do with the database for a second."""
        return not self.books.count(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('web', 'worker', 'bulk')"
            " AND (state <> 'idle' OR state_change > clock_timestamp() - interval '1 second')"
        )

    def hold_of(self, customer: Customer) -> int:
        """What is set aside for a customer, in units of 1/10,000 USD."""
        return self.books.count("SELECT held FROM billing_account WHERE id = %(id)s", id=customer.account)


@contextmanager
def running(folder: Path, *, accounts: int = CUSTOMERS, more: Mapping[str, str] | None = None) -> Iterator[Service]:
    """Start everything, on servers of its own and with `more` settings; end every process whatever happens."""
    found = programs.find_programs()
    if found is None:
        raise programs.Missing("PostgreSQL and Redis are not on this machine")
    with (
        servers.running(found, keeps_commits=True, cluster=installed_once.find_cluster(found)) as addresses,
        registries_running() as registries,
        reserved_port() as mail_port,
    ):
        url = f"http://127.0.0.1:{free_port()}"
        where = {"VAR_DIR": str(folder), "PORTALS_URL": registries.url, "EMAIL_URL": f"smtp://127.0.0.1:{mail_port}"}
        environment = clean_environment({**SETTINGS, "REDIS_URL": addresses.redis_url, **where, **(more or {})})
        processes = {
            name: Process(name, [name, *more], environment | _database(addresses, name), folder / f"{name}.log")
            for name, more in {"web": ["--port", url.rpartition(":")[2]], "worker": [], "bulk": [], "beat": []}.items()
        }
        environment |= _database(addresses, "tests")
        customers = installed_once.open_accounts(environment, accounts)
        books = Books(addresses.database_url)
        books.place_witness()
        (folder / "static").mkdir(exist_ok=True)
        service = Service(url, books, addresses, registries, environment, processes, customers, mail_port)
        try:
            service.start(*processes)
            yield service
        finally:
            for process in processes.values():
                process.end()


def _database(addresses: servers.Addresses, name: str) -> dict[str, str]:
    """The database's address with the process's name in it, so that the server can tell who waits for what."""
    return {"DATABASE_URL": f"{addresses.database_url}?application_name={name}"}
