"""The detail "drawer" of FileOne: a list of labels and values, some of which are blocks of several lines.

Both generations and the UCC sibling answer with it, so it is read in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, need, need_list, need_text
from scrapers.records import Address, Officer
from scrapers.transport.page import Page

# "CHULA VISTA,CA91910" and "SACRAMENTO, CA  95814": the platform glues state and ZIP, or sets them apart twice.
_GLUED = re.compile(r",\s*([A-Z]{2})\s*(\d{5}(?:-?\d{4})?)$")
_AGENT_NUMBER = re.compile(r"[A-Z]{0,3}\d{4,12}")


def read(page: Page) -> Labels:
    """The drawer's labels; PageChanged when the answer is no drawer, or an empty one."""
    items = need_list(need(page.json(), "DRAWER_DETAIL_LIST"), "DRAWER_DETAIL_LIST")
    if not items:
        raise PageChanged("the detail has no label at all")
    return Labels((need_text(item, "LABEL"), need(item, "VALUE")) for item in items)


def lines(value: Any) -> list[str]:
    """A value as its lines, blanks folded; an empty list for null; PageChanged for anything that is no text."""
    if value is None:
        return []
    if not isinstance(value, str):
        raise PageChanged(f"expected lines of text, got {value!r}")
    rows = (" ".join(row.split()) for row in value.splitlines())
    return [row for row in rows if row]


def line(value: Any) -> str | None:
    """A value of one line; None for null or blank."""
    return " ".join(lines(value)) or None


def address(rows: Iterable[str]) -> Address:
    """An address in lines, or in one line."""
    return addresses.from_lines(_GLUED.sub(r", \1 \2", row) for row in rows)


def party(value: Any, *, kinds: frozenset[str] = frozenset(), headed: bool = False) -> tuple[str | None, Address]:
    """Name and address of an agent's block: lines that say its kind or number, then the name, then the address.

    `kinds` are the words (lower case) that a state writes above the name, such as "noncommercial"; a `headed` block
    has one line above the name, whatever it says.
    """
    rows = lines(value)
    if headed:
        rows = rows[1:]
    while not headed and len(rows) > 1 and (rows[0].casefold() in kinds or _AGENT_NUMBER.fullmatch(rows[0])):
        rows = rows[1:]
    return (rows[0], address(rows[1:])) if rows else (None, Address())


def people(value: Any, *, title: str) -> tuple[Officer, ...]:
    """Persons of a value: blocks between blank lines, each a name and perhaps an address.

    A block without a single digit holds names only, one a line.
    """
    if not lines(value):
        return ()
    found = []
    for block in re.split(r"\n\s*\n", value.replace("\r", "")):
        rows = lines(block)
        if rows and not any(sign.isdigit() for row in rows[1:] for sign in row):
            found += [Officer(row, title) for row in rows]
        elif rows:
            found.append(Officer(rows[0], title, addresses.one_line(address(rows[1:]))))
    return tuple(found)
