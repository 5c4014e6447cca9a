"""What people write into a bulk request: a CSV table read into rows, and rows that ask several states at once.

Plain reading, no judging: whether a row can be asked is for the same checks as any other question.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

EVERYWHERE = "*"
MOST_ROWS = 1000

# What a column may be headed by, in any case, with blanks or underscores: the field it fills.
HEADERS = {
    "entity_name": ("entityname", "name", "company", "companyname", "legalname"),
    "state": ("state", "jurisdiction"),
    "states": ("states",),
    "entity_id": ("entityid", "id", "stateid", "filenumber"),
    "searchType": ("searchtype", "lookuptype", "querytype"),
    "searchBy": ("searchby",),
    "source": ("source",),
    "fresh": ("fresh",),
    "dateAfter": ("dateafter",),
    "dateBefore": ("datebefore",),
    "ref": ("ref", "reference", "yourref"),
    # Older names of what is bought, judged as those of a row in JSON are
    "query": ("query",),
    "entity_type": ("entitytype",),
}
_SEPARATORS = (",", ";", "\t")


class Unreadable(Exception):
    """The text is no table that could be read; the message says why, and `line` where (1 for the header)."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class WrongStates(Exception):
    """`states` is no list of text, or stands beside `state`; the message says which."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it was written: its fields, its line in the file (None: it came as JSON), and its columns' names."""

    fields: Any
    line: int | None = None
    columns: dict[str, str] | None = None


def read_csv(raw: bytes, *, most: int, headers: Mapping[str, Sequence[str]]) -> list[Row]:
    """The rows of a table with a header; columns that `headers` does not name are left alone. Raises Unreadable."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("Not valid UTF-8 text. Save the table as CSV UTF-8.") from None
    if "\0" in text:
        raise Unreadable("Not a text file.")
    header = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        names = next(reader, [])
        columns = _columns(names, headers)
        rows = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(names):
                raise Unreadable(f"{len(cells)} cells under {len(names)} headers.", reader.line_num)
            rows.append(_row(cells, names, columns, reader.line_num))
            if len(rows) > most:
                raise Unreadable(f"More than {most:,} rows.", reader.line_num)
    except csv.Error as error:
        raise Unreadable(f"Not a CSV table: {error}.", reader.line_num) from None
    return rows


def spread(row: Row, *, everywhere: Callable[[Mapping[str, Any]], list[str]]) -> list[Row]:
    """The row, or one for each of the states it names.

    `everywhere` lists the states that can be asked what the row's fields ask. Raises WrongStates.
    """
    states = row.fields.get("states") if isinstance(row.fields, dict) else None
    if states is None:
        return [row]
    if row.fields.get("state") is not None:
        raise WrongStates("Send state or states, not both.")
    if not isinstance(states, list) or not states or not all(isinstance(one, str) for one in states):
        raise WrongStates('Send a list of two-letter codes, or ["*"] for every state that can be asked.')
    if EVERYWHERE in states:
        if len(states) > 1:
            raise WrongStates('"*" stands alone.')
        states = everywhere(row.fields)
    rest = {name: value for name, value in row.fields.items() if name != "states"}
    named = {state.strip().upper(): state for state in states}
    if len(named) > 1 and rest.get("entity_id"):
        raise WrongStates("An entity_id is of one state, and another company's in the next: send its state.")
    return [Row({**rest, "state": state}, row.line, row.columns) for state in named.values()]


def _columns(names: list[str], headers: Mapping[str, Sequence[str]]) -> dict[int, str]:
    """Which column fills which field."""
    fields = {header: field for field, several in headers.items() for header in several}
    columns: dict[int, str] = {}
    for position, name in enumerate(names):
        field = fields.get("".join(sign for sign in name.casefold() if sign.isalnum()))
        if field is None:
            continue
        if field in columns.values():
            raise Unreadable(f"Two columns say {field}.")
        columns[position] = field
    if "state" not in columns.values() and "states" not in columns.values():
        raise Unreadable(f"No column is headed {' or '.join(one for one in ('state', 'states') if one in headers)}.")
    return columns


def _row(cells: list[str], names: list[str], columns: dict[int, str], line: int) -> Row:
    filled = {columns[at]: cell.strip() for at, cell in enumerate(cells) if at in columns and cell.strip()}
    fields: dict[str, Any] = dict(filled)
    if "states" in filled:
        fields["states"] = filled["states"].replace(";", " ").replace("|", " ").replace(",", " ").split()
    return Row(fields, line, {field: names[at] for at, field in columns.items()})
