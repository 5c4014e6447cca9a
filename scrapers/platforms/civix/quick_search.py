"""How the quick search says which names it wants: a flag for each way of comparing, of which exactly one is "true".

Source: what a public client sends to Nevada. That Utah and Indiana take the same flags is a guess.
"""

from __future__ import annotations

from typing import get_args

from scrapers.platforms.civix.portal import Mode


def flags(mode: Mode, *further: str) -> dict[str, str]:
    """The flags of a search; `further` are ways of comparing that only some hosts' forms know."""
    return {f"QuickSearch.{each}": "true" if each == mode else "false" for each in (*get_args(Mode), *further)}
