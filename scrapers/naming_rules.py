"""When two names are the same name to a state's filing office: what it ignores, from its public rules or assumed.

`sure` is "rule" where the state's own statute, regulation or guide was read (cited in `source`), "assumed" where the
general model is applied: the one that ignores most, so that a name is rather called taken than free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jurisdictions.codes import PLACES

Ignored = Literal[
    "designator", "article", "conjunction", "preposition", "punctuation", "plural", "numeral", "spacing", "abbreviation"
]

MODEL: frozenset[Ignored] = frozenset(
    {"designator", "article", "conjunction", "punctuation", "plural", "numeral", "spacing"}
)
ASSUMED = "assumed: the general standard of the model acts, read strictly"
CORPORATION = "A corporation's name must contain Corporation, Incorporated, Company, Limited, or an abbreviation."
LLC = "An LLC's name must contain Limited Liability Company, LLC or L.L.C."
PARTNERSHIP = "A limited partnership's name must contain Limited Partnership, LP or L.P."


@dataclass(frozen=True, slots=True)
class NamingRule:
    """What does not tell two names apart in a state. Capitals and accents never do."""

    ignored: frozenset[Ignored]
    source: str
    sure: Literal["rule", "assumed"]


def _rule(source: str, *ignored: Ignored) -> NamingRule:
    return NamingRule(frozenset(ignored), source, "rule")


_KNOWN: dict[str, NamingRule] = {
    "AZ": _rule(
        "Arizona Corporation Commission, Determining Distinguishability of Entity Names (2005-08-12)",
        "designator", "article", "conjunction", "punctuation", "numeral", "spacing",
    ),
    "FL": _rule(
        "Florida Statutes 607.0401(1)(d)", "designator", "article", "conjunction", "plural", "punctuation",
    ),
    "MI": _rule(
        "Michigan LARA, Choosing a Business Name: another sequence of letters or numbers is distinguishable",
        "designator", "punctuation", "spacing",
    ),
    "MN": _rule(
        "Minnesota, A Guide to Starting a Business (43rd edition, 2025), Determining Whether a Name is Distinguishable",
        "designator", "article", "conjunction", "preposition", "punctuation", "abbreviation", "spacing",
    ),
    "OR": _rule(
        "Oregon Administrative Rules 160-010-0013",
        "designator", "article", "conjunction", "preposition", "punctuation", "plural",
    ),
    "TX": _rule(
        "1 Texas Administrative Code 79.38 and 79.39 (in force for filings from 2018-06-01)",
        "designator", "article", "conjunction", "punctuation", "spacing",
    ),
    "WA": _rule(
        "Revised Code of Washington 23.95.300(3)",
        "designator", "article", "conjunction", "punctuation", "abbreviation", "plural",
    ),
}  # fmt: skip

RULES: dict[str, NamingRule] = {code: _KNOWN.get(code, NamingRule(MODEL, ASSUMED, "assumed")) for code in PLACES}
"""The rule of every jurisdiction."""


def designator_note(state: str) -> str:
    """What the name of each kind of entity must contain; the wording that all states' acts share."""
    return f"{CORPORATION} {LLC} {PARTNERSHIP} {PLACES[state].name} may ask for more; check with the registry."
