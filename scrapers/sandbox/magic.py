"""Names that make the sandbox registry play an outcome, in every jurisdiction; docs/sandbox.md is the table.

Part of the product's promise to programmers: a name here never changes its meaning.
"""

from __future__ import annotations

from typing import Literal

from scrapers.failures import Failure
from scrapers.normalize import names
from scrapers.sandbox.changing import find_changing

Played = Literal["no_funds", "too_many_requests"]
FAILURES: dict[str, Failure] = {failure.facts.sandbox: failure for failure in Failure if failure.facts.sandbox}
MAGIC: dict[str, str] = {
    "found": "Magic Found LLC",
    "not_found": "Magic Not Found LLC",
    "several": "Magic Several Corp",
    "ambiguous": "Magic Ambiguous LLC",
    "slow": "Magic Slow LLC",
    "later": "Magic Later LLC",
    "fails": "Magic Fails LLC",
    "copy": "Magic Copy LLC",
    "pending": "Magic Pending LLC",
    "cannot_say": "Magic Cannot Say LLC",
    "status_note": "Magic Status Note LLC",
    "name_refused": "Magic Name Refused LLC",  # the registry's own name check says no, though nobody has the name
    **{outcome: f"Magic {outcome.replace('_', ' ').title()} LLC" for outcome in FAILURES},
    "later_not_found": "Magic Later Not Found LLC",
    "later_ambiguous": "Magic Later Ambiguous LLC",
    "later_too_many": "Magic Later Too Many LLC",
    "later_page_changed": "Magic Later Page Changed LLC",
    "later_fails": "Magic Later Fails LLC",
}
PLAYED: dict[Played, str] = {
    "no_funds": "Magic No Funds LLC",
    "too_many_requests": "Magic Too Many Requests LLC",
}
"""What no registry does: the service itself plays it, before anybody is asked."""
DEMO_QUESTION: dict[str, str] = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}

LATER = "later"
_BY_KEY = {names.key(name): outcome for outcome, name in MAGIC.items()}
_PLAYED_BY_KEY = {names.key(name): word for word, name in PLAYED.items()}


def find_outcome(term: str) -> str | None:
    """The outcome a search term asks for, with or without its legal form; None for every other name."""
    return _BY_KEY.get(names.key(term)) or find_changing(term)


def find_played(name: str) -> Played | None:
    """What the service itself plays for this name, with or without its legal form; None for every other name."""
    return _PLAYED_BY_KEY.get(names.key(name))


def at_once(outcome: str | None) -> str | None:
    """What an outcome that comes later is but for that: "later_fails" fails."""
    return outcome.removeprefix(f"{LATER}_") if outcome else None


def comes_later(outcome: str | None) -> bool:
    """Whether the registry is known beforehand to be slow with it."""
    return outcome is not None and outcome.partition("_")[0] == LATER


def is_magic(term: str) -> bool:
    """Whether the term begins like a magic name: such a search is never widened."""
    return names.plain(term).startswith("magic")
