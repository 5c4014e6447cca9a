"""What a second web server and more workers do on one PostgreSQL and one Redis: how fast, and whether all is exact.

    python -m tests.bench.several_processes [--rounds 2] [--size 240]

Two shapes in one run, one after the other, `--rounds` times: one web server, one worker and one bulk worker; then two
web servers and four workers (two of each kind). Every process is the product's own (`python -m config.launch`), on
servers that are started for it, before four registries that answer at once and have no pace here: what is measured is
our own machinery. Customers' connections are shared out over the web servers, as a proxy would.

Each shape has four tasks: lookups that are answered at once, rows of bulk requests, lookups of states that have proved
slow (a worker answers them), and stored answers. Afterwards `tests.failures.audit` compares what every customer was
told with lookups, registries' requests and books: a question that was asked or paid for twice, or a unit that is
missing, ends the run. Load, registries, database and service share this machine's cores, so a rate says little; what
one answer takes of each (ms of CPU) is what docs/scaling.md counts with.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import httpx

from tests import plain_http
from tests.failures import audit, memory, service
from tests.failures.books import wait_until
from tests.failures.customers import Call, Customer
from tests.failures.registries import STATES
from tests.failures.service import Process, Service
from tests.journeys.checkout import descendants
from tests.ports import free_port

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.bench.unpaced", "SYNC_BUDGET_SECONDS": "20", "POLLS_PER_MINUTE": "1000000"}
CUSTOMERS = 12  # as many connections
PARTS = ("web", "worker", "bulk", "beat", "postgres", "redis")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Figures:
    """One task of one shape."""

    name: str
    answers: int = 0
    seconds: float = 0.0
    connections: int = 0
    kept: int = 0  # bytes by which the database has grown
    opened: int = 0  # connections to it that were opened
    cpu: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        each = ", ".join(f"{part} {1000 * used / self.answers:.1f}" for part, used in self.cpu.items() if used > 0.05)
        return (
            f"{self.name:<9} {self.answers / self.seconds:6.1f}/s  ms of CPU an answer: {each};"
            f" connections: {self.connections} at most, {self.opened / self.answers:.1f} opened an answer;"
            f" {self.kept / self.answers / 1000:.1f} kB of rows"
        )


@dataclass
class Shape:
    """The service with its second processes, or without."""

    service: Service
    urls: list[str]
    more: list[Process]

    def customers(self, number: int = CUSTOMERS) -> list[Customer]:
        """New ones, each at one of the web servers."""
        made = [self.service.new_customer() for _ in range(number)]
        for place, one in enumerate(made):
            one.url = self.urls[place % len(self.urls)]
        return made

    def processes(self) -> dict[str, list[int]]:
        """The process ids of each part."""
        addresses = self.service.addresses
        found: dict[str, list[int]] = {part: [] for part in PARTS}
        for one in (*self.service.processes.values(), *self.more):
            assert one.running is not None
            found[one.arguments[0]].append(one.running.pid)
        for part, server in (("postgres", addresses.postgres), ("redis", addresses.redis)):
            assert server.process is not None
            found[part].append(server.process.pid)
        return found


def spent(pids: list[int]) -> float:
    """Seconds of CPU that these processes and all that they have started have used."""
    total = 0
    for pid in {*pids, *(child for one in pids for child in descendants(one))}:
        try:
            parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended, and its parent counts it
            continue
        total += sum(int(parts[place]) for place in (11, 12, 13, 14))
    return total / TICKS


@contextmanager
def measured(shape: Shape, name: str) -> Iterator[Figures]:
    """Count while the block runs; it says how many answers there were."""
    figures, over, parts = Figures(name), Event(), shape.processes()

    def look() -> None:
        while not over.wait(1.0):
            number = shape.service.books.count("SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL")
            figures.connections = max(figures.connections, number - 1)

    counted = "SELECT pg_database_size(datname), sessions FROM pg_stat_database WHERE datname = current_database()"
    watch, ((kept, opened),) = Thread(target=look), shape.service.books.read(counted)
    watch.start()
    before, began = {part: spent(pids) for part, pids in parts.items()}, time.monotonic()
    try:
        yield figures
    finally:
        figures.seconds = time.monotonic() - began
        figures.cpu = {part: spent(pids) - before[part] for part, pids in parts.items()}
        over.set()
        watch.join()
        ((figures.kept, figures.opened),) = shape.service.books.read(counted)
        figures.kept, figures.opened = figures.kept - kept, figures.opened - opened


def each(customers: list[Customer], work: Callable[[Customer], None]) -> None:
    """All of them at once."""
    with ThreadPoolExecutor(len(customers)) as pool:
        list(pool.map(work, customers))


def ask_live(shape: Shape, size: int) -> tuple[Figures, list[Customer]]:
    """Lookups that are answered at once, one after the other on each connection."""
    customers = shape.customers()
    with measured(shape, "live") as figures:
        each(customers, lambda one: one.insist(one.ask(one.questions(size // CUSTOMERS), at_once=1)))
        shape.service.finish(*customers)
    figures.answers = size
    return figures, customers


def ask_bulk(shape: Shape, size: int) -> tuple[Figures, list[Customer]]:
    """Four bulk requests at once."""
    customers = shape.customers(4)
    with measured(shape, "bulk rows") as figures:
        each(customers, lambda one: one.ask_bulk(one.questions(size // 4)))
        shape.service.finish(*customers, seconds=300)
    figures.answers = size
    return figures, customers


def ask_slow(shape: Shape, size: int) -> tuple[Figures, list[Customer]]:
    """Lookups that are promised and answered by a worker."""
    customers = shape.customers()
    shape.service.mend()  # forgets how quick they were
    shape.service.prove_slow(*STATES)
    with measured(shape, "jobs") as figures:
        each(customers, lambda one: one.insist(one.ask(one.questions(size // CUSTOMERS), at_once=1)))
        shape.service.finish(*customers, seconds=300)
    figures.answers = size
    shape.service.mend()
    promised = [call.status == 202 for one in customers for call in one.calls]
    assert sum(promised) > 0.9 * len(promised), "these are for the workers"
    return figures, customers


def ask_stored(shape: Shape, size: int, known: list[Call]) -> Figures:
    """What others have asked, by customers who want nothing else."""
    customers = shape.customers()
    statuses: set[int] = set()

    def ask(one: Customer) -> None:
        for place in range(4 * size // CUSTOMERS):
            call = known[(one.account + place) % len(known)]
            body = {"entity_name": call.name, "state": call.state, "source": "cache"}
            headers = {"x-api-key": one.secret}
            statuses.add(plain_http.post(f"{one.url}/v1/lookup", json=body, headers=headers, timeout=30).status_code)

    with measured(shape, "stored") as figures:
        each(customers, ask)
    figures.answers = 4 * size
    assert statuses == {200}, statuses
    return figures


def run(shape: Shape, size: int) -> None:
    """All four, and the audit."""
    live, first = ask_live(shape, size)
    bulk, second = ask_bulk(shape, 2 * size)
    jobs, third = ask_slow(shape, size)
    known = [call for one in first for call in one.calls if call.status == 200]
    stored = ask_stored(shape, size, known)
    customers = [*first, *second, *third]
    found = audit.examine(shape.service, *customers, most_asked=1)
    faults = [*found.lost, *found.double, *found.wrong, *found.unanswered]
    if faults:
        raise AssertionError("\n".join(faults))
    for figures in (live, bulk, jobs, stored):
        sys.stdout.write(f"  {figures}\n")
    sys.stdout.write(
        f"  exact: {found.lookups} questions of {len(customers)} accounts, {found.found} found and paid for once each,"
        " none asked of a registry twice, the books add up\n"
    )


@contextmanager
def enlarged(small: Shape, folder: Path) -> Iterator[Shape]:
    """A second web server, a second worker and a second bulk worker beside."""
    folder.mkdir()
    port = free_port()
    arguments = {"web2": ["web", "--port", str(port)], "worker2": ["worker"], "bulk2": ["bulk"]}
    more = [
        Process(name, line, small.service.processes[line[0]].environment, folder / f"{name}.log")
        for name, line in arguments.items()
    ]
    # Each has a folder of its own, as on a machine of its own; what registries answered is kept in one
    for one in more:
        one.environment = one.environment | {"VAR_DIR": str(folder / one.name)}
        (folder / one.name / "static").mkdir(parents=True, exist_ok=True)
        (folder / one.name / memory.STORY).symlink_to(Path(small.service.environment["VAR_DIR"]) / memory.STORY)
    url = f"http://127.0.0.1:{port}"
    try:
        for one in more:
            one.start()
        wait_until(lambda: _is_ready(url), what="the second web server is ready", seconds=120)
        for one in more[1:]:
            wait_until(lambda one=one: " ready." in one.said(), what=f"{one.name} is ready", seconds=120)
        yield Shape(small.service, [*small.urls, url], more)
    finally:
        for one in more:
            one.end()


def _is_ready(url: str) -> bool:
    try:
        return plain_http.get(f"{url}/readyz", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--size", type=int, default=240)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sos-lookup-several-") as name:
        folder = Path(name)
        (folder / "one").mkdir()
        more = SETTINGS | {"EVIDENCE_STORE": str(folder / "evidence")}
        accounts = wanted.rounds * 2 * (3 * CUSTOMERS + 4)
        with service.running(folder / "one", accounts=accounts, more=more) as started:
            for number in range(wanted.rounds):
                small = Shape(started, [started.url], [])
                sys.stdout.write(f"round {number + 1}, load before {os.getloadavg()[0]:.1f}: one of each\n")
                run(small, wanted.size)
                with enlarged(small, folder / str(number)) as large:
                    sys.stdout.write(f"round {number + 1}: two of each\n")
                    run(large, wanted.size)


if __name__ == "__main__":
    main()
