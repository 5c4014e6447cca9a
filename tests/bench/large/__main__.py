"""Fill both databases, measure both, print the table."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from statistics import median
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.engines import programs, servers

FEW = 200  # companies of the database that is compared with


def main() -> None:
    """Everything, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.large")
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=1, help="so often all of it, few and many in turn")
    parser.add_argument("--only", default="", help="a part of an address's name, or admin, workspace, hot")
    parser.add_argument("--keep-running", action="store_true", help="keep the servers until Enter")
    chosen = parser.parse_args()
    with servers.running(programs.get_programs()) as addresses, tempfile.TemporaryDirectory() as folder:
        small = _make(addresses, folder, "few", FEW)
        large = _make(addresses, folder, "many", chosen.entities)
        rounds = [
            (_measure(small, chosen.repeats, chosen.only), _measure(large, chosen.repeats, chosen.only))
            for _ in range(chosen.rounds)
        ]
        print_table(rounds)
        if chosen.keep_running:
            input(f"{large['DATABASE_URL']} {large['REDIS_URL']}")


def _make(addresses: servers.Addresses, folder: str, name: str, entities: int) -> dict[str, str]:
    """A database of that many companies; the variables by which a process finds it."""
    parts = urlsplit(addresses.database_url)
    with psycopg.connect(addresses.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    named = {
        "DATABASE_URL": urlunsplit(parts._replace(path=f"/{name}")),
        "REDIS_URL": addresses.redis_url,
        "SOS_TEST_VAR": f"{folder}/{name}",
        "VAR_DIR": f"{folder}/{name}",
        "DATABASE_SECONDS": "7200",
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    start = time.monotonic()
    code = f"from tests.bench import large; large.make({entities})"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **named}, check=True)
    print(f"{name}: {entities:,} companies in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)  # noqa: T201
    return named


def _measure(named: Mapping[str, str], repeats: int, only: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.bench.large.measuring", str(repeats), only]
    done = subprocess.run(command, env={**os.environ, **named}, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def print_table(rounds: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]) -> None:
    """Milliseconds, the slowest of each part first: medians of the rounds, and how far these lie apart."""
    named = [[{(row["part"], row["name"]): row for row in side} for side in one] for one in rounds]
    few, many = ([one[side] for one in named] for side in (0, 1))
    print("| what | few: p50 | p95 | many: p50 | p95 | ratio of p50 |\n| --- | --- | --- | --- | --- | --- |")  # noqa: T201
    for one in sorted(many[0], key=lambda one: (one[0], -median(each[one]["p95"] for each in many))):
        numbers = [spread([each[one][cut] for each in side]) for side in (few, many) for cut in ("p50", "p95")]
        ratio = spread([large[one]["p50"] / small[one]["p50"] for small, large in named], places=2)
        statuses = {each[one]["status"] for each in many} - {200}
        odd = f" {sorted(statuses)}" if statuses else ""
        print(f"| {': '.join(one)}{odd} | {' | '.join([*numbers, ratio])} |")  # noqa: T201
    for limit in (100, 300):
        under = spread([sum(row["p95"] < limit for row in each.values()) for each in many], places=0)
        print(f"Of {len(many[0])} under {limit} ms at p95: {under}.")  # noqa: T201


def spread(values: list[float], places: int = 1) -> str:
    """The median, and where there are several the least and the most."""
    middle = f"{median(values):.{places}f}"
    return middle if len(values) < 2 else f"{middle} ({min(values):.{places}f}-{max(values):.{places}f})"


if __name__ == "__main__":
    main()
