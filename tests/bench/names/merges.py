"""Counts pairs of real companies that are told as one: over a whole registry, at `exact` and at the threshold."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from scrapers.normalize import names
from scrapers.search import matching
from tests.bench.names.companies import Registry, core
from tests.bench.names.judge import THRESHOLD
from tests.bench.names.vocabulary import NUMBERS

_DIGITS = {word.lower(): digit for digit, word in NUMBERS.items()}
_DIGITS |= {
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
}
_TRADING = re.compile(r"\s+d/?b/?a\s.*", flags=re.IGNORECASE)
FALSE = ("a letter read as a number", "other words")  # what tells two companies apart


def exact_pairs(registry: Registry) -> Counter[str]:
    """Pairs of companies whose names are `exact` for one another, by what the names differ in."""
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, company in enumerate(registry.companies):
        form = names.without_bank_mark(names.form(company.name))
        if form.key:
            alike[form.full, form.origin].append(at)
    found: Counter[str] = Counter()
    for family in alike.values():
        for one, other in combinations(family, 2):
            found[_difference(registry, one, other)] += 1
    return found


def _difference(registry: Registry, one: int, other: int) -> str:
    first, second = registry.cores[one], registry.cores[other]
    if first == second:
        return "signs, capitals, an article before it, the spelling of the legal form"
    legal = [core(_TRADING.sub("", registry.companies[at].name)) for at in (one, other)]
    if legal[0] == legal[1]:
        return "a trading name noted after it"
    differing = set(first) ^ set(second)
    if (
        len(first) == len(second)
        and {"v", "x"} & differing
        and all(len(word) == 1 or word.isdigit() for word in differing)
    ):
        return FALSE[0]
    if _run(first) == _run(second):
        return "the spelling of a number, blanks, a sign read as a word"
    return FALSE[1]


def _run(words: tuple[str, ...]) -> str:
    """The letters of the words, with numbers as figures and no word for a sign or an article."""
    found = ""
    for word in words:
        digit = _DIGITS.get(word, word)
        found = found[:-1] + digit if found.endswith("0") and digit in "123456789" else found + digit
    return found.removeprefix("the").replace("plus", "and").replace("company", "co")


def near_pairs(registry: Registry, *, ahead: int = 2) -> tuple[int, Counter[str]]:
    """How many neighbors in the alphabet were compared, and those alike without being `exact`, by what makes them so.

    Two such companies are both registered, each under its own spelling: whoever asks for the one gets it first. They
    show how often a spelling that we forgive is another company's own.
    """
    order = sorted(range(len(registry.companies)), key=lambda at: registry.cores[at])
    found: Counter[str] = Counter()
    count = 0
    for one, other in _neighbors(order, ahead):
        if registry.cores[one] == registry.cores[other]:
            continue
        count += 1
        compared = matching.compare(registry.companies[one].name, registry.companies[other].name)
        if compared.score >= THRESHOLD and compared.kind != "exact":
            found[", ".join(compared.features)] += 1
    return count, found


def _neighbors(order: list[int], ahead: int) -> Iterator[tuple[int, int]]:
    for at, one in enumerate(order):
        for other in order[at + 1 : at + 1 + ahead]:
            yield one, other
