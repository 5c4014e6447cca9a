"""The table of magic names in docs/sandbox.md, row by row, for the tests that play it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

PAGE: Path = settings.BASE_DIR / "docs" / "sandbox.md"
CHANGING = "## Companies that change"


def list_changing() -> dict[str, set[str]]:
    """The companies that change, and the codes or categories that are promised of each."""
    table = PAGE.read_text(encoding="utf-8").partition(CHANGING)[2]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `Magic ")]
    return {name.strip("`"): set(re.findall(r"`([a-z.]+)`", told)) for name, _, told in lines}


@dataclass(frozen=True, slots=True)
class Row:
    """What the page promises of a name. A cell is its words in `code` style, after the HTTP status where it has one."""

    name: str
    lookup: tuple[str, ...]
    job: tuple[str, ...]
    bulk_row: tuple[str, ...]
    name_check: tuple[str, ...]
    again: bool  # whether a failure of it is tried again
    beside: frozenset[str] = frozenset()  # fields that are set beside the verdict of a lookup or a name check
    retry_after: str | None = None  # what the registry answers there


def list_rows(page: str = "") -> list[Row]:
    """Every row, in the order of the page."""
    text, _, _ = (page or PAGE.read_text(encoding="utf-8")).partition(CHANGING)
    lines = [line for line in text.splitlines() if line.startswith("| `Magic ")]
    return [_row([cell.strip() for cell in line.strip("|").split(" | ")]) for line in lines]


def _row(cells: list[str]) -> Row:
    name, played, *promised = cells
    lookup, job, bulk_row, name_check = (_words(cell) for cell in promised)
    asked_to_wait = re.search(r"`Retry-After: (\d+)`", played)
    return Row(
        name.strip("` "),
        lookup,
        job,
        bulk_row,
        name_check,
        again="tried again" in promised[2],
        beside=_beside(promised[0]) | _beside(promised[3]),
        retry_after=asked_to_wait[1] if asked_to_wait else None,
    )


def _words(cell: str) -> tuple[str, ...]:
    """The status and the words before the first comma."""
    first = cell.partition(",")[0]
    return (*re.findall(r"^\d{3}", first), *re.findall(r"`([a-z_]+)`", first))


def _beside(cell: str) -> frozenset[str]:
    """The fields that are named after the first comma; the rest of it is for people."""
    return frozenset(re.findall(r"`([A-Za-z.]+)`", cell.partition(",")[2]))
