"""The table of magic names in docs/sandbox.md, row by row, for the tests that play it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

PAGE: Path = settings.BASE_DIR / "docs" / "sandbox.md"


@dataclass(frozen=True, slots=True)
class Row:
    """What the page promises of a name. A cell is its words in `code` style, after the HTTP status where it has one."""

    name: str
    lookup: tuple[str, ...]
    job: tuple[str, ...]
    bulk_row: tuple[str, ...]
    name_check: tuple[str, ...]
    again: bool  # whether a failure of it is tried again


def list_rows(page: str = "") -> list[Row]:
    """Every row, in the order of the page."""
    lines = [line for line in (page or PAGE.read_text(encoding="utf-8")).splitlines() if line.startswith("| `Magic ")]
    return [_row([cell.strip() for cell in line.strip("|").split(" | ")]) for line in lines]


def _row(cells: list[str]) -> Row:
    name, _, *promised = cells
    lookup, job, bulk_row, name_check = (_words(cell) for cell in promised)
    return Row(name.strip("` "), lookup, job, bulk_row, name_check, again="tried again" in promised[2])


def _words(cell: str) -> tuple[str, ...]:
    """The status and the words before the first comma: what stands after it is for people."""
    said = cell.partition(",")[0]
    return (*re.findall(r"^\d{3}", said), *re.findall(r"`([a-z_]+)`", said))
