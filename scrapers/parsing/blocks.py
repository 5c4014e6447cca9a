"""Pages that are lines: "Label: value" pairs, and addresses that stand as blocks of lines under a heading."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels
from scrapers.parsing.html import text_of
from scrapers.records import Address


def pairs_and_addresses(
    lines: Iterable[str], *, labels: Collection[str], addressed: Collection[str], headings: Collection[str]
) -> tuple[Labels, dict[str, Address]]:
    """Sort the lines of a page into its labels and its addresses by heading; all names are given in lower case.

    `addressed` are headings that open an address ("Mailing" or "Mailing address"), `headings` those that only end
    one. Within an address a colon makes a label only of the words in `labels`: "ATTN: ..." is a line of its address.
    """
    pairs: list[tuple[str, str]] = []
    blocks: dict[str, list[str]] = {}
    block: list[str] | None = None
    for line in lines:
        heading = re.sub(r"\s*address$", "", line.casefold().rstrip(" :"))
        label, colon, value = line.partition(":")
        if heading in addressed:
            block = blocks.setdefault(heading, [])
        elif colon and (block is None or label.casefold() in labels):
            block = None
            pairs.append((label, value.strip()))
        elif heading in headings:
            block = None
        elif block is not None and line.casefold().rstrip(" :").endswith(" address"):  # a heading that nobody knows
            block = None
            pairs.append((line, line))
        elif block is not None:
            block.append(line)
        else:
            pairs.append((line, line))
    return Labels(pairs), {name: addresses.from_lines(rows) for name, rows in blocks.items()}


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
