"""FileOne, second generation: GET a search, other columns, and a drawer that repeats name and number.

Source: what clients of New Mexico and Michigan send and read (2026); nothing recorded. At most 100 rows come.
Whether the search takes numbers is not known, so nobody is asked by identifier: an empty list would prove nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from scrapers.parsing.fields import Labels, listed
from scrapers.platforms.fileone import drawer
from scrapers.platforms.fileone.portal import FileOnePortal
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, NameCheck, ResultList
from scrapers.transport.session import PortalSession

_STARTS_WITH, _CONTAINS, _NAME_AVAILABILITY = 1, 2, 4


class SecondGeneration(FileOnePortal):
    """Differences from the first generation."""

    name_search = replace(
        FileOnePortal.name_search,
        cap=100,
        cap_basis="documented",
        evidence=(
            "Public clients: QueryTypeId 1 starts with, 2 contains, 4 name availability; at most a hundred rows."
        ),
    )
    columns = frozenset(
        listed(
            "EntityId | BusinessRecordTypeId | BusinessStatusId | RegistrationDate | FormationLocale | Agent | "
            "ARStanding | AnnualReportDueDate"
        )
    )
    type_key = "BusinessRecordTypeId"  # called an id, but it holds words
    status_key, standing_key = "BusinessStatusId", "ARStanding"
    name_label: ClassVar[str] = ""
    number_label: ClassVar[str] = ""
    more_parameters: ClassVar[dict[str, int]] = {}

    find = Portal.find

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Entities with the term anywhere in the name."""
        return self._ask(session, term, _CONTAINS)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Names that begin with just this one."""
        return self._ask(session, name, _STARTS_WITH)

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """The usual list, and the names that the host's own availability search holds against this one.

        What that search ignores is not known, so the usual list must be whole by itself.
        """
        usual = super().names_taken(session, name)
        if not self.own_name_check:
            return usual
        own = self._ask(session, name, _NAME_AVAILABILITY)
        return self.with_own_check(usual, own.candidates, NameCheck(self.own_name_check))

    def record(self, row: Candidate, labels: Labels) -> EntityRecord:
        """Name and number are read from the drawer, so that a wrong drawer is noticed."""
        name, number = drawer.line(labels.one(self.name_label)), drawer.line(labels.one(self.number_label))
        record = super().record(row, labels)
        return replace(record, entity_name=name or record.entity_name, entity_id=number or "")

    def row_assumed(self, title: list[str | None]) -> str:
        """An assumed name stands under the name."""
        return (title[1] or "") if len(title) > 1 else ""

    def _ask(self, session: PortalSession, term: str, query_type: int) -> ResultList:
        params: dict[str, str | int] = {
            "SEARCH_VALUE": term,
            "QueryTypeId": query_type,
            "BusinessRecordTypeId": 0,
            "BusinessStatusTypeId": 0,
        }
        page = session.get(
            f"https://{self.host}/api/businessEntitySearch/webSearch",
            params=params | self.more_parameters,
            headers=self.headers("business"),
        )
        return self.results(session, page.json())

    def headers(self, section: str) -> dict[str, str]:
        """The second generation asks for no authorization header."""
        return {name: value for name, value in super().headers(section).items() if name != "authorization"}
