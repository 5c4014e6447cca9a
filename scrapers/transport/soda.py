"""Questions to open data sets on the Socrata platform (SODA 2.1), for every family that reads one.

Source: the platform's published API. Absent values are absent keys; an error is a JSON object, mostly with 4xx; a
question that takes too long is a 202 or an error that says so. It stands in the transport because two families need
it and families never import each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from scrapers.errors import PageChanged, PortalUnavailable, QueryRefused
from scrapers.normalise import names
from scrapers.parsing.fields import need_list, text
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

Row = Mapping[str, Any]
_LONGEST_CLAUSE = 4000  # characters once encoded; the platform's servers refuse addresses of about 8,000
_LOOSE = "\u00b7"  # our mark in a term: one sign may stand here in the registry's spelling


def ask_rows(
    session: PortalSession, *, domain: str, dataset: str, where: str, order: str, limit: int, offset: int = 0
) -> list[Row]:
    """Ask one data set; a list of rows, each a mapping of the columns that are not empty."""
    token = session.key("socrata")
    params: dict[str, str | int] = {"$where": where, "$limit": limit, "$order": order}
    page = session.get(
        f"https://{domain}/resource/{dataset}.json",
        params=params | ({"$offset": offset} if offset else {}),
        headers={"Accept": "application/json"} | ({"X-App-Token": token} if token else {}),
        expect=(200, 202, 400),
    )
    _refuse_errors(page)
    rows = need_list(page.json(), "the answer")
    if not all(isinstance(row, Mapping) for row in rows):
        raise PageChanged("a row is no object")
    return rows


def _refuse_errors(page: Page) -> None:
    if page.status == 202:
        raise PortalUnavailable(f"{page.url}: the question was accepted, the answer is not ready")
    body = page.json()
    if page.status == 200 and not (isinstance(body, Mapping) and body.get("error")):
        return
    told = f"{body.get('code') or body.get('errorCode') or ''} {body.get('message') or ''}" if _is_map(body) else ""
    if re.search(r"time.?out|timed out|unavailable|too.?busy", told, flags=re.IGNORECASE):
        raise PortalUnavailable(f"{page.url}: {told.strip()[:300]}", reason="timeout")
    raise PageChanged(f"{page.url}: the data set refused the question: {told.strip()[:300]}")


def _is_map(body: Any) -> bool:
    return isinstance(body, Mapping)


def modified(page: Page) -> datetime | None:
    """The moment the data set was last changed, as the answer's header says; None when it does not."""
    raw = page.headers.get("x-soda2-truth-last-modified") or page.headers.get("last-modified")
    try:
        return parsedate_to_datetime(raw) if raw else None
    except ValueError:
        return None


def quoted(value: str) -> str:
    """A SoQL text literal: quotes are doubled."""
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


def batches(values: Iterable[str], *, size: int) -> list[list[str]]:
    """Values in lists of at most `size`, for `is_in` with identifiers."""
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
        raise QueryRefused("the name needs letters or digits")
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


def _loosened_word(word: str) -> str:
    if len(word) < 2 or not word.isalpha() or word.casefold() in ("and", "the", "of", "for", "in", "at", "to", "on"):
        return word
    if len(word) in (2, 3):
        return _LOOSE.join(word)
    if re.match(r"[OD][^AEIOUY][A-Z]{3}", word.upper()):
        word = word[0] + _LOOSE + word[1:]
    if word[-1] in "sS" and word[-2] not in "sS" + _LOOSE:
        word = word[:-1] + _LOOSE + word[-1]
    return word


def value(row: Row, column: str) -> str | None:
    """A column that may be empty (empty columns are left out)."""
    return text(row.get(column))


def flag(row: Row, column: str) -> bool | None:
    """A yes-no column, as JSON boolean or as text; PageChanged for anything else."""
    raw = row.get(column)
    if raw is None or isinstance(raw, bool):
        return raw
    word = str(raw).strip().casefold()
    if word in ("true", "false", ""):
        return {"true": True, "false": False}.get(word)
    raise PageChanged(f"{column!r} is neither true nor false: {raw!r}")
