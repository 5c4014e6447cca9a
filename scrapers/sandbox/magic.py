"""Names that make the sandbox registry play an outcome, in every jurisdiction; docs/sandbox.md is the table.

Part of the product's promise to programmers: a name here never changes its meaning.
"""

from __future__ import annotations

from typing import Literal, get_args

from scrapers.normalize import names

Outcome = Literal[
    "found",
    "not_found",
    "several",
    "ambiguous",
    "slow",
    "later",
    "too_many",
    "fails",
    "portal_down",
    "blocked",
    "rate_limited",
    "page_changed",
    "timeout",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

MAGIC: dict[Outcome, str] = {
    "found": "Magic Found LLC",
    "not_found": "Magic Not Found LLC",
    "several": "Magic Several Corp",
    "ambiguous": "Magic Ambiguous LLC",
    "slow": "Magic Slow LLC",
    "later": "Magic Later LLC",
    "too_many": "Magic Too Many LLC",
    "fails": "Magic Fails LLC",
    "portal_down": "Magic Portal Down LLC",
    "blocked": "Magic Blocked LLC",
    "rate_limited": "Magic Rate Limited LLC",
    "page_changed": "Magic Page Changed LLC",
    "timeout": "Magic Timeout LLC",
}
NAME_REFUSED = "Magic Name Refused LLC"  # the registry's own name check says no, though nobody has the name
DEMO_QUESTION: dict[str, str] = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}

_BY_KEY: dict[str, Outcome] = {names.key(name): outcome for outcome, name in MAGIC.items()}


def find_outcome(term: str) -> Outcome | None:
    """The outcome a search term asks for, with or without its legal form; None for every other name."""
    return _BY_KEY.get(names.key(term))


def is_magic(term: str) -> bool:
    """Whether the term begins like a magic name: such a search is never widened."""
    return names.plain(term).startswith("magic")
