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

from scrapers.normalise import names
from scrapers.normalise.vocabulary import (
    ABBREVIATIONS,
    DIRECTIONS,
    LEGAL_FORMS,
    NUMERALS,
    READINGS,
    ROMAN,
    STATE_NAMES,
)

SHORT = 40  # rows; so many are compared in full anyway
NEAREST = 12  # rows that are kept for their letters, equal or not: near misses are told to the customer
TURNED = 95.0  # per cent: the same words in another order
_BAR = "|"
_TRADING = (" dba ", " aka ", " fka ", " doing business as ", " formerly known as ", " trading as ")
_SKIPPED = frozenset(
    word for text in (*dict(LEGAL_FORMS), *STATE_NAMES, "the a an and of foreign fn") for word in text.split()
)  # fmt: skip
_SPELT = {**DIRECTIONS, **ROMAN, **NUMERALS, **ABBREVIATIONS}
_SPELT |= {reading: word for word, readings in READINGS.items() for reading in (word, *readings)}
_ONE_SPELLING = {
    word: " ".join(part for part in spelt.split() if part not in _SKIPPED) for word, spelt in _SPELT.items()
} | dict.fromkeys(_SKIPPED, "")


def choose(name: str, rows: Sequence[str]) -> list[int]:
    """The positions of the rows to compare in full, in order: all of a short list."""
    if len(rows) <= SHORT:
        return list(range(len(rows)))
    mine = names.trading_names(name)
    texts = _plain([*mine, *rows])
    owners, parts = _find_trading_names(texts[len(mine) :], rows)
    words = f" {_BAR} ".join([*texts, *_plain(parts)]).split()
    rough = " ".join([_ONE_SPELLING.get(word, word) for word in words])
    shown, letters = rough.split(_BAR), rough.replace(" ", "").split(_BAR)
    kept: set[int] = set()
    for at in range(len(mine)):
        if not letters[at]:  # "Delaware Corporation": a name of nothing but what is passed over here
            shown, letters = texts, [text.replace(" ", "") for text in texts]
        kept |= _find_alike(at, shown, letters, first=len(mine))
    return sorted({at if at < len(rows) else owners[at - len(rows)] for at in kept})


def _find_alike(asked: int, shown: list[str], letters: list[str], *, first: int) -> set[int]:
    same = {at for at, row in enumerate(letters[first:]) if row == letters[asked]}
    near = process.extract(letters[asked], letters[first:], scorer=fuzz.ratio, limit=NEAREST, score_cutoff=50)
    turned = process.extract(
        shown[asked], shown[first:], scorer=fuzz.token_sort_ratio, limit=NEAREST, score_cutoff=TURNED
    )
    return same.union(at for _, _, at in (*near, *turned))


def _find_trading_names(texts: list[str], rows: Sequence[str]) -> tuple[list[int], list[str]]:
    """The names that stand beside others in one row ("Acme LLC d/b/a Best Foods"), and before them their rows."""
    whole = "".join(texts)
    marks = [mark for mark in _TRADING if mark in whole]
    found = [(at, part) for at, text in enumerate(texts) if any(mark in text for mark in marks)
             for part in names.trading_names(rows[at])] if marks else []  # fmt: skip
    return [at for at, _ in found], [part for _, part in found]


def _plain(rows: Sequence[str]) -> list[str]:
    """The rows in lower case, without accents and signs; "D/B/A", "L.L.C." and "O'Neil" are one word."""
    text = "\n".join([row if row.isascii() else _unaccented(row) for row in rows])
    if text.count("\n") >= len(rows) > 0:  # a row of several lines
        text = "\n".join(row.replace("\n", " ") for row in rows)
    text = text.replace(".", "").replace("/", "").replace("'", "")
    return [default_process(line) for line in text.split("\n")] if rows else []


def _unaccented(row: str) -> str:
    return unicodedata.normalize("NFKD", row).encode("ascii", "ignore").decode()
