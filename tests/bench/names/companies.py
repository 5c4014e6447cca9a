"""The real companies of a whole registry, which are kept beside the project and never in it.

What a person would call the same words is decided here, apart from the matcher: it must not be its own judge.
"""

from __future__ import annotations

import csv
import gzip
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from tests.bench.names.vocabulary import FORM_WORDS, ONE_SPELLING, SMALL_WORDS

FILE = Path(__file__).resolve().parents[4] / "shared" / "registers" / "ct-2018-2022.csv.gz"
SLIPS = 2  # letters; two names that are no further apart may be one name with a slip in it
BUCKET = 4  # letters that two such names have in common at their beginning, or at their end


class Company(NamedTuple):
    """One row of the registry."""

    name: str
    number: str
    status: str
    city: str
    foreign: bool


def there() -> bool:
    """Whether the registry's file lies beside the project."""
    return FILE.is_file()


def read() -> list[Company]:
    """Every company, in the file's order; one a number."""
    with gzip.open(FILE, "rt", newline="", encoding="utf-8") as file:
        rows = {
            row["accountnumber"]: Company(
                row["name"], row["accountnumber"], row["status"], row["city"].title(), row["citizenship"] == "Foreign"
            )
            for row in csv.DictReader(file)
            if row["name"].strip() and row["accountnumber"]
        }
    return list(rows.values())


@lru_cache(maxsize=400_000)
def core(name: str) -> tuple[str, ...]:
    """The words of a name as a person reads them: no signs, no case, no legal form, no article before them."""
    text = name if name.isascii() else unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    text = re.sub(r"['.`]", "", text.lower().replace("&", " and ").replace("+", " and "))
    words = re.findall(r"[a-z0-9]+", text)
    while len(words) > 1 and words[-1] in FORM_WORDS and words[-2] != "and":
        words.pop()
    return tuple(words[1:] if len(words) > 1 and words[0] == "the" else words)


def letters(name: str) -> str:
    """The same, run together."""
    return "".join(core(name))


def gist(words: Iterable[str]) -> tuple[str, ...]:
    """What remains of the words without plurals, abbreviations and small words."""
    spelled = " ".join(ONE_SPELLING.get(word, word) for word in words).split()
    return tuple(_singular(word) for word in spelled if word not in SMALL_WORDS)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class Registry:
    """All companies, and who is near whom."""

    def __init__(self, companies: list[Company]) -> None:
        self.companies = companies
        self.cores = [core(company.name) for company in companies]

    @cached_property
    def by_core(self) -> dict[tuple[str, ...], list[int]]:
        """The companies with just these words."""
        return self._filed((words, at) for at, words in enumerate(self.cores))

    @cached_property
    def by_word(self) -> dict[str, list[int]]:
        """The companies with this word."""
        return self._filed((word, at) for at, words in enumerate(self.cores) for word in set(words))

    @cached_property
    def _by_gist(self) -> dict[tuple[str, ...], list[int]]:
        return self._filed((gist(words), at) for at, words in enumerate(self.cores))

    @cached_property
    def _by_ends(self) -> dict[str, dict[int, str]]:
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for at, words in enumerate(self.cores):
            run = "".join(words)
            found["^" + run[:BUCKET]][at] = run
            found["$" + run[-BUCKET:]][at] = run
        return found

    @cached_property
    def shuffled(self) -> list[int]:
        """All places in an order of chance, the same every time."""
        places = list(range(len(self.companies)))
        random.Random("companies").shuffle(places)
        return places

    @staticmethod
    def _filed(keyed: Iterable[tuple[object, int]]) -> dict:
        found: dict = defaultdict(list)
        for key, at in keyed:
            found[key].append(at)
        return found

    def count(self, word: str) -> int:
        """How many companies have the word."""
        return len(self.by_word.get(word, ()))

    def near(self, name: str) -> set[int]:
        """Everybody whose name a careful person could take for this one, written badly."""
        words = core(name)
        run = "".join(words)
        found = set(self.by_core.get(words, ())) | set(self._by_gist.get(gist(words), ()))
        for bucket in ("^" + run[:BUCKET], "$" + run[-BUCKET:]):
            choices = self._by_ends.get(bucket, {})
            found.update(
                at
                for _, _, at in process.extract(
                    run, choices, scorer=Levenshtein.distance, score_cutoff=SLIPS, limit=None
                )
            )
        return found

    def listed_for(self, name: str, *, most: int = 60) -> list[int]:
        """The rows a registry might list beside the right one: those that share the rarest words of the name."""
        found: dict[int, None] = {}
        for word in sorted(set(core(name)), key=lambda word: (self.count(word), word)):
            for at in self.by_word.get(word, ())[: most - len(found)]:
                found[at] = None
            if len(found) >= most:
                break
        return list(found)
