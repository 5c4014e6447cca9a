"""Decides which row of a result list is the company that was asked for.

A wrong company returned as a match is the worst error this service can make, so equal candidates are never guessed
between, and a name that differs in one meaningful word is another company. What made a score
stands in `features`. The choice of libraries, measured, is in docs/adr.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

from rapidfuzz import fuzz

from scrapers.normalize import names
from scrapers.normalize.vocabulary import (
    ABBREVIATIONS,
    AFTER_DIRECTION,
    COMMON_WORDS,
    DIRECTIONS,
    FORM_FAMILIES,
    NEAR_COMMON_WORDS,
    READINGS,
)
from scrapers.records import Candidate, Match, MatchKind
from scrapers.search import shortlist
from scrapers.statuses import StatusMeaning

_ORDER: dict[str, int] = {"entity_id": 0, "exact": 1, "suffix_variant": 2, "former_name": 3, "close": 4}
_STATUS_ORDER = {"active": 0, "neutral": 1, "inactive": 2}
LONG_WORD = 10  # letters; a common word as long as this has next to no neighbor that differs in a vowel
UNSURE = 0.90  # the most that two names with a meaningful difference can score; below every sensible threshold


@dataclass(frozen=True, slots=True)
class Comparison:
    """How alike two names are: 1.0 the same, 0.97-0.98 another legal form, 0.94-0.96 spelling, at most 0.90 unsure."""

    score: float
    kind: MatchKind
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score (0..1), the kind of match, what made it, and the class of its status."""

    candidate: Candidate
    score: float
    kind: MatchKind
    status_class: str
    features: tuple[str, ...] = ()
    literal: bool = False  # the very words asked for: "3 Foxes" goes before "Three Foxes", though a clerk equals them

    @property
    def order(self) -> tuple[int, float, int, bool]:
        """Sort key: surer kinds first, then the better score, then active before inactive, then the words asked for."""
        return (_ORDER[self.kind], -self.score, _STATUS_ORDER[self.status_class], not self.literal)


def compare(asked: str, shown: str) -> Comparison:
    """Compare two names, each also by the trading name it may carry ("Acme LLC d/b/a Best Foods")."""
    own = _compare_forms(names.form(asked), names.form(shown))
    if own.features == ("word_order",) and ("," in asked or "," in shown) and _is_turned(asked, shown):
        same_form = names.legal_form(asked) == names.legal_form(shown)
        own = Comparison(0.94 if same_form else 0.93, "close", ("turned_at_comma",))
    mine, theirs = names.trading_names(asked), names.trading_names(shown)
    if own.score == 1.0 or len(mine) == len(theirs) == 1:
        return own
    others = [_compare_forms(names.form(one), names.form(other)) for one, other in product(mine, theirs)]
    best = max(others, key=lambda found: found.score, default=own)
    if best.score > own.score and best.kind in ("exact", "suffix_variant"):
        return Comparison(min(best.score, 0.97), "former_name", ("trading_name", *best.features))
    return own


def _is_turned(asked: str, shown: str) -> bool:
    """Whether one name is the other with its surname or place put first and set off by a comma."""
    return any(
        names.has_one_part(straight) and names.key(straight) in names.turned(other)
        for straight, other in ((asked, shown), (shown, asked))
    )


def _compare_forms(asked: names.ComparisonForm, shown: names.ComparisonForm) -> Comparison:
    asked, shown = names.without_bank_mark(asked), names.without_bank_mark(shown)
    if not asked.key or not shown.key:
        return Comparison(0.0, "close", ("no_words",))
    if asked.origin and shown.origin and asked.origin != shown.origin:
        return Comparison(0.70, "close", ("home_state_differs",))
    if asked.full == shown.full:
        if asked.origin == shown.origin:
            return Comparison(1.0, "exact")
        return Comparison(0.97, "suffix_variant", ("home_state",))
    form = _compare_legal_forms(asked.legal_form, shown.legal_form)
    if asked.key == shown.key:
        if form == "other_kind":
            return Comparison(UNSURE, "close", ("legal_form_of_another_kind",))
        return Comparison(0.97 if form == "mixed_up" else 0.98, "suffix_variant", ("legal_form",))
    words = _compare_words(asked, shown)
    if form == "other_kind":
        return Comparison(min(words.score, UNSURE - 0.02), "close", (*words.features, "legal_form_of_another_kind"))
    if form != "same" and words.score > UNSURE:
        return Comparison(words.score - 0.01, "close", (*words.features, "legal_form"))
    return words


def _compare_legal_forms(asked: str, shown: str) -> Literal["same", "variant", "mixed_up", "other_kind"]:
    if asked == shown:
        return "same"
    one, other = _families(asked), _families(shown)
    if not one or not other or one == other:
        return "variant"  # given by one side only, or another spelling of its family
    return "mixed_up" if one | other <= {"corporation", "llc"} else "other_kind"


def _families(marks: str) -> frozenset[str]:
    return frozenset(FORM_FAMILIES[mark] for mark in marks.split())


def _compare_words(asked: names.ComparisonForm, shown: names.ComparisonForm) -> Comparison:
    """Names whose words differ: spelling differences that cannot point to another company, or an unsure score."""
    if asked.letters == shown.letters and (asked.letters.isalpha() or _figures(asked.key) == _figures(shown.key)):
        return Comparison(0.96, "close", ("spacing",))
    ratio = fuzz.ratio(asked.key, shown.key) / 100
    if names.numbers(asked.key) != names.numbers(shown.key):
        return Comparison(min(ratio, 0.70), "close", ("number_differs",))
    short_one, short_other = asked.key.split(), shown.key.split()
    one, other = _spelled_out(short_one), _spelled_out(short_other)
    if len(one) == len(other):
        differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b and not _is_reading(a, b)]
        if not differing:
            return Comparison(0.95, "close", ("abbreviation",))
        if all(_is_typo(a, b) for a, b in differing):
            return Comparison(0.94, "close", ("typo_in_common_word",))
        if sorted(one) == sorted(other):
            return Comparison(min(max(ratio, 0.85), UNSURE), "close", ("word_order",))
        return Comparison(min(ratio, UNSURE), "close", ("word_differs",))
    if "".join(one) == "".join(other):
        return Comparison(0.95, "close", ("spacing", "abbreviation"))
    feature = "words_missing" if len(short_one) < len(short_other) else "words_added"
    return Comparison(min(ratio, UNSURE - 0.02), "close", (feature,))


def _figures(key: str) -> list[str]:
    """The figures of a name: "A-1" and "A1" have the same, "1 11" and "11 1" have not."""
    return re.findall(r"\d+", key)


def _spelled_out(words: list[str]) -> list[str]:
    """The words with their abbreviations spelled out, where each has one reading in its place."""
    found: list[str] = []
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        if word in READINGS:
            found.append(word)
        elif word in DIRECTIONS and after in AFTER_DIRECTION:
            found.append(DIRECTIONS[word])
        elif word == "co" and after and at and words[at - 1] != "and":
            found.append("county")  # "Adams Co. Historical Society"; at the end it is the company
        else:
            found.extend(ABBREVIATIONS.get(word, word).split())
    return found


def _is_reading(one: str, other: str) -> bool:
    return other in READINGS.get(one, ()) or one in READINGS.get(other, ())


@lru_cache(maxsize=16_384)
def _is_typo(one: str, other: str) -> bool:
    """One slip of the finger in a word that everybody uses: it cannot turn one company's name into another's.

    A changed letter is no slip ("marine" / "marina", "capital" / "capitol") but for a vowel of a long word, nor is an
    ending ("holding" / "holdings").
    """
    if (one in COMMON_WORDS) == (other in COMMON_WORDS) or not NEAR_COMMON_WORDS.isdisjoint((one, other)):
        return False  # two real words ("trading" / "training", "realty" / "reality"), or two words of somebody's own
    short, long = sorted((one, other), key=len)
    if len(short) == len(long):
        if len(short) >= LONG_WORD and _is_one_vowel(short, long):
            return True
        return len(short) >= 5 and any(
            short[:at] + short[at + 1] + short[at] + short[at + 2 :] == long for at in range(len(short) - 1)
        )
    return len(long) == len(short) + 1 >= 7 and any(
        long[:at] + long[at + 1 :] == short for at in range(1, len(long) - 1)
    )


def _is_one_vowel(one: str, other: str) -> bool:
    """One vowel for another ("maintenence"): heard alike, and at this length no other word."""
    differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    return len(differing) == 1 and set(differing[0]) <= set("aeiou")


def rank(
    name: str,
    candidates: Iterable[Candidate],
    *,
    status_of: Callable[[Candidate], StatusMeaning],
) -> tuple[Ranked, ...]:
    """Order candidates, best first; several rows of one entity (its names) become its best row."""
    best: dict[str, Ranked] = {}
    asked = names.plain(name)
    rows = [row for row in candidates if row.name_kind != "reserved"]  # put aside by somebody: not a company
    for at in shortlist.choose(name, [row.name for row in rows]):
        row = rows[at]
        found = compare(name, row.name)
        if row.name_kind in ("former", "assumed") and found.kind in ("exact", "suffix_variant"):
            found = Comparison(found.score - 0.02, "former_name", (f"{row.name_kind}_name", *found.features))
        literal = names.plain(row.name) == asked
        entry = Ranked(row, found.score, found.kind, status_of(row).status_class, found.features, literal)
        identity = row.entity_id or repr(sorted(row.handle.items()))
        known = best.get(identity)
        if known is None or entry.order < known.order:
            best[identity] = entry
    return tuple(sorted(best.values(), key=lambda entry: entry.order))


def match_by_id(
    asked: str, shown: str, *, former_names: Iterable[str] = (), assumed_names: Iterable[str] = ()
) -> Match:
    """How a record that has the identifier asked for bears the name given beside it, under whichever of its names.

    The identifier decides who it is. Names that differ in what tells companies apart disagree, and that is said.
    """
    compared = [compare(asked, shown)]
    for feature, others in (("former_name", former_names), ("assumed_name", assumed_names)):
        for other in others:
            found = compare(asked, other)
            less = 0.02 if found.kind in ("exact", "suffix_variant") else 0.0
            compared.append(Comparison(found.score - less, found.kind, (feature, *found.features)))
    nearest = max(compared, key=lambda one: one.score)
    return Match(nearest.score, "entity_id" if nearest.score > UNSURE else "name_mismatch", nearest.features)


def best(ranked: tuple[Ranked, ...], *, threshold: float) -> tuple[Ranked | None, bool]:
    """Return the entity to answer with, and whether several fit equally well (then: nobody).

    Among equals an active entity goes before an inactive one, and the very words asked for before other spellings; what
    is equal in that too is ambiguous.
    """
    if not ranked or ranked[0].score < threshold:
        return None, False
    first = ranked[0]
    equal = [entry for entry in ranked[1:] if entry.order == first.order]
    return (None, True) if equal else (first, False)
