"""CALICO, California's official search API: the same registry by a free key, without the page's wall.

Source: the keys of its answers as several clients and the state's guide name them; nothing recorded. 400 is its word
for "nothing found" as well as for a bad question, so only a 400 that says in its text that nothing was found is taken
for an empty list. The text itself was not seen: its wording is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed, need, need_rows, need_text, note_unread, text
from scrapers.platforms.fileone.liens import LienBox
from scrapers.records import Address, Candidate, EntityRecord, ResultList
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

API = "https://calico.sos.ca.gov/cbc/v1/api"
LIMIT = 150  # the most it lists; there are no pages
# Not "Resource not found": so answers the gateway before the API where an address is none of it.
_NOTHING = re.compile(
    r"(?<!if )\bno (matching )?(records?|results?|entit(y|ies)|data) ((was|were) )?(found|match)"
    r"|\b(records?|entity|entities) not found\b",
    re.IGNORECASE,
)
Rows = list[Mapping[str, Any]]
_STANDINGS = listed("StandingSOS | StandingFTB | StandingAgent | StandingVCFCF")
_READ = frozenset(_STANDINGS) | frozenset(
    listed(
        "EntityID | EntityName | EntityType | StatusDescription | FilingDate | Jurisdiction | "
        "AgentName | AgentAddress1 | AgentAddress2 | AgentCity | AgentState | AgentZipCode | "
        "EntityStreetAddress1 | EntityStreetAddress2 | EntityCity | EntityState | EntityZipCode | "
        "MailingStreetAddress1 | MailingStreetAddress2 | MailingCity | MailingState | MailingZipCode"
    )
)
_IGNORED = frozenset(
    listed(
        "StatusCode | SiFrequency | ManagementDescription | "
        "ForeignEntityName | StandingSOSDate | StandingFTBDate | StandingAgentDate | StandingVCFCFDate"
    )
)


class CalicoPortal(LienBox):
    """Asks the API when the operator has set its key, else the page as the platform does."""

    name_search = replace(
        LienBox.name_search,
        cap_basis="documented",
        evidence="Public clients: at most 500 rows from the page, 150 from CALICO, which also takes begins-with.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """By key if there is one."""
        key = session.key("calico")
        return self._results(search(session, key, term, begins_with=False)) if key else super().search(session, term)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Names that begin so; the page knows no such search."""
        key = session.key("calico")
        return self._results(search(session, key, name, begins_with=True)) if key else ResultList((), False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """By key if there is one: the API with and without the zeros of old numbers, for which it has is not known."""
        key = session.key("calico")
        if not key:
            return super().find(session, entity_id)
        spelled = dict.fromkeys((entity_id, entity_id.zfill(7)))
        return self._results(next(filter(None, (find(session, key, number) for number in spelled)), []))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The API's rows are whole records."""
        return candidate.record or super().detail(session, candidate)

    def _results(self, rows: Rows) -> ResultList:
        records = (replace(_record(row), standing=self.worst_standing(_standings(row))) for row in rows)
        return ResultList(tuple(map(Candidate.of, records)), complete=len(rows) < LIMIT)


def search(session: PortalSession, key: str, term: str, *, begins_with: bool) -> Rows:
    """Entities whose name holds, or begins with, the term: at most `LIMIT`."""
    params = {"search-term": term, "begins-with": str(begins_with).lower()}
    return _ask(session, key, "BusinessEntityKeywordSearch", params)


def find(session: PortalSession, key: str, number: str) -> Rows:
    """The entity with this number, if there is one."""
    return _ask(session, key, "BusinessEntityDetails", {"entity-number": number})


def _ask(session: PortalSession, key: str, verb: str, params: Mapping[str, str | int]) -> Rows:
    headers = {"Accept": "application/json", "Ocp-Apim-Subscription-Key": key}
    page = session.get(f"{API}/{verb}", params=params, headers=headers, expect=(200, 400))
    rows = _rows(page)
    note_unread({name for row in rows for name in row} - _READ - _IGNORED, session)
    return rows


def _rows(page: Page) -> Rows:
    if page.status != 200:
        if _NOTHING.search(page.text):
            return []
        raise PageChanged(f"{page.url} answered {page.status}: {page.text[:200]!r}")
    answer = page.json()
    if isinstance(answer, Mapping) and "EntityID" in answer:  # one entity comes without the envelope
        return [answer]
    rows = need_rows(need(answer, "EntityData"), "EntityData")
    if need(answer, "RecordCount") != len(rows):
        raise PageChanged(f"RecordCount is {answer['RecordCount']!r}, and {len(rows)} rows came")
    return rows


def _standings(row: Mapping[str, Any]) -> list[str]:
    return [word for office in _STANDINGS if (word := text(need(row, office)))]


def _record(row: Mapping[str, Any]) -> EntityRecord:
    return EntityRecord(
        entity_name=need_text(row, "EntityName"),
        entity_id=need_text(row, "EntityID"),
        entity_type=text(need(row, "EntityType")),
        status=need_text(row, "StatusDescription"),
        formation_date=text(need(row, "FilingDate")),
        jurisdiction=text(need(row, "Jurisdiction")),
        agent_name=text(need(row, "AgentName")),
        agent_address=_address(row, "AgentAddress", "Agent"),
        principal_address=_address(row, "EntityStreetAddress", "Entity"),
        mailing_address=_address(row, "MailingStreetAddress", "Mailing"),
        sos_url="https://bizfileonline.sos.ca.gov/search/business",
    )


def _address(row: Mapping[str, Any], street: str, rest: str) -> Address:
    return addresses.from_parts(
        text(need(row, f"{street}1")),
        text(need(row, f"{street}2")),
        city=text(need(row, f"{rest}City")),
        state=text(need(row, f"{rest}State")),
        zip=text(need(row, f"{rest}ZipCode")),
    )
