"""Registers published as files: how a state's file is read, and how a portal answers from a loaded copy.

Some states wall their search but publish the whole register. A dated copy of it is honest as long as the answer
says so (`dataAsOf`, `source: cache`), and asks nothing of the portal.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol

from scrapers.failures import PageChanged, PortalDisabled, QueryRefused
from scrapers.name_rules import availability
from scrapers.name_rules.rules import RULES
from scrapers.normalize import names
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, Officer, ResultList
from scrapers.search.terms import SearchPlan
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

Row = Mapping[str, str]
_WIDER = 25  # near misses worth telling


class Register(Protocol):
    """A loaded copy, as the scraping core sees it; the database is behind it."""

    def as_of(self, state: str) -> datetime | None:
        """The day the state's current copy is from; None when there is none."""

    def by_name(self, state: str, key: str, *, limit: int, wider: int) -> tuple[list[EntityRecord], list[EntityRecord]]:
        """Entities with just this comparison key (at most `limit`), and those whose key goes on with more words."""

    def by_id(self, state: str, entity_id: str) -> list[EntityRecord]:
        """The entity with this identifier, or nothing."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the register is published: `url` of one file, its `kind`, and the least entities a whole copy has.

    `least_rows` guards the switch: a copy that is suddenly much smaller is a broken download, not a state that
    lost its companies.
    """

    url: str
    kind: str  # csv | ndjson-zip | csv-zip | fixed-zip
    least_rows: int
    members: tuple[str, ...] = ()
    encoding: str = "utf-8-sig"
    width: int = 0  # characters a line, for fixed width
    more: tuple[str, ...] = ()  # further files: the download is then a folder


class RegisterPortal(Portal):
    """A portal that answers from the loaded copy of its register when there is one, else live (its family)."""

    register_source: ClassVar[Source]
    register_columns: ClassVar[frozenset[str]] = frozenset()  # columns the file must have
    walled: ClassVar[bool] = False  # its live search turns programs away, so that only the copy answers
    most_rows: ClassVar[int] = 200

    def register_rows(self, path: Path) -> Iterator[Row]:
        """Every row of the downloaded file (of the folder, where the register is in several files)."""
        return rows(path, self.register_source, columns=self.register_columns)

    def register_row(self, row: Row) -> EntityRecord | None:
        """One row of the file as a record; None for rows that are no entity (named kinds only, never a guess)."""
        raise NotImplementedError

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The copy compares normalized names, so the name as it is given finds all spellings of it."""
        if self._register(session) is None:
            return super().search_plan(session, name)
        if not names.key(name):
            raise QueryRefused("the name needs letters or digits")
        return SearchPlan((name,))

    def search_live(self, session: PortalSession, term: str) -> ResultList:
        """The search of the portal itself; by default that of the family this class is mixed into."""
        return super().search(session, term)

    def find_live(self, session: PortalSession, entity_id: str) -> ResultList:
        """The portal's own search by identifier."""
        return super().find(session, entity_id)

    def detail_live(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The portal's own detail."""
        return super().detail(session, candidate)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that begin with the term, from the copy where there is one."""
        register = self._register(session)
        return self.search_live(session, term) if register is None else self._in_copy(session, register, term)

    def names_in_copy(self, session: PortalSession, name: str) -> ResultList:
        """Every name of the copy that the state's rule may call the same; QueryRefused while no copy is loaded."""
        register = self._register(session)
        if register is None:
            return super().names_in_copy(session, name)
        if not names.key(name):
            raise QueryRefused("the name needs letters or digits")
        same = availability.same_names(name, RULES[self.code]) if self.code in RULES else ()
        found = [self._in_copy(session, register, one) for one in dict.fromkeys((name, *same))]
        rows = tuple(row for results in found for row in results.candidates)
        return ResultList(rows, complete=all(results.complete for results in found))

    def _in_copy(self, session: PortalSession, register: Register, term: str) -> ResultList:
        own, longer = register.by_name(self.code, names.key(term), limit=self.most_rows, wider=_WIDER)
        self._show(session, own + longer)
        # Longer names are near misses: a word more is another company, so they need not all be there.
        return ResultList(tuple(map(Candidate.of, own + longer)), complete=len(own) < self.most_rows)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this identifier, from the copy where there is one."""
        register = self._register(session)
        if register is None:
            return self.find_live(session, entity_id)
        records = register.by_id(self.code, entity_id)
        self._show(session, records)
        return ResultList(tuple(map(Candidate.of, records)))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """What the copy holds is the whole record; only rows met live are opened."""
        return candidate.record if candidate.record is not None else self.detail_live(session, candidate)

    def data_as_of(self, session: PortalSession) -> datetime | None:
        """The day of the copy that answers."""
        register = session.register
        return register.as_of(self.code) if register is not None else None

    def _show(self, session: PortalSession, records: list[EntityRecord]) -> None:
        """Keep what the copy gave as the evidence of the answer: it is all that was read."""
        session.from_register = True
        body = json.dumps([to_plain(record) for record in records], ensure_ascii=False, sort_keys=True).encode()
        session.pages.append(Page(self.register_source.url, 200, {"content-type": "application/json"}, body))

    def _register(self, session: PortalSession) -> Register | None:
        register = session.register
        return register if register is not None and register.as_of(self.code) is not None else None


class OnlyRegisterPortal(RegisterPortal):
    """A state with no live search a program may use: without a loaded copy it has no answer, and says so."""

    walled = True

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The copy compares normalized names, so the name as it is given finds all spellings of it."""
        if self._register(session) is None:
            return super().search_plan(session, name)
        if not names.key(name):
            raise QueryRefused("the name needs letters or digits")
        return SearchPlan((name,))

    def search_live(self, session: PortalSession, term: str) -> ResultList:
        """PortalDisabled: only the copy answers."""
        raise PortalDisabled(self._not_loaded)

    def find_live(self, session: PortalSession, entity_id: str) -> ResultList:
        """PortalDisabled: only the copy answers."""
        raise PortalDisabled(self._not_loaded)

    @property
    def _not_loaded(self) -> str:
        return f"no copy of the register is loaded yet (manage.py import_register {self.code})"


# Reading the files: constant memory, one row at a time, a changed layout refused before anything is loaded.


def rows(path: Path, source: Source, *, columns: frozenset[str]) -> Iterator[Row]:
    """Every row of a published file, by column name; PageChanged when a column of `columns` is missing.

    Fixed-width files yield {"line": the whole line}; the state cuts it.
    """
    if source.kind == "csv":
        with path.open(newline="", encoding=source.encoding, errors="replace") as file:
            yield from _csv_rows(file, columns, path.name)
        return
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise PageChanged(f"{path.name} is no zip archive") from error
    with archive:
        for member in _members(archive, source):
            with archive.open(member) as raw:
                text = io.TextIOWrapper(raw, encoding=source.encoding, errors="replace", newline="")
                if source.kind == "csv-zip":
                    for row in _csv_rows(text, columns, member):
                        yield {**row, "_member": member}
                elif source.kind == "ndjson-zip":
                    yield from _json_rows(text, columns, member)
                else:
                    yield from lines(text, source.width, member)


def _members(archive: zipfile.ZipFile, source: Source) -> list[str]:
    have = archive.namelist()
    if source.members == ("*",):
        return sorted(have)
    if not source.members:
        if len(have) != 1:
            raise PageChanged(f"the archive holds {have}, expected one file")
        return have
    missing = [name for name in source.members if name not in have]
    if missing:
        raise PageChanged(f"the archive lacks {missing}: it holds {have}")
    return list(source.members)


def _csv_rows(file: io.TextIOBase | Any, columns: frozenset[str], name: str) -> Iterator[Row]:
    reader = csv.reader(file)
    head = [cell.strip() for cell in next(reader, [])]
    missing = columns - set(head)
    if missing:
        raise PageChanged(f"{name}: the columns {sorted(missing)} are missing from {head}")
    for number, cells in enumerate(reader, start=2):
        if not any(cells):
            continue
        extra = cells[len(head) :]
        if len(cells) < len(head) or any(extra):  # trailing commas are harmless, anything else is a shifted row
            raise PageChanged(f"{name}, line {number}: {len(cells)} cells where the header has {len(head)}")
        yield dict(zip(head, cells, strict=False))


def _json_rows(file: io.TextIOBase, columns: frozenset[str], name: str) -> Iterator[Row]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise PageChanged(f"{name}, line {number}: no JSON") from error
        if not isinstance(row, dict) or not columns <= row.keys():
            raise PageChanged(f"{name}, line {number}: lacks {sorted(columns - set(row))}")
        yield {key: "" if value is None else str(value) for key, value in row.items()}


def lines(file: io.TextIOBase, width: int, name: str) -> Iterator[Row]:
    """Lines of one width as rows with the one column `line`; PageChanged for a line of another width."""
    for number, line in enumerate(file, start=1):
        text = line.rstrip("\r\n")
        if not text:
            continue
        if len(text) != width:
            raise PageChanged(f"{name}, line {number}: {len(text)} characters, expected {width}")
        yield {"line": text}


# The form a record has in the database: only what is there, in short keys of its own.


def to_plain(record: EntityRecord) -> dict[str, Any]:
    """A record as JSON-ready data without its empty fields."""
    plain: dict[str, Any] = {}
    for name in EntityRecord.__slots__:
        value = getattr(record, name)
        if isinstance(value, Address):
            parts = [value.street, value.city, value.state, value.zip, value.country]
            if any(parts):
                plain[name] = parts
        elif name == "filings":
            if value:
                plain[name] = [[filing.date, filing.title] for filing in value]
        elif name == "officers":
            if value:
                plain[name] = [[officer.name, officer.title, officer.address] for officer in value]
        elif value not in (None, ()):
            plain[name] = list(value) if isinstance(value, tuple) else value
    return plain


def from_plain(plain: Mapping[str, Any]) -> EntityRecord:
    """The record back from `to_plain`."""
    fields: dict[str, Any] = {}
    for name, value in plain.items():
        if name.endswith("_address"):
            fields[name] = Address(*value)
        elif name == "officers":
            fields[name] = tuple(Officer(*parts) for parts in value)
        elif name == "filings":
            fields[name] = tuple(Filing(*parts) for parts in value)
        else:
            fields[name] = tuple(value) if isinstance(value, list) else value
    return EntityRecord(**fields)
