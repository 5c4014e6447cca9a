"""Sections of a page that have no mark but the words of their heading."""

from __future__ import annotations

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.html import text_of


def find_heading(root: HtmlElement, heading: str) -> HtmlElement | None:
    """The innermost block that begins with a section's heading; None where there is no such section."""
    for block in root.xpath(".//div"):
        if text_of(block).startswith(heading) and not any(
            text_of(inner).startswith(heading) for inner in block.iterdescendants("div")
        ):
            return block
    return None


def table_under(root: HtmlElement, heading: str, *, named: str) -> HtmlElement:
    """The first table of this class in the section, or after it; PageChanged where there is none."""
    block = find_heading(root, heading)
    fits = f"contains(concat(' ', normalize-space(@class), ' '), ' {named} ')"
    tables = [] if block is None else block.xpath(f"(.//table[{fits}] | following::table[{fits}])[1]")
    if not tables:
        raise PageChanged(f"no table under {heading!r}")
    return tables[0]
