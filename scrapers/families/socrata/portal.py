"""Socrata (SODA 2.1): a name search on an open data set, live, without a key.

Source: the platform's published API (`$where`, `$limit`, `$order`; absent values are absent keys; errors are JSON
objects with 4xx). One request answers: the rows hold the whole record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from scrapers.errors import PageChanged
from scrapers.normalise import names
from scrapers.parsing.fields import need_list, note_unread, text
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession

Row = Mapping[str, Any]


class SocrataPortal(Portal):
    """One data set on one domain. A state names its columns in `record`."""

    domain: ClassVar[str] = ""
    dataset: ClassVar[str] = ""
    name_column: ClassVar[str] = ""
    id_column: ClassVar[str] = ""
    limit: ClassVar[int] = 500
    ignored: ClassVar[frozenset[str]] = frozenset()  # columns that are known and not wanted
    pace: ClassVar[Pace] = Pace(seconds=0.5, concurrency=4)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name holds the words of the term in this order, whatever stands between them."""
        rows = self.rows(session, where=f"upper({self.name_column}) like '{like(term)}'", order=self.name_column)
        return ResultList(self.candidates(session, rows), complete=len(rows) < self.limit)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Rows with just this name, in every spelling of the legal form: for names too common to list."""
        spellings = ",".join(quoted(text) for text in names.spellings(name))
        rows = self.rows(session, where=f"upper({self.name_column}) in({spellings})", order=self.name_column)
        return ResultList(self.candidates(session, rows), complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row, or rows, with this identifier."""
        rows = self.rows(session, where=f"{self.id_column}={quoted(entity_id)}", order=self.name_column)
        return ResultList(self.candidates(session, rows))

    def rows(
        self, session: PortalSession, *, where: str, order: str, dataset: str = "", limit: int | None = None
    ) -> list[Row]:
        """Ask one data set; a list of rows, each a mapping of the columns that are not empty."""
        token = session.key("socrata")
        page = session.get(
            f"https://{self.domain}/resource/{dataset or self.dataset}.json",
            params={"$where": where, "$limit": limit or self.limit, "$order": order},
            headers={"Accept": "application/json"} | ({"X-App-Token": token} if token else {}),
        )
        rows = need_list(page.json(), "the answer")
        if not all(isinstance(row, Mapping) for row in rows):
            raise PageChanged("a row is no object")
        return rows

    def candidates(self, session: PortalSession, rows: list[Row]) -> tuple[Candidate, ...]:
        """One candidate a row; states with several rows an entity group them here."""
        note_unread({name for row in rows for name in row if not name.startswith(":")} - self.columns(), session)
        return tuple(self.candidate(self.record(row)) for row in rows)

    def candidate(self, record: EntityRecord) -> Candidate:
        """A row that already is the whole record."""
        return Candidate(
            name=record.entity_name,
            entity_id=record.entity_id,
            status=record.status,
            entity_type=record.entity_type,
            record=record,
            sos_url=record.sos_url,
        )

    def record(self, row: Row) -> EntityRecord:
        """Read one row; each state names its columns."""
        raise NotImplementedError

    def columns(self) -> frozenset[str]:
        """Every column the state reads or ignores by name; others are told to operators as unread."""
        return self.ignored | frozenset(self.read)

    read: ClassVar[tuple[str, ...]] = ()


def quoted(value: str) -> str:
    """A SoQL text literal: quotes are doubled."""
    return "'" + value.replace("'", "''") + "'"


def like(term: str) -> str:
    """A LIKE pattern that finds the term's words in order: "A.B.C. & Sons" -> "%A%B%C%SONS%".

    Punctuation, `&`/`and` and doubled blanks differ between caller and registry, so they are left open; the rows
    are compared strictly afterwards. `%` and `_` of the caller cannot get in: only letters and digits do.
    """
    words = [word.upper() for word in names.words(term) if word.casefold() != "and"]
    return "%" + "%".join(words) + "%"


def value(row: Row, column: str) -> str | None:
    """A column that may be empty (Socrata leaves empty columns out)."""
    return text(row.get(column))
