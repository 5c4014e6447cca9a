"""When two names are the same name to a state's filing office: what it ignores, from its public rules or assumed.

`sure` is "rule" where the state's own statute, regulation or guide was read (cited in `source`), "part" where only a
part of it was, and the general model fills the rest, "assumed" where the model alone is applied: the one that ignores
most, so that a name is rather called taken than free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from jurisdictions.codes import PLACES
from scrapers.name_rules.owners import OWNERS, OwnerRule
from scrapers.parsing.fields import listed
from scrapers.records import Rule, Sure

Ignored = Literal[
    "designator",
    "article",
    "conjunction",
    "preposition",
    "punctuation",
    "stop",
    "plural",
    "tense",
    "contraction",
    "abbreviation",
    "numeral",
    "spacing",
]
# How it is said what does not tell two names apart. "stop": of the signs these alone; every other sign does.
IGNORED: dict[Ignored, str] = {
    "designator": "legal forms (LLC, Inc.)",
    "article": "articles (a, an, the)",
    "conjunction": "conjunctions (and, &, or)",
    "preposition": "prepositions (of, in, for)",
    "punctuation": "punctuation and signs",
    "stop": "periods, commas, underscores and apostrophes",
    "plural": "plural and possessive forms",
    "tense": "tenses of the same word",
    "contraction": "contractions (can't for cannot)",
    "abbreviation": "abbreviations",
    "numeral": "the way a number is written",
    "spacing": "blanks",
}

MODEL: frozenset[Ignored] = frozenset(
    {"designator", "article", "conjunction", "punctuation", "plural", "numeral", "spacing"}
)
ASSUMED = "assumed: the general standard of the model acts, read strictly"


@dataclass(frozen=True, slots=True)
class NamingRule:
    """What does not tell two names apart in a state: capitals and accents never do. `owners`: whose names count."""

    ignored: frozenset[Ignored]
    source: str
    sure: Sure
    owners: OwnerRule

    @property
    def is_wider_than_text(self) -> bool:
        """Whether it calls names the same of which a search for the one does not list the other."""
        return not self.ignored <= {"designator", "article", "punctuation", "stop"}

    def in_words(self) -> Rule:
        """The rule as it is told with a verdict."""
        looked_past = [words for word, words in IGNORED.items() if word in self.ignored]
        listed_out = ", ".join(("capitals", "accents", *looked_past[:-1])) + f" and {looked_past[-1]}"
        return Rule(f"Two names are the same when nothing tells them apart but {listed_out}.", self.source, self.sure)


_WORDS: dict[str, Ignored] = {word: word for word in get_args(Ignored)}


Read = tuple[frozenset[Ignored], str, Sure]


def _rule(source: str, ignored: str) -> Read:
    return frozenset(_WORDS[word] for word in listed(ignored)), source, "rule"


def _part(source: str, ignored: frozenset[Ignored] = MODEL) -> Read:
    return ignored, f"{source}; the rest assumed", "part"


_ASSUMED: Read = (MODEL, ASSUMED, "assumed")
_KNOWN: dict[str, Read] = {
    "AK": _part(
        "3 Alaska Administrative Code 16.120(a): plural forms and the way a number is written tell apart",
        MODEL - {"plural", "numeral"},
    ),
    "AR": _rule(
        "Arkansas Code 4-26-401(3)(C) and 4-33-401(c), as amended by Act 256 of 2023",
        "designator | article | conjunction | punctuation | plural",
    ),
    "AZ": _rule(
        "Arizona Corporation Commission, Determining Distinguishability of Entity Names (2005-08-12)",
        "designator | article | conjunction | punctuation | numeral | spacing",
    ),
    "CO": _rule(
        "Colorado Revised Statutes 7-90-601(2); Secretary of State, Entity names FAQ: legal forms, articles, blanks, "
        "hyphens, brackets and every other sign tell apart",
        "stop",
    ),
    "FL": _rule(
        "Florida Statutes 605.0112 and 607.0401(1)(d)",
        "designator | article | conjunction | plural | punctuation",
    ),
    "HI": _part(
        "Hawaii Administrative Rules 16-36-15(a) (names that sound alike are refused too, which is not compared here)",
        MODEL | {"preposition"},
    ),
    "IN": _rule(
        "Indiana Code 23-0.5-3-1(c); Secretary of State, Name Availability Guidelines",
        "designator | article | punctuation | plural | numeral | spacing",
    ),
    "KS": _rule(
        "Kansas Secretary of State, Name Availability Guidelines: plural forms and the way a number is written tell "
        "apart",
        "designator | article | conjunction | preposition | punctuation",
    ),
    "MA": _part("Massachusetts General Laws c. 156D s. 4.01(b): so similar as to be mistaken is refused too"),
    "ME": _rule(
        "Maine Public Law 2005 c. 543 (31 M.R.S., names of limited partnerships): legal forms, and, the, punctuation",
        "designator | article | conjunction | punctuation",
    ),
    "MI": _rule(
        "Michigan LARA, Choosing a Business Name: another sequence of letters or numbers is distinguishable",
        "designator | punctuation | spacing",
    ),
    "MN": _rule(
        "Minnesota, A Guide to Starting a Business (43rd edition, 2025), Determining Whether a Name is Distinguishable",
        "designator | article | conjunction | contraction | preposition | punctuation | abbreviation | tense | spacing",
    ),
    "MT": _rule(
        "Administrative Rules of Montana 44.5.131 (key words; its list of what does not count as in force before 2015)",
        "designator | article | conjunction | preposition | punctuation | plural | numeral",
    ),
    "NC": _part("North Carolina Secretary of State, Selecting a Name: the legal form does not count"),
    "ND": _part("North Dakota Administrative Code 72-03-02-05: capitals and blanks do not count"),
    "NH": _part("New Hampshire RSA 304-C:32 III-a: an article alone does not count"),
    "OH": _rule(
        "Ohio Revised Code 1702.05(B) (the list of 1701.05(B)): contractions and abbreviations, another tense or "
        "number of the same word",
        "designator | article | conjunction | contraction | punctuation | abbreviation | plural | tense",
    ),
    "OR": _rule(
        "Oregon Administrative Rules 160-010-0013",
        "designator | article | conjunction | preposition | punctuation | plural",
    ),
    "RI": _part("Rhode Island General Laws 7-6-11(a)(4): the legal form does not count"),
    "TN": _rule(
        "Tennessee Division of Business Services, Business Name Availability Guidelines: plural forms tell apart",
        "designator | article | conjunction | preposition | punctuation",
    ),
    "TX": _rule(
        "1 Texas Administrative Code 79.38 and 79.39 (in force for filings from 2018-06-01)",
        "designator | article | conjunction | punctuation | spacing",
    ),
    "UT": _part(
        "Utah Code 16-1a-302 (from 2026-10-01); Division of Corporations, Name Availability and Standards",
        MODEL | {"preposition"},
    ),
    "WA": _rule(
        "Revised Code of Washington 23.95.300(3)",
        "designator | article | conjunction | punctuation | abbreviation | plural",
    ),
    "WI": _part("Wisconsin Statutes 180.0401(2)(b): the legal form does not count"),
}

RULES: dict[str, NamingRule] = {code: NamingRule(*_KNOWN.get(code, _ASSUMED), OWNERS[code]) for code in PLACES}
"""The rule of every jurisdiction."""
