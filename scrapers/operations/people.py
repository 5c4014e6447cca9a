"""Takes people out of what a registry answered: each word of a person's name becomes another one, wherever it stands.

Word by word, because a page has "SAMPLE, JORDAN A" where its record says "Jordan A Sample", and in the case it has
there, so that the reader meets a page of the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from scrapers.normalize.officers import is_organization
from scrapers.operations.conversation import Conversation
from scrapers.parsing.fields import listed
from scrapers.records import EntityRecord, Found, FoundFilings
from scrapers.transport.exchanges import spellings
from scrapers.transport.recording import Step

_NAMES = listed(
    "jordan | sample | casey | example | riley | doe | morgan | roe | avery | pell | quinn | lund | rowan | tarn | "
    "skyler | venn | emerson | holt | finley | marsh | harper | dunn | kendall | frost | marlowe | keel | reese | "
    "stroud | sawyer | brandt | tatum | lisle | winslow | orme | ellis | crane"
)
_WORD = re.compile(r"[^\W\d_]{2,}(?:['\u2019-][^\W\d_]+)*")
_NO_NAMES = frozenset(
    listed(
        "jr | sr | ii | iii | iv | esq | md | cpa | phd | dds | ceo | cfo | coo | president | treasurer | de | la | van"
    )
)
_EMAIL = re.compile(rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(rb"(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\d-])")
_STREET = re.compile(r"\d+[^,]*")
_BEFORE = rb"(?:(?<![A-Za-z])|(?<=\\[nrt]))"  # no letter, or one that is JSON's for the end of a line
_BETWEEN = rb"(?:\s|&nbsp;|<br\s*/?>)+"


class Swaps:
    """What stands for what: words of names in any case, streets of people, and texts to be swapped just so."""

    def __init__(
        self, words: Iterable[str], streets: Iterable[str] = (), texts: Mapping[str, str] | None = None
    ) -> None:
        self._texts = dict(texts or {})
        self._words: dict[bytes, str] = {}
        real = dict.fromkeys(word.casefold() for word in words)
        for word, other in _names_for(real):
            self._words.update({spelling.lower().encode(): other for spelling in spellings([word])})
        known = b"|".join(re.escape(word) for word in sorted(self._words, key=len, reverse=True))
        self._known = re.compile(_BEFORE + rb"(?:" + known + rb")(?![A-Za-z])", re.I) if known else None
        self._streets = [_any_blanks(street) for street in streets]

    @property
    def count(self) -> int:
        """How many words of names are swapped."""
        return len(set(self._words.values()))

    def in_bytes(self, raw: bytes) -> bytes:
        """The same page without those people."""
        for old, new in self._texts.items():
            for spelling in spellings([old]):
                raw = raw.replace(spelling.encode(), new.encode())
        for street in self._streets:
            raw = street.sub(b"100 FIRST ST", raw)
        raw = _PHONE.sub(b"555-555-0100", _EMAIL.sub(b"sample@example.com", raw))
        return self._known.sub(self._other, raw) if self._known else raw

    def in_text(self, text: str) -> str:
        """The same of text."""
        return self.in_bytes(text.encode()).decode()

    def in_data(self, value: Any) -> Any:
        """The same of what JSON can hold, text by text: its own words are some people's names ("True")."""
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, list):
            return [self.in_data(one) for one in value]
        if isinstance(value, dict):
            return {name: self.in_data(one) for name, one in value.items()}
        return value

    def in_step(self, step: Step, terms: Mapping[str, str]) -> Step:
        """The same of a request and its answer. `terms` stand for whole values that were sent.

        A search for a piece of a name ("Jordan S") becomes that for the same piece of the other one.
        """
        headers = {
            name: self._in_address(value, terms) if "://" in value else value for name, value in step.headers.items()
        }
        url, sent = self._in_address(step.url, terms), step.sent
        if sent is not None:
            pieces = {name: terms[value] for name, value in sent.items() if isinstance(value, str) and value in terms}
            sent = self.in_data(dict(sent)) | pieces
        return replace(step, url=url, headers=headers, body=self.in_bytes(step.body), sent=sent)

    def _in_address(self, url: str, terms: Mapping[str, str]) -> str:
        parts = urlsplit(url)
        path, fields = unquote(parts.path), parse_qsl(parts.query, keep_blank_values=True)
        if self.in_text(path) != path:
            parts = parts._replace(path=quote(self.in_text(path)))
        swapped = [(name, terms.get(value) or self.in_text(value)) for name, value in fields]
        return urlunsplit(parts if swapped == fields else parts._replace(query=urlencode(swapped)))

    def _other(self, found: re.Match[bytes]) -> bytes:
        word, other = found[0], self._words[found[0].lower()]
        return (other.upper() if word.isupper() else other if word.islower() else other.capitalize()).encode()


def find_swaps(seen: Conversation, *, question: str, texts: Mapping[str, str]) -> Swaps:
    """What to swap in a conversation: everybody its reader found, but no word of the company that was asked for."""
    kept = {word.casefold() for word in _WORD.findall(question)} if is_organization(question) else set()
    words = [word for name in _people(seen) for word in _WORD.findall(name)]
    swapped = [word for word in words if word.casefold() not in kept and word.casefold() not in _NO_NAMES]
    return Swaps(swapped, streets=_streets(seen), texts=texts)


def _people(seen: Conversation) -> Iterator[str]:
    names: list[str | None] = [row.name for results, _ in seen.lists for row in results.candidates]
    if isinstance(seen.answer, Found):
        record = seen.answer.record
        names += [record.agent_name, record.process_name, record.entity_name]
        names += [officer.name for officer in record.officers if officer.kind != "organization"]
    elif isinstance(seen.answer, FoundFilings):
        parties = [party for one in seen.answer.filings for party in (*one.debtors, *one.secured_parties)]
        names += [party.name for party in parties if party.kind != "organization"]
    yield from (name for name in names if name and not is_organization(name))


def _streets(seen: Conversation) -> list[str]:
    """Where people are, as far as it is known: the beginnings of addresses, from the house's number to a comma."""
    found: list[str | None] = []
    if isinstance(seen.answer, Found):
        found = list(_streets_of(seen.answer.record))
    elif isinstance(seen.answer, FoundFilings):
        parties = [party for one in seen.answer.filings for party in (*one.debtors, *one.secured_parties)]
        found = [party.address.street for party in parties if not is_organization(party.name)]
    starts = (_STREET.match(street or "") for street in found)
    return sorted({start[0].strip() for start in starts if start and " " in start[0].strip()}, key=len, reverse=True)


def _streets_of(record: EntityRecord) -> Iterator[str | None]:
    yield from (one.address for one in record.officers if one.kind != "organization" and not is_organization(one.name))
    if record.agent_name and not is_organization(record.agent_name):
        yield record.agent_address.street


def _any_blanks(street: str) -> re.Pattern[bytes]:
    return re.compile(_BETWEEN.join(re.escape(word.encode()) for word in street.split()), re.I)


def _names_for(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each word with the name that stands for it, of its length while there are such: which word of a name is the
    longest, and so asked for alone, stays the same.
    """
    real = tuple(words)
    left = [name for name, _ in zip(_endless(), range(len(_NAMES) + 2 * len(real)), strict=False) if name not in real]
    for word in real:
        other = next((name for name in left if len(name) == len(word)), left[0])
        left.remove(other)
        yield word, other


def _endless() -> Iterator[str]:
    """Names of nobody, and the same with a letter behind once they are used up."""
    yield from _NAMES
    for number in range(10_000):
        yield from (f"{name}{chr(97 + number % 26)}{'x' * (number // 26)}" for name in _NAMES)
