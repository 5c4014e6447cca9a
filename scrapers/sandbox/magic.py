"""Names that make the sandbox registry play an outcome, in every jurisdiction; docs/sandbox.md is the table.

Part of the product's promise to programmers: a name here never changes its meaning.
"""

from __future__ import annotations

from scrapers.failures import Failure
from scrapers.normalize import names

FAILURES: dict[str, Failure] = {failure.facts.sandbox: failure for failure in Failure if failure.facts.sandbox}
MAGIC: dict[str, str] = {
    "found": "Magic Found LLC",
    "not_found": "Magic Not Found LLC",
    "several": "Magic Several Corp",
    "ambiguous": "Magic Ambiguous LLC",
    "slow": "Magic Slow LLC",
    "later": "Magic Later LLC",
    "fails": "Magic Fails LLC",
    **{outcome: f"Magic {outcome.replace('_', ' ').title()} LLC" for outcome in FAILURES},
}
NAME_REFUSED = "Magic Name Refused LLC"  # the registry's own name check says no, though nobody has the name
DEMO_QUESTION: dict[str, str] = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}

_BY_KEY = {names.key(name): outcome for outcome, name in MAGIC.items()}


def find_outcome(term: str) -> str | None:
    """The outcome a search term asks for, with or without its legal form; None for every other name."""
    return _BY_KEY.get(names.key(term))


def is_magic(term: str) -> bool:
    """Whether the term begins like a magic name: such a search is never widened."""
    return names.plain(term).startswith("magic")
