"""The second held-out set: real companies whose names differ only in what tells sisters apart.

Each is asked for where it is registered beside its sisters (it must be chosen, and no sister), and again where it is
not (then nobody may be chosen). Pairs of strangers that look like one name with a slip, or with another number of one
word, stand here as well: asked for by the name of the one that is not there, the other is a wrong company.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations

from rapidfuzz.distance import Levenshtein

from tests.bench.names.companies import Registry
from tests.bench.names.habits import parted
from tests.bench.names.questions import Question
from tests.bench.names.vocabulary import NUMBERS, ROMAN

SEED = "sisters 2026-11-22"
A_KIND, LARGEST = 40, 12  # families, and companies of one
MOST_WORDS = 40  # in one place of a name: more are a trade's own words, and take long
_ONE_WORD = """
alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana
iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska
nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming america usa
"""
_TWO_WORDS = ("new york", "new jersey", "new england", "new hampshire", "rhode island", "north america", "new haven")
_PLACES = frozenset((*_ONE_WORD.split(), *_TWO_WORDS))
_NUMBER = re.compile(r"\d{1,3}|[ivx]{1,5}|one|two|three|four|five|six|seven|eight|nine|ten")
_LETTERS = frozenset({"i", "v", "x"})
_FIGURES = {"x": ("10", "ten")}  # not the other letters: V and I may be numbers where a series has just begun
_SERIES = ("i", "ii", "iii", "iv", "vi", "ix", "xi", "1", "2", "3", "4", "5", "6", "9", "10")
_FUNDS = frozenset(
    {"fund", "partners", "holdings", "capital", "ventures", "properties", "realty", "associates", "equity"}
)
_VALUES = {word.lower(): figure for figure, word in NUMBERS.items()}
_VALUES |= {"i": "1", "v": "5", "x": "10"} | {roman.lower(): figure for roman, figure in ROMAN.items()}
_PARTNERS = frozenset({"lp", "llp", "llc"})
_ADDED = frozenset(
    {"holdings", "management", "properties", "realty", "group", "partners", "ventures", "capital", "services"}
)
_INSURES = frozenset(
    {"insurance", "assurance", "casualty", "indemnity", "reinsurance", "annuity", "surety", "underwriters"}
)

Key = Callable[[tuple[str, ...]], tuple[str, ...] | None]


def build(registry: Registry, *, share: float = 1.0) -> list[Question]:
    """Every question, in the same order every time; or the first ones of each kind."""
    found: list[Question] = []
    look_alikes = _look_alikes(registry)
    for kind, families in (
        ("of_a_place", _list_families(registry, _without_of_place)),
        ("another_town", _list_families(registry, _without_town(registry))),
        ("number", _numbered(registry)),
        ("partner_and_partnership", _partners(registry)),
        ("trade_word_more", _list_families(registry, _without_added)),
        ("insurers", _insurers(registry)),
        ("one_letter", look_alikes["one_letter"]),
        ("plural_of_another", look_alikes["plural_of_another"]),
    ):
        found += _asked(registry, kind, list(families), round(A_KIND * share))
    return found + list(_letters_for_figures(registry))[: round(A_KIND * share)]


def _asked(registry: Registry, kind: str, families: list[list[int]], most: int) -> Iterator[Question]:
    pick = random.Random(f"{SEED} {kind}")
    families.sort()
    pick.shuffle(families)
    for members in families[:most]:
        family = members[:LARGEST]
        at = pick.choice(family)
        name = " ".join(registry.companies[at].name.split())
        asked = pick.choice((name, name.title(), name.lower(), name.replace(",", "")))
        twins = frozenset(registry.by_core[registry.cores[at]])
        same_form = [one for one in twins if parted(registry.companies[one].name)[1] == parted(name)[1]]
        if len(same_form) == 1:
            yield Question(asked, "found", kind, at, beside=tuple(family))
        same = frozenset(same_form) if kind == "partner_and_partnership" else twins
        away = same | (registry.near(name) - set(family))
        left = tuple(one for one in family if one not in away)
        if left:
            yield Question(asked, "nobody", f"{kind}, not there", hidden=away, beside=left)


def _list_families(registry: Registry, key: Key) -> Iterator[list[int]]:
    """Families whose names are the same without what `key` takes out."""
    families: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, words in enumerate(registry.cores):
        shorter = key(words)
        if shorter and len("".join(shorter)) >= 5:
            families[shorter].append(at)
    for shorter, family in families.items():
        every = family + registry.by_core.get(shorter, [])
        if len({registry.cores[at] for at in every}) > 1:
            yield sorted(set(every))


def _without_of_place(words: tuple[str, ...]) -> tuple[str, ...] | None:
    for length in (1, 2):
        if words[-length - 1 : -length] == ("of",) and " ".join(words[-length:]) in _PLACES:
            shorter = words[: -length - 1]
            for form in ("company", "corporation"):
                shorter = shorter[:-1] if len(shorter) > 1 and shorter[-1] == form else shorter
            return shorter or None
    return None


def _without_town(registry: Registry) -> Key:
    towns = {company.city.lower() for company in registry.companies if not company.foreign}
    towns = {town for town in towns if town.isalpha() and len(town) > 4 and registry.count(town) >= 40}

    def key(words: tuple[str, ...]) -> tuple[str, ...] | None:
        return words[:-1] if len(words) > 2 and words[-1] in towns else None

    return key


def _without_number(words: tuple[str, ...]) -> tuple[str, ...] | None:
    return words[:-1] if len(words) > 1 and _NUMBER.fullmatch(words[-1]) and words[-1] not in _LETTERS else None


def _numbered(registry: Registry) -> Iterator[list[int]]:
    """Series that write each number in one way: that "II" and "2" are one number is another matter."""
    for family in _list_families(registry, _without_number):
        cores = {registry.cores[at] for at in family}
        if len({_VALUES.get(words[-1], words[-1]) for words in cores}) == len(cores):
            yield family


def _without_added(words: tuple[str, ...]) -> tuple[str, ...] | None:
    return words[:-1] if len(words) > 1 and words[-1] in _ADDED else None


def _letters_for_figures(registry: Registry) -> Iterator[Question]:
    """ "Studio 10" and "Studio Ten" where Studio X is registered: an X with no series around it is a letter."""
    found = []
    for words, family in registry.by_core.items():
        base = words[:-1]
        if words[-1] not in _FIGURES or len("".join(base)) < 4 or base[-1] in _FUNDS:
            continue
        if not any((*base, other) in registry.by_core for other in _SERIES):
            found.append((family[0], base, _FIGURES[words[-1]]))
    for at, base, figures in random.Random(f"{SEED} letters").sample(found, min(A_KIND, len(found))):
        figure = figures[at % 2]
        asked = f"{' '.join(base)} {figure} {parted(registry.companies[at].name)[1]}".strip().title()
        yield Question(asked, "nobody", "letter_for_a_number", beside=(at,))


def _partners(registry: Registry) -> Iterator[list[int]]:
    """A partnership, and the company of the same words: its general partner, its manager, its property."""
    for words, family in registry.by_core.items():
        general = registry.by_core.get((*words, "gp"), [])
        if len(family) == 1 and not general:
            continue
        kinds = [at for at in family if parted(registry.companies[at].name)[1] in _PARTNERS]
        forms = {parted(registry.companies[at].name)[1] for at in kinds}
        if len(forms) > 1 or (general and kinds):
            yield sorted({*kinds, *general})


def _insurers(registry: Registry) -> Iterator[list[int]]:
    families: dict[str, list[int]] = defaultdict(list)
    for word in sorted(_INSURES):
        for at in registry.by_word.get(word, ()):
            if len(registry.cores[at][0]) > 3:
                families[registry.cores[at][0]].append(at)
    for family in families.values():
        every = sorted(set(family))
        if len({registry.cores[at] for at in every}) > 1:
            yield every


def _is_plural(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long in (short + "s", short + "es", short[:-1] + "ies")


def _look_alikes(registry: Registry) -> dict[str, list[list[int]]]:
    """Pairs of names of which one word differs in one letter, or in its plural; both words are in other names, too."""
    holed: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for words in registry.by_core:
        for at, word in enumerate(words):
            if len(words) > 1 and len(word) >= 5 and word.isalpha() and registry.count(word) >= 2:
                holed[(*words[:at], "", *words[at + 1 :])].append(word)
    found: dict[str, list[list[int]]] = {"one_letter": [], "plural_of_another": []}
    for hole, possible in holed.items():
        for one, other in combinations(sorted(possible), 2) if len(possible) < MOST_WORDS else ():
            kind = _likeness(one, other)
            if kind and (kind != "one_letter" or not _is_slip(registry.count(one), registry.count(other))):
                whole = [tuple(word or filled for word in hole) for filled in (one, other)]
                found[kind].append([registry.by_core[words][0] for words in whole])
    return found


def _likeness(one: str, other: str) -> str:
    if _is_plural(one, other):
        return "plural_of_another"
    return "one_letter" if Levenshtein.distance(one, other, score_cutoff=1) <= 1 else ""


def _is_slip(one: int, other: int) -> bool:
    """Whether one word is so much rarer that it is the other one misspelled by whoever registered it ("managment")."""
    return max(one, other) > 20 * min(one, other)
