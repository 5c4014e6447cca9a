"""The Texas Comptroller's franchise tax account search: JSON, a list by name and one account in full.

Source: recorded list, account, empty list and error (2026-09). A name too wide answers HTTP 413. The account lacks the
day of formation (its "effective" date is a renewal stamp) and the kind of entity: both come from the Comptroller's open
data set of active permit holders, where the account is in it. The list shows no status, so accounts with just the name
asked for are opened, at most four. With the operator's key the same questions go to the Comptroller's official API
(documented: the same accounts behind a free registration; that its answers have the same form is assumed, and checked
strictly).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.name_rules.rules import RULES
from scrapers.name_rules.same_names import clerk_key
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need, need_list, need_text, note_unread, text
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, Officer, ResultList
from scrapers.search import matching
from scrapers.search.terms import NameSearch
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession

_READ = frozenset(
    listed(
    "taxpayerId | feiNumber | name | dbaName | mailingAddressStreet | mailingAddressCity | "
    "mailingAddressState | mailingAddressZip | mailingAddressZip4 | rightToTransactTX | stateOfFormation | "
    "sosRegistrationStatus | sosFileNumber | registeredAgentName | registeredOfficeAddressStreet | "
    "registeredOfficeAddressCity | registeredOfficeAddressState | registeredOfficeAddressZip | officerInfo"
)
)  # fmt: skip
_IGNORED = frozenset(listed("effectiveSosRegistrationDate | taxId | lastUpdated | reportYear"))
_NAMESAKES = 4


class ComptrollerPortal(Portal):
    """One host with two questions: which accounts have such a name, and what is in this one."""

    name_search = NameSearch(
        mode="unknown",
        narrow="exact",
        total_told=True,
        evidence=(
            "Recorded: the answer counts its rows; documented: 413 for a name too wide; how it compares is not told."
        ),
    )
    page: ClassVar[str] = "https://comptroller.texas.gov/data-search/franchise-tax"
    api: ClassVar[str] = "https://api.comptroller.texas.gov/public-data/v1/public/franchise-tax"
    organization_types: ClassVar[Mapping[str, str]] = {}

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Accounts with such a name; those with just this name are opened, because the list shows no status."""
        found = self._listed(session, name=term)
        same = [row for row in found.candidates if matching.compare(term, row.name).kind != "close"]
        if 1 <= len(same) <= _NAMESAKES:
            opened = {row.entity_id: self._opened(session, row) for row in same}
            found = replace(found, candidates=tuple(opened.get(row.entity_id, row) for row in found.candidates))
        return found

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """The whole name as it was given, when the name without its legal form was too wide."""
        if name in self.search_plan(session, name).terms:
            return None
        return replace(self._listed(session, name=name), complete=False)

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """Names like this one with their status: one that was not opened can not be said to be free."""
        results = super().names_taken(session, name)
        rule = RULES[self.code]
        alike = [row for row in results.candidates if clerk_key(row.name, rule) == clerk_key(name, rule)]
        known = {row.entity_id: row for row in alike if row.record is not None}
        waiting = list(dict.fromkeys(row.entity_id for row in alike if row.entity_id not in known))
        for row in [row for row in alike if row.entity_id in waiting[: _NAMESAKES - len(known)]]:
            known[row.entity_id] = self._opened(session, row)
        rows = tuple(known.get(row.entity_id, row) for row in results.candidates)
        return ResultList(rows, complete=results.complete and all(number in known for number in waiting))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The account of a taxpayer number (11 digits) or of the Secretary of State's file number (10 digits)."""
        if len(entity_id) == 11:
            return self._listed(session, taxpayerId=entity_id)
        found = self._listed(session, fileNumber=entity_id)
        return replace(found, candidates=tuple(replace(r, handle={"file": entity_id}) for r in found.candidates))

    def ids_of(self, row: Candidate) -> tuple[str, ...]:
        """The taxpayer number, and the file number it was asked for by (checked when the account is opened)."""
        asked = row.handle.get("file")
        return (self.check_id(row.entity_id), *((asked,) if asked else ()))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The account, with the day of formation and the kind of entity from the open data where it is listed."""
        record = candidate.record or self._account(session, candidate.entity_id)
        asked = candidate.handle.get("file")
        if asked and record.identifiers.get("sosFileNumber") != asked:
            raise PageChanged(f"asked for file number {asked}, the portal showed {dict(record.identifiers)}")
        rows = soda.ask_rows(
            session, domain="data.texas.gov", dataset="9cir-efmm", order="taxpayer_number", limit=2,
            where=f"taxpayer_number={conditions.quoted(candidate.entity_id)}",
        )  # fmt: skip
        if not rows:
            return record  # only accounts with an active permit are in the set
        code = soda.value(rows[0], "taxpayer_organizational_type")
        return replace(
            record,
            formation_date=soda.value(rows[0], "sos_charter_date"),
            entity_type=self.organization_types.get(code or "", code),
        )

    def _opened(self, session: PortalSession, row: Candidate) -> Candidate:
        record = self._account(session, row.entity_id)
        return replace(row, status=record.status, record=record)

    def _listed(self, session: PortalSession, **question: str) -> ResultList:
        body = self._ask(session, "", question)
        if body is None:
            return ResultList((), complete=False)
        rows = need_list(need(body, "data"), "'data'")
        note_unread({key for row in rows for key in row} - {"name", "taxpayerId", "mailingAddressZip"}, session)
        found = [Candidate(name=need_text(row, "name"), entity_id=need_text(row, "taxpayerId")) for row in rows]
        count = need(body, "count")
        if not isinstance(count, int) or count < len(found):
            raise PageChanged(f"'count' is {count!r} for {len(found)} rows")
        return ResultList(tuple(found), complete=count == len(found))

    def _account(self, session: PortalSession, taxpayer: str) -> EntityRecord:
        body = self._ask(session, f"/{taxpayer}", {})
        data = need(body, "data")
        if isinstance(data, Mapping):
            note_unread(set(data) - _READ - _IGNORED, session)
        return _record(data, source=self.sources[0])

    def _ask(self, session: PortalSession, path: str, question: Mapping[str, str]) -> Any:
        """The answer's JSON; None when the portal finds the name too wide."""
        key = session.key("comptroller")
        address = self.page + path if not key else self.api + (path or "-list")
        headers = {"Accept": "application/json"} | ({"x-api-key": key} if key else {})
        page = session.get(address, params=question, headers=headers, expect=(200, 400, 413))
        if page.status == 413:
            return None
        body = page.json()
        if need(body, "success") is True:
            return body
        told = text(body.get("error")) or "no reason given"
        if page.status == 400 or "not allowed" in told:
            raise PageChanged(f"{page.url}: the portal refused the question: {told}")
        raise PortalUnavailable(f"{page.url}: the portal failed: {told}")


def _record(data: Any, *, source: str) -> EntityRecord:
    """One account. The Secretary of State's status goes before the tax one, which is told as standing."""
    registered, allowed = text(need(data, "sosRegistrationStatus")), text(need(data, "rightToTransactTX"))
    file_number, other_name = text(need(data, "sosFileNumber")), text(need(data, "dbaName"))
    zip_code, zip4 = text(need(data, "mailingAddressZip")), text(need(data, "mailingAddressZip4"))
    return EntityRecord(
        entity_name=need_text(data, "name"),
        entity_id=need_text(data, "taxpayerId"),
        status=registered or allowed,
        standing=allowed if registered else None,
        jurisdiction=text(need(data, "stateOfFormation")),
        agent_name=text(need(data, "registeredAgentName")),
        agent_address=addresses.from_parts(
            text(need(data, "registeredOfficeAddressStreet")), city=text(need(data, "registeredOfficeAddressCity")),
            state=text(need(data, "registeredOfficeAddressState")), zip=text(need(data, "registeredOfficeAddressZip")),
        ),
        mailing_address=addresses.from_parts(
            text(need(data, "mailingAddressStreet")), city=text(need(data, "mailingAddressCity")),
            state=text(need(data, "mailingAddressState")),
            zip=f"{zip_code}-{zip4}" if zip_code and zip4 and re.fullmatch(r"\d{4}", zip4) else zip_code,
        ),
        officers=tuple(_officer(row) for row in need_list(need(data, "officerInfo"), "'officerInfo'")),
        fei_ein_number=text(need(data, "feiNumber")),
        assumed_names=(other_name,) if other_name else (),
        identifiers={"sosFileNumber": file_number} if file_number else {},
        sos_url=source,
    )  # fmt: skip


def _officer(row: Any) -> Officer:
    where = addresses.from_parts(
        text(need(row, "AD_STR_POB_TX")), city=text(need(row, "CITY_NM")), state=text(need(row, "ST_CD")),
        zip=text(need(row, "AD_ZP")),
    )  # fmt: skip
    return Officer(need_text(row, "AGNT_NM"), text(need(row, "AGNT_TITL_TX")), one_line(where))
