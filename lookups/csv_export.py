"""Rows as CSV, written one by one: a table of any length takes no more memory than its widest row.

The columns of a bulk job's results follow from the shapes of its rows and of a company, so they never lag behind.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lookups.api.wire.bulk import BulkRow
from lookups.api.wire.entities import Entity
from lookups.api.wire.filings import UccFiling
from lookups.api.wire.shape import list_columns, to_plain

RENAMED = {"status": "entityStatus"}  # the row has a status of its own
LIEN = "filing."
_LIENS = list_columns(UccFiling)
BOM = "\ufeff"  # by which spreadsheets know that the text is UTF-8


class _Line:
    """A file that hands each line back instead of keeping it."""

    def write(self, text: str) -> str:
        return text


def csv_lines(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The header and one line a row."""
    writer = csv.writer(_Line())
    yield str(writer.writerow(columns))
    for row in rows:
        yield str(writer.writerow([_cell(row.get(name)) for name in columns]))


def bulk_lines(rows: Iterable[BulkRow]) -> Iterator[str]:
    """The results of a bulk job: what is said of the row, then the company, or a line for each of the liens."""
    own = [name for name in list_columns(BulkRow) if name != "data"]
    company = sorted(list_columns(Entity), key=lambda path: path not in ("entityName", "status"))
    columns = [*own, *(RENAMED.get(path, path) for path in company), *(f"{LIEN}{path}" for path in _LIENS)]
    return csv_lines(columns, (line for row in rows for line in _flat(row, own, company)))


def _flat(row: BulkRow, own: Sequence[str], company: Sequence[str]) -> Iterator[dict[str, Any]]:
    plain = to_plain(row)
    data = plain.pop("data") or {}
    said = {path: _at(plain, path) for path in own}
    if "filings" not in data:
        yield {**{RENAMED.get(path, path): _at(data, path) for path in company}, **said}
        return
    for number, filing in enumerate(data["filings"]):
        lien = {f"{LIEN}{path}": _at(filing, path) for path in _LIENS}
        yield {**said, **lien, **({"cost": 0} if number else {})}  # the column adds up to what was paid


def _at(data: Any, path: str) -> Any:
    for step in path.split("."):
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _cell(value: Any) -> Any:
    """One cell. Text that a spreadsheet would run as a formula is quoted: names come from callers and registries."""
    if isinstance(value, list):
        value = "; ".join(map(_words, value))
    if isinstance(value, float) and value.is_integer():
        return int(value)  # nothing is 0 in one row and 0.0 in the next
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _words(item: Any) -> str:
    """One item of a list: text, or whoever has a name, with the title where there is one."""
    if isinstance(item, dict):
        return f"{item['name']} ({item['title']})" if item.get("title") else str(item["name"])
    return str(item)
