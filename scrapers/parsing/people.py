"""Agents and officers: a name above its address in one cell, or each under a label of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.cells import Value
from scrapers.parsing.fields import fold
from scrapers.parsing.html import lines_of, text_of
from scrapers.parsing.pairs import Pair
from scrapers.records import Address, Officer


def lines_in(value: Value) -> list[str]:
    """The lines of a value, however it was read; none where there is no value."""
    if value is None:
        return []
    return value if isinstance(value, list) else lines_of(value)


def agent_in(value: Value) -> tuple[str | None, Address]:
    """Name and address; None and an empty address where nobody is named."""
    lines = lines_in(value)
    return (lines[0] or None) if lines else None, addresses.from_lines(lines[1:])


def officer_in(value: Value, title: str | None) -> Officer | None:
    """One officer; None where nobody is named."""
    name, place = agent_in(value)
    return Officer(name, title, addresses.one_line(place)) if name else None


def labeled_officers(details: list[Pair], pattern: re.Pattern[str]) -> tuple[tuple[Officer, ...], list[Pair]]:
    """The officers whose labels fit the pattern ("Member Name", "Member Street Address"), and the other pairs.

    The pattern's groups are the title and the kind of value; an address belongs to the name before it.
    """
    people: list[Officer] = []
    rest = []
    for label, lines in details:
        found = pattern.match(label)
        if found is None:
            rest.append((label, lines))
        elif found[2].casefold() == "name" and lines:
            people.append(Officer(" ".join(lines), found[1].title()))
        elif found[2].casefold() == "street address" and lines and people and people[-1].address is None:
            where = addresses.one_line(addresses.from_lines(lines))
            people[-1] = replace(people[-1], address=where)
    return tuple(people), rest


def refuse_unread(tables: Iterable[HtmlElement], *words: str) -> None:
    """PageChanged where one of the tables that nobody reads has all these words among its headings.

    For lists of people under headings or ids, which a company without people may lack: renamed they would be none.
    """
    for table in tables:
        heads = [fold(text_of(cell)) for cell in table.xpath("(./tr | ./*/tr)[1][not(.//table)]/*")]
        if len(heads) >= len(words) and all(any(word in head for head in heads) for word in words):
            raise PageChanged(f"nobody reads the table with the headings {heads}")
