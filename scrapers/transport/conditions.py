"""Conditions in the form of SQL that open data services take: quoted, without a caller's wildcards, never too long.

Two protocols use them (Socrata and ArcGIS), and a name that slips through as a wildcard or a cut-off address would
turn into a wrong "not found".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote

from scrapers.normalize import names
from scrapers.refusals import QueryRefused, Refusal

_LONGEST_CLAUSE = 4000  # characters once encoded; servers refuse addresses of about 8,000
_LOOSE = "\u00b7"  # our mark in a term: one sign may stand here in the registry's spelling
_DECADE = re.compile(r"\d+s", flags=re.IGNORECASE)


def quoted(value: str) -> str:
    """A text literal: quotes are doubled."""
    return "'" + value.replace("'", "''") + "'"


def is_in(expression: str, values: Iterable[str]) -> str:
    """`expression in(…)` with as many of the values, in their order, as an address can carry (at least one)."""
    found: list[str] = []
    length = 0
    for value in dict.fromkeys(values):
        literal = quoted(value)
        length += len(quote(literal)) + 3
        if found and length > _LONGEST_CLAUSE:
            break
        found.append(literal)
    return f"{expression} in({','.join(found)})"


def one_of(expression: str, keys: Iterable[str]) -> str:
    """`expression in(…)` with every key; give it in `batches` that an address can carry."""
    return f"{expression} in({','.join(quoted(key) for key in keys)})"


def batches(values: Iterable[str], *, size: int) -> list[list[str]]:
    """Values in lists of at most `size`, for `one_of`."""
    every = list(dict.fromkeys(values))
    return [every[start : start + size] for start in range(0, len(every), size)]


def name_fits(column: str, term: str, *, begins: bool = False) -> str:
    """A condition that finds the term's words in this order: "A.B.C. & Sons" -> `upper(column) like '%A%B%C%SONS%'`.

    Punctuation, `&`/`and` and doubled blanks differ between caller and registry, so they are left open; the rows are
    compared strictly afterwards. `%` and `_` of the caller cannot get in: only letters and digits do.
    """
    start = "" if begins else "%"
    found = dict.fromkeys(f"upper({column}) like '{start}{body}%'" for body in _bodies(term))
    return " or ".join(found)


def _bodies(term: str) -> list[str]:
    every = re.findall(rf"[^\W_]+(?:{_LOOSE}[^\W_]+)*", term)
    words = [word.upper() for word in every if word.casefold() != "and"] or [word.upper() for word in every]
    if not words:
        raise QueryRefused(Refusal.NO_LETTERS)
    marked = [number for number, word in enumerate(words) if _LOOSE in word][:4]
    plain = [word.replace(_LOOSE, "") for word in words]
    choices = [plain] if not marked else [[w.replace(_LOOSE, "_") for w in words]]
    for number in marked if len(marked) > 1 else ():
        choices.append([words[number].replace(_LOOSE, "_") if at == number else w for at, w in enumerate(plain)])
    bodies = ["%".join(choice) for choice in choices]
    return bodies + [bare for body in bodies if (bare := _without_accents(body)) != body]


def _without_accents(body: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", body) if not unicodedata.combining(sign))


def loosened(term: str) -> str:
    """The term with marks where registries write a sign that callers leave out: ONEILS -> O'NEIL'S, ABC -> A.B.C."""
    return " ".join(_loosened_word(word) for word in names.words(term))


def unmarked(term: str) -> str:
    """The term as it was before it was loosened."""
    return term.replace(_LOOSE, "")


def _loosened_word(word: str) -> str:
    if _DECADE.fullmatch(word):
        return word[:-1] + _LOOSE + word[-1]  # 50S -> 50'S
    if len(word) < 2 or not word.isalpha() or word.casefold() in ("and", "the", "of", "for", "in", "at", "to", "on"):
        return word
    if len(word) in (2, 3):
        return _LOOSE.join(word)
    if re.match(r"[OD][^AEIOUY][A-Z]{3}", word.upper()):
        word = word[0] + _LOOSE + word[1:]
    if word[-1] in "sS" and word[-2] not in "sS" + _LOOSE:
        word = word[:-1] + _LOOSE + word[-1]
    return word
