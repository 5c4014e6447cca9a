"""Words of a registry that stand for a fact: domestic or foreign, and the words behind its codes."""

from __future__ import annotations

from scrapers.parsing.fields import listed


def is_domestic(word: str | None) -> bool | None:
    """Whether a registry calls an entity domestic or foreign; None for any other word."""
    return {"domestic": True, "foreign": False}.get((word or "").strip().casefold())


def coded(text: str) -> dict[str, str]:
    """A published list of codes, written "CF: Foreign Profit Corporation | TR: Trust", as words by code."""
    pairs = (entry.partition(":") for entry in listed(text))
    return {code.strip(): words.strip() for code, _, words in pairs}
