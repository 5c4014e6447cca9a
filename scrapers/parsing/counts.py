"""How many rows a page says it has: the proof that a list is whole, or was cut."""

from __future__ import annotations

import re


def find_count(pattern: re.Pattern[str], text: str) -> int | None:
    """The number in the pattern's first group ("1,234" too); None where the text does not say it."""
    found = pattern.search(text)
    return int(found[1].replace(",", "")) if found else None
