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
    parser.add_argument("--only", default="", help="a part of an address's name, or admin, workspace, hot")
    parser.add_argument("--keep-running", action="store_true", help="keep the servers until Enter")
    chosen = parser.parse_args()
    with servers.running(programs.get_programs()) as addresses, tempfile.TemporaryDirectory() as folder:
        small = _make(addresses, folder, "few", FEW)
        large = _make(addresses, folder, "many", chosen.entities)
        before = _measure(small, chosen.repeats, chosen.only)
        after = _measure(large, chosen.repeats, chosen.only)
        print_table(before, after)
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


def print_table(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """Milliseconds, the slowest of each part first; calls that programs repeat as they come."""
    few = {(row["part"], row["name"]): row for row in before}
    print("| what | few: p50 / p95 | many: p50 / p95 | ratio of p50 |\n| --- | --- | --- | --- |")  # noqa: T201
    for row in sorted(after, key=lambda one: (one["part"], -one["p95"])):
        beside = few[row["part"], row["name"]]
        ratio = row["p50"] / beside["p50"]
        odd = "" if row["status"] == 200 else f" ({row['status']})"
        numbers = f"{beside['p50']:.1f} / {beside['p95']:.1f} | {row['p50']:.1f} / {row['p95']:.1f} | {ratio:.2f}"
        print(f"| {row['part']}: {row['name']}{odd} | {numbers} |")  # noqa: T201


if __name__ == "__main__":
    main()
