"""Which rows of a long list are worth a full comparison: never without a row that could be the company asked for.

A full comparison takes some 15 microseconds, a list may have thousands of rows. So all rows are first put into a rough
form (without legal forms, articles and states, abbreviations and numbers in one spelling) in which everything that the
full comparison takes for the same company is equal or nearly so. The rough form forgives more: it only chooses.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from scrapers.normalize import names
from scrapers.normalize.vocabulary import (
    ABBREVIATIONS,
    DIRECTIONS,
    LEGAL_FORMS,
    NUMERALS,
    READINGS,
    ROMAN,
    STATE_NAMES,
)

SHORT = 40  # rows; so many are compared in full anyway
NEAREST = 16  # rows that are kept for their letters, equal or not: ten of them are named beside the match
TURNED = 95.0  # per cent: the same words in another order
_BAR = "|"
_TRADING = (" dba ", " aka ", " fka ", " doing business as ", " formerly ", " trading as ", " ta ")
_SKIPPED = frozenset(
    word for text in (*dict(LEGAL_FORMS), *STATE_NAMES, "the a an and of foreign fn") for word in text.split()
)
_SPELLED = {**DIRECTIONS, **ROMAN, **NUMERALS, **ABBREVIATIONS}
_SPELLED |= {reading: word for word, readings in READINGS.items() for reading in (word, *readings)}
_ONE_SPELLING = {
    word: " ".join(part for part in spelled.split() if part not in _SKIPPED) for word, spelled in _SPELLED.items()
} | dict.fromkeys(_SKIPPED, "")
_MANY_SPELLINGS = frozenset(_ONE_SPELLING).union(*(spelled.split() for spelled in _ONE_SPELLING.values()))


def choose(name: str, rows: Sequence[str]) -> list[int]:
    """The positions of the rows to compare in full, in order: all of a short list."""
    if len(rows) <= SHORT:
        return list(range(len(rows)))
    texts = _plain(rows)
    owners, parts = _find_trading_names(texts, rows)
    texts += _plain(parts)
    letters = _BAR.join(texts).replace(" ", "").split(_BAR)
    kept: set[int] = set()
    for asked in _plain(names.trading_names(name)):
        kept |= _find_near(asked.replace(" ", ""), letters) | _find_same(asked, texts, letters)
    return sorted({at if at < len(rows) else owners[at - len(rows)] for at in kept})


def _find_near(asked: str, letters: list[str]) -> set[int]:
    near = process.extract(asked, letters, scorer=fuzz.ratio, limit=NEAREST, score_cutoff=50)
    return {at for at, row in enumerate(letters) if row == asked}.union(at for _, _, at in near)


def _find_same(asked: str, texts: list[str], letters: list[str]) -> set[int]:
    """All rows that are equal in the rough form, and those nearest in it.

    A row without the longest word that has but one spelling is not equal: it need not be put into the rough form.
    """
    anchor = max((word for word in asked.split() if word not in _MANY_SPELLINGS), key=len, default="")
    places = [at for at, row in enumerate(letters) if anchor in row]
    words, *shown = _rough([asked, *(texts[at] for at in places)])
    found = _find_near(words.replace(" ", ""), [row.replace(" ", "") for row in shown]) if words else set()
    turned = process.extract(words, shown, scorer=fuzz.token_sort_ratio, limit=NEAREST, score_cutoff=TURNED)
    return {places[at] for at in found.union(at for _, _, at in turned)}


def _rough(texts: list[str]) -> list[str]:
    """Each text in the rough form; all words in one pass, for a pass over each text takes longer."""
    words = f" {_BAR} ".join(texts).split()
    return [row.strip() for row in " ".join([_ONE_SPELLING.get(word, word) for word in words]).split(_BAR)]


def _find_trading_names(texts: list[str], rows: Sequence[str]) -> tuple[list[int], list[str]]:
    """The names that stand beside others in one row ("Acme LLC d/b/a Best Foods"), and before them their rows."""
    whole = _BAR.join(texts)
    marks = [mark for mark in _TRADING if mark in whole]
    marked = {at for mark in marks for at, text in enumerate(texts) if mark in text}
    found = [(at, part) for at in sorted(marked) for part in names.trading_names(rows[at])]
    return [at for at, _ in found], [part for _, part in found]


def _plain(rows: Sequence[str]) -> list[str]:
    """The rows in lower case, without accents and signs; "D/B/A", "L.L.C." and "O'Neil" are one word."""
    lines = [row if row.isascii() else _unaccented(row) for row in rows]
    text = "\n".join(lines)
    if text.count("\n") >= len(lines):  # a row of several lines
        text = "\n".join([line.replace("\n", " ") for line in lines])
    text = text.replace(".", "").replace("/", "").replace("'", "")
    return [default_process(line) for line in text.split("\n")] if lines else []


def _unaccented(row: str) -> str:
    return unicodedata.normalize("NFKD", row).encode("ascii", "ignore").decode()
