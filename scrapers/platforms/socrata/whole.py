"""An open data set held whole: live questions stay live, and a name too common to list is looked up in the copy.

The platform exports the same data set as one CSV file, with the API's column names.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from scrapers.bulk_data.source import Register, RegisterPortal, Row, Source
from scrapers.normalize import names
from scrapers.platforms.socrata.portal import SocrataPortal
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search.terms import SearchPlan
from scrapers.transport.session import PortalSession


class WholeSet(RegisterPortal, SocrataPortal):
    """A data set with one row an entity. `least_rows` guards the switch to a new copy, as for any register."""

    least_rows: ClassVar[int] = 0
    most_rows: ClassVar[int] = 5_000
    narrow_proves = True  # the copy compares normalized names

    def __init_subclass__(cls) -> None:
        """The file follows from the data set; a copy without the columns a record needs is refused."""
        super().__init_subclass__()
        url = f"https://{cls.domain}/resource/{cls.dataset}.csv?$limit=100000000"
        cls.register_source = Source(url, "csv", least_rows=cls.least_rows)
        cls.register_columns = frozenset({cls.name_column, cls.id_column, *cls.always})

    def register_row(self, row: Row) -> EntityRecord | None:
        """A line of the export is a row of the API whose empty columns are still there."""
        return self.record({name: value for name, value in row.items() if value})

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """That of the live search, copy or not."""
        return SocrataPortal.search_plan(self, session, name)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Live."""
        return self.search_live(session, term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """Live."""
        return self.find_live(session, entity_id)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Live rows hold the whole record."""
        return self.detail_live(session, candidate)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """All names that begin so, from the copy where one is loaded; else the platform's own narrow search."""
        register = self._register(session)
        return SocrataPortal.narrow(self, session, name) if register is None else self._in_copy(session, register, name)

    def _in_copy(self, session: PortalSession, register: Register, term: str) -> ResultList:
        most = self.most_rows
        own, longer = register.by_name(self.code, names.key(term), limit=most, wider=most)
        self._show(session, own + longer)
        found = tuple(self.candidate(record, {}) for record in own + longer)
        return ResultList(found, complete=len(own) < most and len(longer) < most)

    def data_as_of(self, session: PortalSession) -> datetime | None:
        """When the data set was last changed, as the live answer says."""
        return SocrataPortal.data_as_of(self, session)
