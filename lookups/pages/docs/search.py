"""Finds words in the documentation: an index in memory, made once in a process of all that is shown.

A few hundred sections need no more than a look at each; every word that is asked for has to be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from lookups.pages.docs import contents, guides, markdown, twins
from lookups.pages.docs.reference import codes, operations, shapes

MOST = 30
LONGEST = 100
_AROUND = 80  # characters before the first word that is found, in an excerpt
_WIDTH = 220
_WORD = re.compile(r"\w+")
_TITLE, _HEADING, _EXACT, _TEXT = 8, 12, 10, 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One section: the page it is on, its heading (empty: the page itself), where it is, and what it says."""

    page: str
    heading: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One section that has all the words."""

    entry: Entry
    excerpt: SafeString


def find(asked: str) -> list[Hit]:
    """The sections that have every word (or a word that begins with it), the likeliest first."""
    words = [word.lower() for word in _WORD.findall(asked[:LONGEST])]
    if not words:
        return []
    scored = [(_score(entry, words), entry) for entry in _index(settings.PUBLIC_URL)]
    best = sorted((one for one in scored if one[0]), key=lambda one: -one[0])[:MOST]
    return [Hit(entry, _excerpt(entry.text.replace("`", ""), words)) for _, entry in best]


def _score(entry: Entry, words: list[str]) -> int:
    total = 0
    for word in words:
        heading, title, text = entry.heading.lower(), entry.page.lower(), entry.text.lower()
        begins = re.compile(rf"(?<![a-z0-9]){re.escape(word)}")
        points = _HEADING * bool(begins.search(heading)) + _TITLE * bool(begins.search(title))
        points += _EXACT * (word in (heading, title)) + _TEXT * min(5, len(begins.findall(text)))
        if not points:
            return 0
        total += points
    return total


def _excerpt(text: str, words: list[str]) -> SafeString:
    """The text around the first word, with all of them marked."""
    marks = re.compile(rf"(?<![a-z0-9])({'|'.join(map(re.escape, words))})\w*", re.IGNORECASE)
    first = marks.search(text)
    start = max(0, (first.start() if first else 0) - _AROUND)
    start = text.find(" ", start) + 1 if start else 0
    part = text[start : start + _WIDTH]
    pieces = []
    at = 0
    for found in marks.finditer(part):
        pieces += [escape(part[at : found.start()]), "<mark>", escape(found.group()), "</mark>"]
        at = found.end()
    whole = "".join([*pieces, escape(part[at:])])
    return mark_safe(f"{'… ' if start else ''}{whole}{' …' if start + _WIDTH < len(text) else ''}")  # noqa: S308


@lru_cache(maxsize=2)
def _index(host: str) -> tuple[Entry, ...]:
    return (*_of_guides(), *_of_errors(), *_of_operations(), *_of_words())


def _of_guides() -> Iterator[Entry]:
    for guide in contents.GUIDES:
        for section in guides.show(guide).sections:
            anchor = f"#{section.anchor}" if section.level > 1 else ""
            heading = section.title if anchor else ""
            about = "" if anchor else f"{guide.about} "
            yield Entry(guide.title, heading, f"{guide.url}{anchor}", about + section.text)


def _of_errors() -> Iterator[Entry]:
    for code in codes.list_codes():
        yield Entry(contents.ERRORS.title, code.word, f"{contents.ERRORS.url}#{code.word}", twins.to_text(code.about))


def _of_operations() -> Iterator[Entry]:
    for one in operations.by_name().values():
        text = f"{one.method} {one.path} {one.name} {markdown.plain(one.spec['description'])}"
        yield Entry(one.summary, "", one.url, text)
        for table in (*operations.list_asked_tables(one), *operations.list_tables(one)):
            fields = " ".join(f"{field.name}: {twins.to_text(field.about)}" for field in table.fields)
            yield Entry(one.summary, table.name, f"{one.url}#{table.name}", f"{twins.to_text(table.about)} {fields}")


def _of_words() -> Iterator[Entry]:
    for one in shapes.list_words():
        text = " ".join(f"{word} {twins.to_text(about)}" for word, _, about in one.words)
        yield Entry(contents.WORDS.title, one.name, f"{contents.WORDS.url}#{one.name}", text)
