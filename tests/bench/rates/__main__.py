"""`python -m tests.bench.rates [--engine servers|embedded] [--repeats 5] [--seconds 5] [--only stored]`: a table.

The whole stack in its production shape on throw-away servers (or on SQLite), and a bare Django view on the same web
server: the rates are parts of that view's, all measured in one run. The sandbox registry answers at once; what is asked
of others goes at their pace and is measured elsewhere (`bulk_rate`, `waits`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from config.launch import commands
from tests import plain_http
from tests.bench.rates.load import Load, measure, read_memory, request
from tests.engines import programs, servers
from tests.failures import registries
from tests.failures.service import SETTINGS
from tests.journeys.checkout import ROOT, clean_environment
from tests.ports import free_port

AT_ONCE = 16
CUSTOMERS = 4  # a key may have ten lookups at a time
STORED = 20  # companies that are asked for in turn; first of their registry, at its pace


@dataclass
class Web:
    """A web server: its port, and the process that looks after its processes."""

    port: int
    process: subprocess.Popen[bytes]
    first_answer: float


@contextmanager
def serving(environment: dict[str, str], *, production: bool, application: str = "") -> Iterator[Web]:
    """The service's own command line, or the same server with another application."""
    port, began = free_port(), time.monotonic()
    command = commands.web(host="127.0.0.1", port=port, production=production)
    if application:
        command[command.index("config.wsgi:application")] = application
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=said)
        try:
            path = "/v1/lookup" if application else "/v1/health"
            while not _answers(f"http://127.0.0.1:{port}{path}"):
                if process.poll() is not None or time.monotonic() > began + 60:
                    said.seek(0)
                    sys.exit(said.read().decode(errors="replace")[-3000:])
                time.sleep(0.05)
            yield Web(port, process, time.monotonic() - began)
        finally:
            process.terminate()
            process.wait(60)


def _answers(url: str) -> bool:
    try:
        return plain_http.get(url, timeout=5).status_code < 500
    except httpx.HTTPError:
        return False


def open_customers(environment: dict[str, str]) -> list[dict[str, str]]:
    """Accounts with credit, each with its keys."""
    command = [sys.executable, "-m", "tests.failures.customers", f"{CUSTOMERS}"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, str]] = json.loads(done.stdout)
    return found


def list_played() -> list[dict[str, Any]]:
    """A question for each company of the sandbox registry that has its name alone in its state."""
    held = json.loads((ROOT / "scrapers/sandbox/entities.json").read_text(encoding="utf-8"))
    known = Counter((one["state"], word) for one in held for word in {one["name"], *one.get("former", ())})
    alone = [one for one in held if known[one["state"], one["name"]] == 1 and not one.get("reserved")]
    return [{"entity_name": one["name"], "state": one["state"], "source": "live"} for one in alone]


def questions(customers: Sequence[dict[str, str]]) -> dict[str, Callable[[], bytes]]:
    """What each measure sends, request by request."""
    key, stored = customers[0]["secret"], itertools.count()
    played, testers = itertools.cycle(list_played()), itertools.cycle(one["test"] for one in customers)

    def play() -> bytes:
        return request("POST", "/v1/lookup", key=next(testers), body=json.dumps(next(played)).encode())

    def ask() -> bytes:
        asked = {"entity_name": f"PETREL B1 N{next(stored) % STORED:05} LLC", "state": "NY", "source": "cache"}
        return request("POST", "/v1/lookup", key=key, body=json.dumps(asked).encode())

    wrong = request("POST", "/v1/lookup", key=key, body=b'{"state": "NY"}')
    return {
        "stored answer": ask,
        "live answer of the sandbox registry": play,
        "400": lambda: wrong,
        "balance": lambda: request("GET", "/v1/account/balance", key=key),
        "states": lambda: request("GET", "/v1/states"),
        "health": lambda: request("GET", "/v1/health"),
    }


def run(engine: str, *, repeats: int, seconds: float, only: str) -> None:
    """Measure everything so often and print the medians with their spread."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sos-lookup-rates-"))
        portals = stack.enter_context(registries.running())
        urls = {"DATABASE_URL": "", "REDIS_URL": ""}
        if engine == "servers":
            addresses = stack.enter_context(servers.running(programs.get_programs()))
            urls = {"DATABASE_URL": addresses.database_url, "REDIS_URL": addresses.redis_url}
        environment = clean_environment(SETTINGS | urls | {"VAR_DIR": folder, "PORTALS_URL": portals.url})
        environment |= {"SYNC_BUDGET_SECONDS": "15"}
        Path(folder).mkdir(exist_ok=True)
        customers = open_customers(environment)
        key = customers[0]["secret"]
        production = engine == "servers"
        environment |= {"LOG_FORMAT": "json" if production else "text"}  # as the compose file and `make run` have it
        ours = stack.enter_context(serving(environment, production=production))
        bare = stack.enter_context(serving(environment, production=production, application="tests.bench.rates.bare"))
        asked = questions(customers)
        for _ in range(STORED):
            plain_http.post(
                f"http://127.0.0.1:{ours.port}/v1/lookup",
                content=asked["stored answer"]().partition(b"\r\n\r\n")[2],
                headers={"x-api-key": key, "content-type": "application/json"},
                timeout=60,
            ).raise_for_status()
        asked = {name: write for name, write in asked.items() if only in name}
        report(ours, bare, asked, repeats=repeats, seconds=seconds)


def report(ours: Web, bare: Web, asked: dict[str, Callable[[], bytes]], *, repeats: int, seconds: float) -> None:
    """Print the table, line by line."""
    simple = request("GET", "/v1/lookup")
    say("| what | a second | of the bare view | p50 | p99 | p99 at half load | CPU of the web processes |")
    say("|---|---|---|---|---|---|---|")
    for name, write in asked.items():
        whole: list[Load] = []
        halves: list[Load] = []
        parts: list[float] = []
        for _ in range(repeats):
            base = measure(bare.port, lambda: simple, pid=bare.process.pid, connections=AT_ONCE, seconds=seconds / 2)
            load = measure(ours.port, write, pid=ours.process.pid, connections=AT_ONCE, seconds=seconds)
            half = measure(
                ours.port, write, pid=ours.process.pid, connections=AT_ONCE, seconds=seconds, rate=load.rate / 2
            )
            whole, halves, parts = [*whole, load], [*halves, half], [*parts, load.rate / base.rate]
        wrong = {status for load in whole for status in load.statuses} - {400 if name == "400" else 200}
        say(
            f"| {name} | {_median([load.rate for load in whole]):.0f} | {_median(parts):.3f}"
            f" ({min(parts):.3f}-{max(parts):.3f}) | {_median([load.wait_ms(0.5) for load in whole]):.1f} ms"
            f" | {_median([load.wait_ms(0.99) for load in whole]):.1f} ms"
            f" | {_median([load.wait_ms(0.99) for load in halves]):.1f} ms"
            f" | {_median([load.cpu_ms for load in whole]):.2f} ms |" + (f" answered {wrong}" if wrong else "")
        )
    memory = ", ".join(f"{size:.0f} MB" for size in read_memory(ours.process.pid))
    say(f"\nResident: {memory}; {ours.first_answer:.1f} s from start to first answer.")


def say(line: str) -> None:
    """Print it now."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _median(values: list[float]) -> float:
    return statistics.median(values)


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["servers", "embedded"], default="servers")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", default="", help="what is named so, or so in part")
    chosen = parser.parse_args()
    run(chosen.engine, repeats=chosen.repeats, seconds=chosen.seconds, only=chosen.only)


if __name__ == "__main__":
    main()
