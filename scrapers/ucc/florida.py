"""Florida's liens: the secured transaction registry's JSON (publicsearchapi.floridaucc.com), debtors alone.

Source: the search and the details as public readers describe them (2026-09), none recorded. The search lists debtors
in alphabetical order from the name on, so it proves an absence only when it shows the place where the name would
stand. Collateral is on images only, and of later documents the registry tells but the number: both stay empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.normalize import addresses, names, officers
from scrapers.parsing.fields import need, need_list, need_text, text
from scrapers.portal import Portal
from scrapers.records import Query, UccFiling, UccParty
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

_API = "https://publicsearchapi.floridaucc.com"
_HEADERS = {
    "Accept": "application/json",
    "Origin": "https://floridaucc.com",
    "Referer": "https://floridaucc.com/search",
}
_PAGES, _DETAILS = 3, 8  # one request a second: more would outlive the time a caller waits


class FloridaLiens(Portal):
    """Filings by debtor: the list, then each filing."""

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Organizations of this name, and persons where it may be one: "JORDAN SAMPLE TRUCKING LLC" hides nobody."""
        own = names.without_suffix(query.name or "")  # "ACME INC" stands before "Acme Incorporated"
        rows, complete = _debtors(session, "OrganizationDebtorName", own)
        person = officers.person_in(query.name or "")
        if person:
            people, whole = _debtors(session, "IndividualDebtorName", f"{person[1]} {person[0]}")
            rows, complete = people + rows, complete and whole
        numbers = {need_text(row, "uccNumber"): row for row in reversed(rows)}
        opened = [_opened(session, row) for row in list(numbers.values())[::-1][:_DETAILS]]
        newest = sorted(opened, key=parties.shown_day, reverse=True)
        return tuple(newest), complete and len(numbers) <= _DETAILS


def _debtors(session: PortalSession, kind: str, name: str) -> tuple[list[dict[str, Any]], bool]:
    """The rows of the list whose name begins with the name asked for."""
    question = {
        "text": name,
        "searchOptionType": kind,
        "searchOptionSubOption": "FiledAndLapsedCompactDebtorNameList",
        "searchCategory": "" if kind == "IndividualDebtorName" else "Standard",  # as its site asks (recorded 2026-09)
    }
    found, cursor = list[dict[str, Any]](), None
    for _ in range(_PAGES):
        params = question | ({"rowNumber": str(cursor)} if cursor else {})
        payload = _payload(session, "Search", params)
        rows = need_list(need(payload, "debtors"), "'debtors'")
        if not rows and not cursor:
            raise PageChanged(f"the list of debtors is empty: it does not show where {name!r} would stand")
        if rows and not found and compact(need_text(rows[-1], "name")) < compact(names.key(name)):
            raise PageChanged(f"the list of debtors does not lead to {name!r}")
        fitting = [row for row in rows if _fits(need_text(row, "name"), name)]
        found.extend({**row, "asked": question} for row in fitting)
        if rows and not compact(need_text(rows[-1], "name")).startswith(compact(names.key(name))):
            return found, True
        cursor = payload.get("nextRowNumber")
        if not rows or not cursor:  # the last row of all is where the registry says so
            return found, bool(rows) and "nextRowNumber" in payload
    return found, False


def _payload(session: PortalSession, path: str, params: Mapping[str, str]) -> Any:
    """What the answer carries; one that says that it failed ("notOk", seen 2026-09-28, or "errors") has none."""
    page = session.get(f"{_API}/{path}", params=params, headers=_HEADERS)
    answer = page.json()
    if isinstance(answer, Mapping) and (answer.get("notOk") or answer.get("errors")):
        raise PortalUnavailable(f"{page.url}: {answer.get('errors') or answer.get('messages')!r}"[:300])
    return need(answer, "payload")


def _opened(session: PortalSession, row: Mapping[str, Any]) -> UccFiling:
    params = {**row["asked"], "rowNumber": str(need(row, "rowNumber"))}
    payload = _payload(session, "filing-details", params)
    number = need_text(payload, "uccNumber")
    if number != need_text(row, "uccNumber"):
        raise PageChanged(f"opened filing {row['uccNumber']}, the registry showed {number}")
    return UccFiling(
        file_number=number,
        filed=text(need(payload, "fileDate")),
        debtors=_parties(need(payload, "debtors")),
        secured_parties=_parties(need(payload, "secureds")),
        status=text(need(payload, "status")),
        status_omits="termination",  # it stays "Filed" (seen 2026-09-28), and the history is not read
        lapse_date=text(need(payload, "expirationDate")),
        filing_type=text(need(payload, "documentType")),
        sos_url=f"https://floridaucc.com/search?text={number}&searchOptionType=DocumentNumber",
    )


def _parties(rows: Any) -> tuple[UccParty, ...]:
    if not need_list(rows, "the parties"):
        raise PageChanged("a filing without debtors, or without secured parties")
    return tuple(_party(row) for row in rows)


def _party(row: Any) -> UccParty:
    name = need_text(row, "name")
    where = addresses.from_parts(
        text(need(row, "address")),
        city=text(need(row, "city")),
        state=text(need(row, "state")),
        zip=text(need(row, "zipCode")),
    )
    return UccParty(name, where, parties.kind(name))


def _fits(shown: str, asked: str) -> bool:
    one, other = names.key(shown), names.key(asked)
    return one == other or one.startswith(f"{other} ")


def compact(name: str) -> str:
    """A name as both of Florida's lists are in order: capitals without signs and blanks."""
    return re.sub(r"[^A-Z0-9]", "", names.plain(name).upper())
