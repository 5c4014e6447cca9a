"""Decides which row of a result list is the company that was asked for.

A wrong company returned as a match is the worst error this service can make, so equal candidates are never guessed
between, and a name that differs in one meaningful word is another company. What made a score
stands in `features`. The choice of libraries, measured, is in docs/adr.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, product
from typing import Literal

from rapidfuzz import fuzz

from scrapers.normalize import names, types
from scrapers.normalize.vocabulary import (
    ABBREVIATIONS,
    AFTER_DIRECTION,
    COMMON_WORDS,
    DIRECTIONS,
    FORM_FAMILIES,
    GENERIC_WORDS,
    NEAR_COMMON_WORDS,
    READINGS,
    SERIES_WORDS,
    TRADE_WORDS,
)
from scrapers.records import Candidate, Match, MatchKind
from scrapers.search import doubts, question, shortlist
from scrapers.search.doubts import Doubt
from scrapers.statuses import StatusMeaning

_ORDER: dict[str, int] = {"entity_id": 0, "exact": 1, "suffix_variant": 2, "former_name": 3, "close": 4}
_STATUS_ORDER = {"active": 0, "neutral": 1, "inactive": 2}
LONG_WORD = 10  # letters; a common word as long as this has next to no neighbor that differs in a vowel
SHORTEST_BESIDE_AND = 3  # letters; "Home & Garden" may be written in one word, "S & S" not
_PUT_BEFORE = frozenset({"ft", "mt"})  # abbreviations of two letters that names begin with
UNSURE = 0.90  # the most that two names with a meaningful difference can score; below every sensible threshold
ALONE = 0.92  # a difference in doubt, where nobody else in a whole list is like the name


@dataclass(frozen=True, slots=True)
class Comparison:
    """How alike two names are: 1.0 the same, 0.97-0.98 another legal form, 0.94-0.96 spelling, at most 0.90 unsure.

    `doubt`: what may be a careless caller's or another company's: enough for a match where nobody else is like it.
    """

    score: float
    kind: MatchKind
    features: tuple[str, ...] = ()
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score (0..1), the kind of match, what made it, and the class of its status."""

    candidate: Candidate
    score: float
    kind: MatchKind
    status_class: str
    features: tuple[str, ...] = ()
    literal: bool = False  # the very words asked for: "3 Foxes" goes before "Three Foxes", though a clerk equals them
    doubt: Doubt | None = None  # why it is a match only where it stands alone

    @property
    def order(self) -> tuple[int, float, int, bool]:
        """Sort key: surer kinds first, then the better score, then active before inactive, then the words asked for."""
        return (_ORDER[self.kind], -self.score, _STATUS_ORDER[self.status_class], not self.literal)


def compare(asked: str, shown: str, *, state: str = "") -> Comparison:
    """Compare two names, each also by the trading name it may carry ("Acme LLC d/b/a Best Foods").

    A trading name beside the legal one that is asked for finds nobody: it may be somebody else's legal name.
    """
    own = _compare_forms(names.form(asked), names.form(shown), state)
    if own.features == ("word_order",) and ("," in asked or "," in shown) and _is_turned(asked, shown):
        same_form = names.legal_form(asked) == names.legal_form(shown)
        own = Comparison(0.94 if same_form else 0.93, "close", ("turned_at_comma",))
    if own.kind == "suffix_variant" and (_may_be_a_word(asked, shown) or _may_be_a_word(shown, asked)):
        own = Comparison(UNSURE, "close", own.features)
    mine, theirs = names.trading_names(asked), names.trading_names(shown)
    if own.score == 1.0 or len(mine) == len(theirs) == 1:
        return own
    others = [_compare_forms(names.form(one), names.form(other), state) for one, other in product(mine, theirs)]
    best = max(others, key=lambda found: found.score, default=own)
    if best.score > own.score and best.kind in ("exact", "suffix_variant"):
        if len(mine) > 1:
            return Comparison(UNSURE, "close", ("trading_name", *best.features))
        return Comparison(min(best.score, 0.97), "former_name", ("trading_name", *best.features))
    return own


def _may_be_a_word(one: str, other: str) -> bool:
    """Whether a legal form that the other name lacks may be a word: "GAMING PC", but not "GAMING, P.C." """
    form = names.form(one)
    bare = form.legal_form in ("pc", "pa") and names.FORM_WITHOUT_SIGNS.search(one) is not None
    return bare and " " not in form.base and not names.legal_form(other)


def _is_turned(asked: str, shown: str) -> bool:
    """Whether one name is the other with its surname or place put first and set off by a comma."""
    return any(
        names.has_one_part(straight) and names.key(straight) in names.turned(other)
        for straight, other in ((asked, shown), (shown, asked))
    )


def _compare_forms(asked: names.ComparisonForm, shown: names.ComparisonForm, state: str) -> Comparison:
    asked, shown = names.without_bank_mark(asked), names.without_bank_mark(shown)
    if not asked.key or not shown.key:
        return Comparison(0.0, "close", ("no_words",))
    if asked.origin and shown.origin and asked.origin != shown.origin:
        return Comparison(0.70, "close", ("home_state_differs",))
    if _reads_a_letter_as_a_number(asked, shown):
        return Comparison(0.70, "close", ("number_differs",))
    found = _compare_named(asked, shown, state)
    return found if asked.origin == shown.origin else _with_one_home(asked, shown, found)


def _compare_named(asked: names.ComparisonForm, shown: names.ComparisonForm, state: str) -> Comparison:
    """Names, whatever home state they note."""
    if asked.full == shown.full:
        return Comparison(1.0, "exact")
    form = _compare_legal_forms(asked.legal_form, shown.legal_form)
    if form != "same" and (asked.kind or shown.kind):
        form = _compare_legal_forms(asked.kind or asked.legal_form, shown.kind or shown.legal_form)
    if asked.key == shown.key:
        if form == "other_kind":
            return Comparison(UNSURE, "close", ("legal_form_of_another_kind",))
        if form == "mixed_up" and _is_generic(asked):
            return Comparison(UNSURE, "close", ("legal_form", "generic_name"))
        return Comparison(0.97 if form == "mixed_up" else 0.98, "suffix_variant", ("legal_form",))
    words = _compare_words(asked, shown, state)
    if words.features == ("and_company",):  # the company is in the words of one of them, and no legal form
        form = _compare_legal_forms(_without_company(asked.legal_form), _without_company(shown.legal_form))
    if form == "other_kind":
        return Comparison(min(words.score, UNSURE - 0.02), "close", (*words.features, "legal_form_of_another_kind"))
    if form == "mixed_up" and words.score > UNSURE and (_is_generic(asked) or _is_generic(shown)):
        return Comparison(UNSURE, "close", (*words.features, "legal_form", "generic_name"))
    if form != "same":
        doubt = None if form == "mixed_up" else words.doubt
        score = words.score - 0.01 if words.score > UNSURE else words.score
        features = (*words.features, "legal_form") if words.score > UNSURE or words.doubt else words.features
        return Comparison(score, "close", features, doubt)
    return words


def _with_one_home(asked: names.ComparisonForm, shown: names.ComparisonForm, found: Comparison) -> Comparison:
    """One of the names notes a home state: a note on the form, or a part of the name ("Company of America")."""
    features = (*found.features, "home_state")
    if not (asked.of_origin or shown.of_origin):
        score = min(found.score, 0.97)
        return Comparison(score, "suffix_variant" if found.kind == "exact" else found.kind, features, found.doubt)
    doubt = Doubt("home_state") if found.kind == "exact" and shown.of_origin else None
    return Comparison(min(found.score, UNSURE), "close", features, doubt)


def _reads_a_letter_as_a_number(asked: names.ComparisonForm, shown: names.ComparisonForm) -> bool:
    """Whether a last I, V or X is the other name's number only if it is read as one: "Studio X" is no "STUDIO 10"."""
    one, other = asked.base.split(), shown.base.split()
    if one[-1] == other[-1] or asked.key.split()[-1] != shown.key.split()[-1]:
        return False
    in_series = len(one) > 1 and len(other) > 1 and one[-2] == other[-2] and one[-2] in SERIES_WORDS
    return bool({"i", "v", "x"} & {one[-1], other[-1]}) and not in_series


def _is_generic(name: names.ComparisonForm) -> bool:
    """Whether the words could be anybody's: one of its own at most, and no trade ("Marathon Enterprises")."""
    words = _spelled_out(name.key.split())
    return len(words) > 1 and sum(word not in GENERIC_WORDS for word in words) <= 1


def _compare_legal_forms(asked: str, shown: str) -> Literal["same", "variant", "mixed_up", "other_kind"]:
    if asked == shown:
        return "same"
    one, other = _families(asked), _families(shown)
    if not one or not other or one == other:
        return "variant"  # given by one side only, or another spelling of its family
    return "mixed_up" if one | other <= {"corporation", "llc"} else "other_kind"


def _without_company(marks: str) -> str:
    return " ".join(mark for mark in marks.split() if mark != "co")


def _families(marks: str) -> frozenset[str]:
    return frozenset(FORM_FAMILIES[mark] for mark in marks.split())


def _compare_words(asked: names.ComparisonForm, shown: names.ComparisonForm, state: str) -> Comparison:
    """Names whose words differ: in spelling, in what is in doubt, or in what tells companies apart."""
    one, other = _spelled_out(asked.key.split()), _spelled_out(shown.key.split())
    found = _compare_spelled_out(asked, shown, one, other)
    doubt = doubts.find(one, other, state=state) if found.score <= UNSURE else None
    return Comparison(UNSURE, "close", (doubt.feature,), doubt) if doubt else found


def _compare_spelled_out(
    asked: names.ComparisonForm, shown: names.ComparisonForm, one: list[str], other: list[str]
) -> Comparison:
    """Spelling differences that cannot point to another company, or an unsure score."""
    if asked.letters == shown.letters and (asked.letters.isalpha() or _figures(asked.key) == _figures(shown.key)):
        divided = _is_only_divided(asked.base.split(), shown.base.split())
        score = 0.96 if divided and not _is_read_into_a_word(one, other) else UNSURE
        return Comparison(score, "close", ("spacing",))
    ratio = fuzz.ratio(asked.key, shown.key) / 100
    if names.numbers(asked.key) != names.numbers(shown.key):
        return Comparison(min(ratio, 0.70), "close", ("number_differs",))
    if len(one) == len(other):
        differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b and not _is_reading(a, b)]
        if not differing:
            return Comparison(0.95, "close", ("abbreviation",))
        if all(_is_typo(a, b) for a, b in differing):
            return Comparison(0.94, "close", ("typo_in_common_word",))
        if sorted(one) == sorted(other):
            return Comparison(min(max(ratio, 0.85), UNSURE), "close", ("word_order",))
        return Comparison(min(ratio, UNSURE), "close", ("word_differs",))
    if "".join(one) == "".join(other) and not _is_read_into_a_word(one, other):
        return Comparison(0.95, "close", ("spacing", "abbreviation"))
    feature = "words_missing" if len(asked.key.split()) < len(shown.key.split()) else "words_added"
    return Comparison(min(ratio, UNSURE - 0.02), "close", (feature,))


def _is_only_divided(one: list[str], other: list[str]) -> bool:
    """Whether one name is the other with blanks put in: "JM Art" is that of "JMArt", not of "J Mart"."""
    few, many = sorted((set(accumulate(map(len, words))) for words in (one, other)), key=len)
    return few <= many


def _is_read_into_a_word(one: list[str], other: list[str]) -> bool:
    """Whether an "and" beside initials is letters of the other name's word: "S & S" is no "SANDS"."""
    if ("and" in one) == ("and" in other):
        return False
    words = one if "and" in one else other
    at = words.index("and")
    return any(len(word) < SHORTEST_BESIDE_AND for word in (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2]))


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
        elif at == 0 and len(word) == 2 and (word not in _PUT_BEFORE or not after or after in TRADE_WORDS):
            found.append(word)  # "RD Consulting", "MT Holdings": initials; "Mt Zion" has none
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
    state: str = "",
) -> tuple[Ranked, ...]:
    """Order candidates, best first; several rows of one entity (its names) become its best row, not two of a number."""
    best: dict[tuple[str, str], Ranked] = {}
    wanted = question.read(name, state)
    asked = names.plain(wanted.written)
    rows = [row for row in candidates if not _is_put_aside(row)]
    bearers = Counter(number for number, _ in {(row.entity_id, row.record.entity_name) for row in rows if row.record})
    for at in shortlist.choose(wanted.without_city, [row.name for row in rows]):
        row = rows[at]
        found = _compare_question(wanted, row.name, state)
        if row.name_kind in ("former", "assumed") and found.kind in ("exact", "suffix_variant"):
            found = Comparison(found.score - 0.02, "former_name", (f"{row.name_kind}_name", *found.features))
        literal = names.plain(row.name) == asked
        entry = Ranked(row, found.score, found.kind, status_of(row).status_class, found.features, literal, found.doubt)
        number = row.entity_id or repr(sorted(row.handle.items()))
        identity = number, row.record.entity_name if row.record and bearers[number] > 1 else ""
        known = best.get(identity)
        if known is None or entry.order < known.order:
            best[identity] = entry
    return tuple(sorted(best.values(), key=lambda entry: entry.order))


def _is_put_aside(row: Candidate) -> bool:
    """Whether somebody has reserved or registered the name: no company, whether its kind or its status says so."""
    return "reserved" in (row.name_kind, types.name_kind(row.status))


def _compare_question(asked: question.Question, shown: str, state: str) -> Comparison:
    """Compare as it was written, and without a place after the legal form where nobody has that in the name."""
    written = compare(asked.written, shown, state=state)
    if asked.literal:  # "Spring Corporation CT" may be a name that ends so
        written = max(compare(asked.literal, shown, state=state), written, key=lambda found: found.score)
    if not asked.city:
        return written
    bare = compare(asked.without_city, shown, state=state)
    if bare.score <= written.score:
        return written
    features = (*bare.features, "place_left_out")
    if bare.score <= UNSURE or asked.city_is_sure:
        return Comparison(min(bare.score, 0.95), "close", features, bare.doubt)
    return Comparison(UNSURE, "close", features, Doubt("place_left_out"))


def match_by_id(
    asked: str, shown: str, *, former_names: Iterable[str] = (), assumed_names: Iterable[str] = ()
) -> Match:
    """How a record that has the identifier asked for bears the name given beside it, under whichever of its names.

    The identifier decides who it is. Names that differ in what tells companies apart disagree, and that is said.
    """
    wanted = question.read(asked)
    compared = [_compare_question(wanted, shown, "")]
    for feature, others in (("former_name", former_names), ("assumed_name", assumed_names)):
        for other in others:
            found = _compare_question(wanted, other, "")
            less = 0.02 if found.kind in ("exact", "suffix_variant") else 0.0
            compared.append(Comparison(found.score - less, found.kind, (feature, *found.features)))
    nearest = max(compared, key=lambda one: one.score)
    return Match(nearest.score, "entity_id" if nearest.score > UNSURE else "name_mismatch", nearest.features)


def best(ranked: tuple[Ranked, ...], *, threshold: float) -> tuple[Ranked | None, bool]:
    """Return the entity to answer with, and whether several fit equally well (then: nobody).

    Among equals an active entity goes before an ended one, and the very words asked for before other spellings; what is
    equal in that too is ambiguous. A status that is neither active nor ended, or not known, may be an active one's.
    """
    if not ranked or ranked[0].score < threshold:
        return None, False
    first = ranked[0]
    return (None, True) if any(is_as_good(entry, first) for entry in ranked[1:]) else (first, False)


def is_as_good(entry: Ranked, first: Ranked) -> bool:
    """Whether nothing speaks for the first of two entities: an Inc. is no surer than who once was the very LLC."""
    if entry.kind == "former_name" and entry.score > first.score and first.features == ("legal_form",):
        return True
    same = (entry.kind, entry.score) == (first.kind, first.score)
    ended = entry.status_class == "inactive" and first.status_class != "inactive"
    return same and not ended and entry.literal >= first.literal


def alone(ranked: tuple[Ranked, ...], rows: Iterable[Candidate], *, threshold: float) -> Ranked | None:
    """The one entity whose name differs in something doubtful only, where none of all `rows` is like it; or None.

    The rows must be whole lists. A slip is none where somebody else bears the word: then it is a word.
    """
    like = [entry for entry in ranked if entry.score >= UNSURE]
    if len(like) != 1 or like[0].doubt is None or threshold > ALONE:
        return None
    found, word = like[0], like[0].doubt.word
    if word and any(word in names.plain(row.name).split() for row in rows):
        return None
    return replace(found, score=ALONE, features=(*found.features, "only_one_like_it"))
