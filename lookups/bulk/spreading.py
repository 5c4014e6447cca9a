"""Rows of a draft that name several states: each becomes a row for each of them, judged and priced by itself.

The cells of the file stay as they are; the state stands beside them, as if somebody had written it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from lookups import selectors
from lookups.bulk.input import EVERYWHERE
from lookups.bulk.tables import columns
from lookups.bulk.tables.lines import MOST_ROWS, Unreadable

Kept = dict[str, Any]  # a row as the draft keeps it; `part` numbers those that were made of one


def spread(rows: Sequence[Kept], mapping: columns.Mapping, *, sandbox: bool, now: datetime) -> list[Kept]:
    """The rows with one for each state that they name, made anew of the file's own. Raises Unreadable."""

    @cache  # asked of the registries' table once, not once a row
    def everywhere(ucc: bool) -> list[str]:
        return selectors.list_everywhere(sandbox=sandbox, ucc=ucc, now=now)

    made: list[Kept] = []
    for row in join(rows):
        fields = columns.read_fields(mapping, row["cells"]) | row.get("own", {})
        states = columns.list_states(fields.get("state", ""))
        if states == [EVERYWHERE]:
            states = everywhere(fields["searchType"] == columns.LIENS)
        made += _parts(row, states) if states else [row]
    if len(made) > MOST_ROWS:
        many = f"With a row for each state it has {len(made):,} rows"
        raise Unreadable(f"{many}; up to {MOST_ROWS:,} are taken at a time.")
    return made


def join(rows: Sequence[Kept]) -> list[Kept]:
    """The rows of the file, without what was made of them."""
    return [row if "part" not in row else _first(row) for row in rows if not row.get("part")]


def _first(row: Kept) -> Kept:
    own = {name: text for name, text in row["own"].items() if name != "state"}
    return {name: value for name, value in row.items() if name != "part"} | {"own": own}


def _parts(row: Kept, states: Sequence[str]) -> Iterator[Kept]:
    for part, state in enumerate(states):
        yield {**row, "part": part, "own": {**row.get("own", {}), "state": state}}
