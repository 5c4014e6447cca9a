"""What callers wait for beside a registry's own time, and how soon a job is promised while hundreds wait.

    python -m tests.bench.waits [--rounds 5] [--seconds 10]

The service in production shape on servers that are started for it, before four registries without a pace. First fifty
callers have a question under way each, asked as soon as the one before is answered, while a registry takes 2 and then
0.5 seconds for each answer (they begin one after the other in that time, not all in one moment): what is longer than
that is the service's, with what load, registries and database take of the same machine. The same fifty ask the
registries themselves in the same run, which says how much of it is the measurement's own. Then, of states that have
proved slow and with no worker, 500 jobs are left waiting, and four callers have more of them promised.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.rates.load import Load, measure, request
from tests.bench.several_processes import SETTINGS
from tests.failures import service
from tests.failures.customers import Customer
from tests.failures.registries import STATES
from tests.failures.service import Service

CALLERS, FEW = 50, 4
WEB_THREADS = 128  # half of which may wait for a registry, in each of two processes: all callers may meet in one
WAITING = 500
ROWS = "/data.ny.gov/resource/n9v6-gdp6.json"
NUMBERS = itertools.count(10_000)


def questions(customer: Customer) -> Callable[[], bytes]:
    """One company after the other that nobody has asked for, over the states in turn."""

    def ask() -> bytes:
        number = next(NUMBERS)
        asked = {"entity_name": f"PETREL {customer.mark} N{number} LLC", "state": STATES[number % len(STATES)]}
        return request("POST", "/v1/lookup", key=customer.secret, body=json.dumps(asked).encode())

    return ask


def ask_registries(started: Service, seconds: float) -> Load:
    """The same callers at the registries' own door, each time with a new connection."""
    parts = urlsplit(started.registries.url)
    assert parts.hostname is not None

    def ask(number: int) -> float:
        began = time.perf_counter()
        with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
            connection.request("GET", f"{ROWS}?$where=x%20like%20'PETREL%20B1%20N{number:05}'")
            connection.getresponse().read()
        return time.perf_counter() - began

    with ThreadPoolExecutor(CALLERS) as pool:
        return Load(waits=list(pool.map(ask, range(CALLERS * max(2, round(seconds / 4))))))


def describe(load: Load, *, less: float) -> str:
    """p50 and p99 in milliseconds, without the registry's own time."""
    return f"{load.wait_ms(0.5) - less * 1000:.0f} / {load.wait_ms(0.99) - less * 1000:.0f} ms of {len(load.waits)}"


def rounds(started: Service, *, seconds: float) -> Iterator[tuple[str, str]]:
    """Each figure of one round, with its name."""
    port, web = urlsplit(started.url).port, started.web.running
    assert port is not None
    assert web is not None
    for takes in (2.0, 0.5):
        started.mend()
        started.registries.seconds = takes
        yield f"the registries alone, {takes} s", describe(ask_registries(started, seconds), less=takes)
        ask = questions(started.new_customer())
        load = measure(port, ask, pid=web.pid, connections=CALLERS, seconds=seconds, begin_in=takes)
        wrong = set(load.statuses) - {200}
        yield (
            f"added to {takes} s",
            f"{describe(load, less=takes)}, {load.rate:.0f} a second, {load.cpu_ms:.1f} ms of CPU"
            + (f", also answered {wrong}" if wrong else ""),
        )
    started.registries.seconds = 0.0
    started.mend()
    started.prove_slow(*STATES)
    ask = questions(started.new_customer())
    started.worker.end()
    while started.books.count("SELECT count(*) FROM lookups_job WHERE ended_at IS NULL") < WAITING:
        measure(port, ask, pid=web.pid, connections=FEW, seconds=1)
    load = measure(port, ask, pid=web.pid, connections=FEW, seconds=seconds)
    waiting = started.books.count("SELECT count(*) FROM lookups_job WHERE ended_at IS NULL")
    yield (
        "202",
        f"{describe(load, less=0)}, {load.rate:.0f} a second, {dict(load.statuses)}, {waiting} waiting at the end",
    )
    started.books.write("UPDATE lookups_job SET deadline = now() WHERE ended_at IS NULL")
    started.mend()
    started.finish(seconds=300)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sos-lookup-waits-") as name:
        folder = Path(name)
        more = SETTINGS | {"EVIDENCE_STORE": str(folder / "evidence"), "WEB_THREADS": str(WEB_THREADS)}
        (folder / "service").mkdir()
        with service.running(folder / "service", accounts=4 * wanted.rounds, more=more) as started:
            for number in range(wanted.rounds):
                for what, figures in rounds(started, seconds=wanted.seconds):
                    sys.stdout.write(f"{number + 1}  {what:<28} {figures}\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
