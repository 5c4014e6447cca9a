"""The history of FileOne: what was filed on a company or a lien, by the number of its record.

Source: California's recorded history of a lien (2026); of companies three public clients of Idaho's, who read the same
keys. `HISTORY_LIST` beside it says which field each filing changed, and is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scrapers.normalize.dates import to_iso
from scrapers.parsing.fields import need, need_list, need_rows, need_text, text
from scrapers.records import Filing
from scrapers.transport.session import PortalSession


@dataclass(frozen=True, slots=True)
class Entry:
    """One document, in the portal's words."""

    number: str | None
    date: str | None
    title: str


def ask(session: PortalSession, *, host: str, section: str, number: str, headers: Mapping[str, str]) -> list[Entry]:
    """The documents of a record, in the portal's order; the first one is among them."""
    answer = session.get(f"https://{host}/api/History/{section}/{number}", headers=headers).json()
    need_list(need(answer, "HISTORY_LIST"), "HISTORY_LIST")
    return [
        Entry(text(need(row, "AMENDMENT_NUM")), text(need(row, "AMENDMENT_DATE")), need_text(row, "AMENDMENT_TYPE"))
        for row in need_rows(need(answer, "AMENDMENT_LIST"), "AMENDMENT_LIST")
    ]


def filings(entries: list[Entry]) -> tuple[Filing, ...]:
    """The documents of a company, newest first."""
    newest = sorted(entries, key=lambda entry: to_iso(entry.date) or "", reverse=True)
    return tuple(Filing(entry.date, entry.title) for entry in newest)
