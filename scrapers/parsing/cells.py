"""What stands in a cell or under a label: its text or None, its address, the cells that belong to a row of headings.

`Labels` hands out elements on some portals and lists of lines on others; both are read here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels
from scrapers.parsing.html import lines_of, text_of
from scrapers.records import Address

Value: TypeAlias = HtmlElement | list[str] | None


def shown(value: Value) -> str | None:
    """The text of a value, its lines on one; None where there is none."""
    if value is None:
        return None
    if isinstance(value, list):
        return " ".join(value) or None
    return text_of(value) or None


def must_show(labels: Labels, *names: str) -> str:
    """The text under the first of these labels that is there; PageChanged when the label or its text is missing."""
    found = shown(labels.one(*names))
    if not found:
        raise PageChanged(f"nothing stands under {' / '.join(names)}")
    return found


def address_in(value: Value) -> Address:
    """The address a value holds in lines; an empty one where there is none."""
    if value is None:
        return Address()
    return addresses.from_lines(value if isinstance(value, list) else lines_of(value))


def paired(heads: Sequence[HtmlElement], values: Sequence[HtmlElement]) -> list[tuple[str, HtmlElement]]:
    """Each heading's text with the cell that belongs to it; PageChanged when their numbers differ."""
    if len(heads) != len(values):
        raise PageChanged(f"{len(values)} values stand under {len(heads)} headings")
    return [(text_of(head), value) for head, value in zip(heads, values, strict=True)]
