"""A project of 200 rows, sent to a running service as OpenRefine sends it, each answer judged by the specification.

    python -m tests.doors.reconcile.project http://127.0.0.1:8000/reconcile/osd_test_…/

Ten rows at a time, then ten companies at a time for three columns; the figures are printed as a table.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from tests.doors.reconcile.program import judge

COMPANIES = Path(__file__).parents[3] / "scrapers" / "sandbox" / "entities.json"
ROWS, BATCH = 200, 10
COLUMNS = ("status", "formationDate", "registeredAgentName")


def list_rows() -> list[dict[str, Any]]:
    """As a table has them: most names as the registry has them, some in capitals, some without an end, some unknown."""
    companies = json.loads(COMPANIES.read_text(encoding="utf-8"))[:ROWS]
    written = [_write(number, one["name"]) for number, one in enumerate(companies)]
    return [
        {"query": name, "properties": [{"pid": "state", "v": one["state"]}]}
        for name, one in zip(written, companies, strict=True)
    ]


def _write(number: int, name: str) -> str:
    match number % 10:
        case 7:
            return name.upper()
        case 8:
            return name.rpartition(" ")[0]
        case 9:
            return f"Nobody Knows Number {number} LLC"
    return name


class Service:
    """The address, and how often it was asked."""

    def __init__(self, address: str) -> None:
        self.address, self.asked, self.link = address, 0, requests.Session()
        self.link.trust_env = False

    def ask(self, field: str, value: Any, schema: str) -> Any:
        """One batch; its answer, which the specification's schema has found right."""
        self.asked += 1
        reply = self.link.post(self.address, {field: json.dumps(value)}, timeout=60)
        reply.raise_for_status()
        judge(reply.json(), schema)
        return reply.json()


def play(address: str) -> Iterator[tuple[str, Any]]:
    """The figures."""
    service, rows, came = Service(address), list_rows(), Counter[str]()
    judge(service.link.get(address, timeout=60).json(), "manifest")
    chosen: list[str] = []
    started = time.monotonic()
    for start in range(0, ROWS, BATCH):
        queries = {f"q{number}": one for number, one in enumerate(rows[start : start + BATCH], start)}
        found = service.ask("queries", queries, "reconciliation-result-batch")
        for one in found.values():
            candidates = one["result"]
            sure = [each["id"] for each in candidates if each["match"]]
            came["matched by itself" if sure else "candidates to choose from" if candidates else "no candidate"] += 1
            chosen += [each["id"] for each in candidates[:1]]
    yield from (("rows", ROWS), *sorted(came.items()), ("requests to reconcile", service.asked))
    yield "seconds to reconcile", round(time.monotonic() - started, 1)
    companies, service.asked, started, filled = list(dict.fromkeys(chosen)), 0, time.monotonic(), 0
    for start in range(0, len(companies), BATCH):
        asked = {"ids": companies[start : start + BATCH], "properties": [{"id": column} for column in COLUMNS]}
        extended = service.ask("extend", asked, "data-extension-response")["rows"]
        assert all(set(values) == set(COLUMNS) for values in extended.values())
        filled += sum(bool(value) for values in extended.values() for value in values.values())
    yield from (("companies extended", len(companies)), ("requests to extend", service.asked))
    yield "cells with a value", f"{filled} of {len(companies) * len(COLUMNS)}"
    yield "seconds to extend", round(time.monotonic() - started, 1)


if __name__ == "__main__":
    for name, figure in play(sys.argv[1]):
        sys.stdout.write(f"| {name} | {figure} |\n")
