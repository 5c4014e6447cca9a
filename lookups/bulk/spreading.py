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

Kept = dict[str, Any]  # a row as the draft keeps it; `part` numbers those that were made of one, `of` is its state then


def spread(rows: Sequence[Kept], mapping: columns.Mapping, *, sandbox: bool, now: datetime) -> list[Kept]:
    """The rows with one for each state that they name, made anew of the file's own. Raises Unreadable.

    What was left out or mended of one state stays so as long as its line names that state.
    """

    @cache  # asked of the registries' table once, not once a row
    def everywhere(ucc: bool) -> list[str]:
        return selectors.list_everywhere(sandbox=sandbox, ucc=ucc, now=now)

    made: list[Kept] = []
    for group in _group(rows):
        row = _join(group)
        fields = columns.read_fields(mapping, row["cells"]) | row.get("own", {})
        states = columns.list_states(fields.get("state", ""))
        if states == [EVERYWHERE]:
            states = everywhere(fields["searchType"] == columns.LIENS)
        made += _parts(row, states, earlier=group) if states else [row]
    if len(made) > MOST_ROWS:
        many = f"With a row for each state it has {len(made):,} rows"
        raise Unreadable(f"{many}; up to {MOST_ROWS:,} are taken at a time.")
    return made


def join(rows: Sequence[Kept]) -> list[Kept]:
    """The rows of the file, without what was made of them."""
    return [_join(group) for group in _group(rows)]


def list_beneath_first(rows: Sequence[Kept]) -> list[Kept]:
    """The rows but for what was made of the file's first."""
    return [row for group in _group(rows)[1:] for row in group]


def _group(rows: Sequence[Kept]) -> list[list[Kept]]:
    """What was made of each row of the file."""
    groups: list[list[Kept]] = []
    for row in rows:
        if row.get("part"):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _join(group: Sequence[Kept]) -> Kept:
    """The row of the file; left out where all that was made of it is."""
    first = group[0]
    if "part" not in first:
        return first
    own = {name: text for name, text in first["own"].items() if name != "state"}
    dropped = all(row.get("dropped", False) for row in group)
    rest = {name: value for name, value in first.items() if name not in ("part", "of")}
    return {**rest, "own": own, "dropped": dropped}


def _parts(row: Kept, states: Sequence[str], *, earlier: Sequence[Kept]) -> Iterator[Kept]:
    before = {one.get("of", one["own"]["state"]): one for one in earlier if "part" in one}
    for part, state in enumerate(states):
        new = {**row, "own": {**row.get("own", {}), "state": state}}
        yield {**before.get(state, new), "part": part, "of": state}
