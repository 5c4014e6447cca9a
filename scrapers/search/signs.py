"""Terms for open data, where we write the condition ourselves: one more, with room for the signs callers leave out.

Registries write `O'NEIL'S` and `A.B.C.` where callers do not; asked before "not found" is said.
"""

from __future__ import annotations

from dataclasses import replace

from scrapers.normalize import names
from scrapers.search import matching, terms
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.transport import conditions


def plan(name: str, facts: NameSearch) -> SearchPlan:
    """The usual terms, then the loose one, where it differs."""
    usual = terms.plan(name, facts)
    loose = conditions.loosened(usual.terms[-1])
    if loose == " ".join(names.words(usual.terms[-1])):
        return usual
    return replace(usual, terms=(*usual.terms[: facts.most_terms - 1], loose))


def may_hold(piece: str) -> bool:
    """Whether a registry may write the piece with a sign that is not in it, or another: REID'S, Y.I.M., 71-75."""
    words = names.words(piece)
    return len(words) > 1 or len(piece) == 1 or conditions.loosened(piece) != " ".join(words)


def is_near(term: str, name: str) -> bool:
    """Whether a name could be chosen for the one asked for, so that it matters whose it is."""
    return matching.compare(conditions.unmarked(term), name).score > matching.UNSURE
