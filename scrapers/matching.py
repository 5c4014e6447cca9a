"""Decides which row of a result list is the company that was asked for.

A wrong company returned as a match is the worst error this service can make, so equal candidates are never
guessed between, and a name that differs in one meaningful word is another company.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rapidfuzz import fuzz

from scrapers.normalise import names
from scrapers.records import Candidate

if TYPE_CHECKING:
    from scrapers.portal import StatusMeaning

MatchKind = Literal["exact", "suffix_variant", "former_name", "close", "entity_id"]
_ORDER: dict[str, int] = {"entity_id": 0, "exact": 1, "suffix_variant": 2, "former_name": 3, "close": 4}
_STATUS_ORDER = {"active": 0, "neutral": 1, "inactive": 2}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score (0..1), the kind of match, and the class of its status."""

    candidate: Candidate
    score: float
    kind: MatchKind
    status_class: str

    @property
    def order(self) -> tuple[int, float, int]:
        """Sort key: surer kinds first, then the better score, then active before inactive."""
        return (_ORDER[self.kind], -self.score, _STATUS_ORDER[self.status_class])


def compare(asked: str, shown: str) -> tuple[float, MatchKind]:
    """Score two names: 1.0 exact, 0.98 same name with another (or no) legal form, else below 0.97.

    Numbers and series marks that differ ("Holdings I" / "Holdings II") are different companies, however close
    the letters are.
    """
    asked_full, shown_full = names.full_key(asked), names.full_key(shown)
    if asked_full == shown_full:
        return 1.0, "exact"
    asked_key, shown_key = names.key(asked), names.key(shown)
    if asked_key and asked_key == shown_key:
        return 0.98, "suffix_variant"
    if not asked_key or not shown_key or names.numbers(asked_key) != names.numbers(shown_key):
        return min(0.5, fuzz.ratio(asked_key, shown_key) / 200), "close"
    return _close(asked_key, shown_key), "close"


def _close(asked: str, shown: str) -> float:
    """Typos only: the same words in number, each close to its partner. A word more or less is another name."""
    score = fuzz.ratio(asked, shown) / 100
    if asked.replace(" ", "") == shown.replace(" ", ""):
        return 0.96
    asked_words, shown_words = asked.split(), shown.split()
    if len(asked_words) != len(shown_words):
        return min(score, 0.85)
    if sorted(asked_words) == sorted(shown_words):
        return min(score, 0.90)
    worst = min(fuzz.ratio(a, b) for a, b in zip(asked_words, shown_words, strict=True))
    return min(score, 0.96) if worst >= 80 else min(score, 0.80)


def rank(
    name: str,
    candidates: Iterable[Candidate],
    *,
    status_of: Callable[[Candidate], StatusMeaning],
) -> tuple[Ranked, ...]:
    """Order candidates, best first; several rows of one entity (its names) become its best row."""
    best: dict[str, Ranked] = {}
    for row in candidates:
        score, kind = compare(name, row.name)
        if row.name_kind in ("former", "assumed") and kind in ("exact", "suffix_variant"):
            score, kind = score - 0.02, "former_name"
        elif row.name_kind == "reserved":
            continue  # a name somebody put aside is not a company
        entry = Ranked(row, score, kind, status_of(row).status_class)
        key = row.entity_id or repr(sorted(row.handle.items()))  # lists without ids tell rows apart by their links
        known = best.get(key)
        if known is None or entry.order < known.order:
            best[key] = entry
    return tuple(sorted(best.values(), key=lambda entry: entry.order))


def best(ranked: tuple[Ranked, ...], *, threshold: float) -> tuple[Ranked | None, bool]:
    """Return the entity to answer with, and whether several fit equally well (then: nobody).

    Among equals an active entity goes before an inactive one; two that are equal in that too are ambiguous.
    """
    if not ranked or ranked[0].score < threshold:
        return None, False
    first = ranked[0]
    equal = [entry for entry in ranked[1:] if entry.order == first.order]
    return (None, True) if equal else (first, False)
