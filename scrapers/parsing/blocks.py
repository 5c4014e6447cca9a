"""Pages that are lines: "Label: value" pairs, and addresses that stand as blocks of lines under a heading."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels
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
        elif block is not None:
            block.append(line)
        else:
            pairs.append((line, line))
    return Labels(pairs), {name: addresses.from_lines(rows) for name, rows in blocks.items()}
