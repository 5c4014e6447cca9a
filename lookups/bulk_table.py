"""The results of a bulk job as a table: its columns, and its lines with what stands in each cell.

The columns follow from the shapes of a row and of a company, so they never lag behind, and all files have the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lookups.api.wire.bulk import BulkRow
from lookups.api.wire.entities import Entity
from lookups.api.wire.filings import UccFiling
from lookups.api.wire.shape import list_columns, to_plain

RENAMED = {"status": "entityStatus"}  # the row has a status of its own
LIEN = "filing."
LONGEST_NAME = 300
# Younger than the others, whose places programs may know
LAST = ("suggestions", "relatedResults", f"{LIEN}amendments", "searchBy", "dateAfter", "dateBefore")
_LIENS = list_columns(UccFiling)


class Table(NamedTuple):
    """What any file of the results is written from."""

    columns: list[str]
    lines: Iterator[dict[str, Any]]


def make_table(rows: Iterable[BulkRow]) -> Table:
    """What is said of the row, then the company, or a line for each of the liens."""
    own = [name for name in list_columns(BulkRow) if name != "data"]
    company = [path for path in list_columns(Entity) if RENAMED.get(path, path) not in own]  # the row has its evidence
    company.sort(key=lambda path: path not in ("entityName", "status"))
    columns = [*own, *(RENAMED.get(path, path) for path in company), *(f"{LIEN}{path}" for path in _LIENS)]
    columns.sort(key=lambda column: LAST.index(column) if column in LAST else -1)
    return Table(columns, (line for row in rows for line in _flat(row, own, company)))


def _flat(row: BulkRow, own: Sequence[str], company: Sequence[str]) -> Iterator[dict[str, Any]]:
    plain = to_plain(row)
    data = plain.pop("data") or {}
    about = {path: _at(plain, path) for path in own}
    if row.details:  # a cell holds no object: what has to change stands beside what else one must know
        about["note"] = " ".join(filter(None, [row.note, *(text for texts in row.details.values() for text in texts)]))
    if "filings" not in data:
        yield {**{RENAMED.get(path, path): _at(data, path) for path in company}, **about}
        return
    for number, filing in enumerate(data["filings"]):
        lien = {f"{LIEN}{path}": _at(filing, path) for path in _LIENS}
        yield {**about, **lien, **({"cost": 0} if number else {})}  # the column adds up to what was paid


def _at(data: Any, path: str) -> Any:
    """What one cell holds: text, a number, a yes or no, or nothing."""
    for step in path.split("."):
        data = data.get(step) if isinstance(data, dict) else None
    return "; ".join(map(_words, data)) if isinstance(data, list) else data


def _words(item: Any) -> str:
    """One item of a list: text, a lien's document, or whoever has a name, with what else tells them from others."""
    if not isinstance(item, dict):
        return str(item)
    if "fileNumber" in item:
        return " ".join(filter(None, [item["fileDate"], item["filingType"], f"({item['fileNumber']})"]))
    if "entityName" in item:  # one of several companies in a cell, and the next is to be seen as well
        name, more = item["entityName"][:LONGEST_NAME], item["entityId"]
    elif "zip" in item:  # a party to a lien
        place = " ".join(filter(None, [item["state"], item["zip"]]))
        name, more = item["name"], ", ".join(filter(None, [item["address"], item["city"], place]))
    else:
        name, more = item["name"], item.get("title")
    return f"{name} ({more})" if more else str(name)
