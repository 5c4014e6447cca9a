"""Washington: the JSON API behind the Corporations and Charities Filing System.

Source: five recorded rows of the list (2026); question and detail as published clients send and read them
(documented). Every call must carry the token of a Turnstile challenge that only a browser solves, so that the reader
is whole but is answered "System verification in progress". Whether the list takes a UBI number is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrapers.failures import PortalBlocked
from scrapers.normalize import addresses
from scrapers.parsing.fields import (
    listed,
    need,
    need_number,
    need_object,
    need_rows,
    need_text,
    note_unread_keys,
    optional_object,
    optional_rows,
    refuse_renamed,
    text,
)
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_API, _PAGE = "https://ccfs-api.prod.sos.wa.gov/api/BusinessSearch", "https://ccfs.sos.wa.gov"
_HEADERS = {"Accept": "application/json", "Origin": _PAGE, "Referer": f"{_PAGE}/"}
_ADDRESS = frozenset(listed("StreetAddress1 | StreetAddress2 | City | State | Zip5 | Zip4 | County"))
_PAGE_ROWS, _PAGES = 25, 4
_ROW = frozenset(
    listed(
        "BusinessID | BusinessName | UBINumber | BusinessType | BusinessStatus | AgentName | DateOfIncorporation | "
        "JurisdictionState | TotalRowCount | Criteria | PrincipalOffice | PrincipalStreetAddress | "
        "PrincipalMailingAddress"
    )
)


class Washington(Portal):
    """Secretary of State, Corporations and Charities Filing System."""

    code = "WA"
    hosts = ("ccfs-api.prod.sos.wa.gov",)
    sources = (f"{_PAGE}/#/BusinessSearch",)
    id_pattern = r"\d{3} ?\d{3} ?\d{3}"
    capabilities = Capabilities(by_id=False, agent=True, officers=True, addresses=True, assumed_names=True)
    published = frozenset(
        listed(
            "status | entity_type | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction"
        )
    )
    statuses = meanings(
        "Active | Administratively Dissolved | Voluntarily Dissolved | Inactive | Terminated | Withdrawn | Merged | "
        "Converted | Revoked | Expired | Cancelled | Delinquent | Pending | Reserved"
    )
    name_search = NameSearch(
        mode="contains",
        mode_basis="documented",
        narrow="exact",
        says_total=True,
        page_rows=_PAGE_ROWS,
        pages=_PAGES,
        evidence="Public clients: SearchType Contains or ExactMatch; recorded: the first row counts all.",
    )
    terms = Terms("unstated", note="Cloudflare Turnstile on every call.")
    verification = "recorded"
    off_reason = "Every call wants the token of a challenge (Cloudflare Turnstile) that only a browser can solve."
    would_change = "Calls without that token: the data set that the office once published is discontinued."

    def check_id(self, entity_id: str) -> str:
        """Three groups of three digits, as the registry writes them."""
        digits = super().check_id(entity_id).replace(" ", "")
        return f"{digits[:3]} {digits[3:6]} {digits[6:]}"

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold the term, page by page."""
        return self._list(session, term, "Contains")

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Just this name."""
        return self._list(session, name, "ExactMatch")

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The whole entity by its internal number."""
        page = session.get(
            f"{_API}/BusinessInformation", params={"businessID": candidate.handle["id"]}, headers=_HEADERS
        )
        found = _answer(page)
        office = need_object(need(found, "PrincipalOffice"), "PrincipalOffice")
        agent = optional_object(need(found, "Agent"), "Agent")
        return EntityRecord(
            entity_name=need_text(found, "BusinessName"),
            entity_id=need_text(found, "UBINumber"),
            status=need_text(found, "BusinessStatus"),
            entity_type=need_text(found, "BusinessType"),
            formation_date=text(need(found, "DateOfIncorporation")),
            jurisdiction=text(need(found, "JurisdictionDesc")),
            domestic={"WA": True, "FOREIGN": False}.get(need_text(found, "BusinessType").split()[0].upper()),
            agent_name=_person(agent, "FullName") if agent is not None else None,
            agent_address=_whole(need(agent, "StreetAddress")) if agent is not None else Address(),
            principal_address=_whole(need(office, "PrincipalStreetAddress")),
            mailing_address=_whole(need(office, "PrincipalMailingAddress")),
            officers=tuple(_governors(found)),
            assumed_names=tuple(filter(None, [text(need(found, "DBABusinessName"))])),
            sos_url=self.sources[0],
        )

    def _list(self, session: PortalSession, name: str, mode: str) -> ResultList:
        rows: list[Mapping[str, Any]] = []
        total = 0
        for page_number in range(1, _PAGES + 1):
            form = {
                "Type": "businessname",
                "ID": name,
                "IsSearch": "true",
                "PageID": str(page_number),
                "PageCount": str(_PAGE_ROWS),
                "BusinessTypeId": "0",
                "IsOnline": "true",
                "SearchType": mode,
                "isSearchClick": "true",
                "SortBy": "BusinessName",
                "SortType": "ASC",
            }
            page = session.post(f"{_API}/GetBusinessSearchDetails", form=form, headers=_HEADERS)
            found = need_rows(_answer(page), "the answer")
            more = [row for row in found if row not in rows]  # those of a page shown again are not the rest
            rows += more
            total = total or _total(found)
            if len(rows) >= total or not more:
                break
        note_unread_keys(rows, _ROW, session)
        return ResultList(tuple(self._candidate(row) for row in rows), complete=len(rows) == total)

    def _candidate(self, row: Any) -> Candidate:
        return Candidate(
            name=need_text(row, "BusinessName"),
            entity_id=need_text(row, "UBINumber"),
            status=need_text(row, "BusinessStatus"),
            entity_type=text(need(row, "BusinessType")),
            handle={
                "id": str(need_number(need(row, "BusinessID"), "BusinessID")),
                "agent": text(row.get("AgentName")) or "",
            },
            sos_url=self.sources[0],
        )


def _answer(page: Page) -> Any:
    """The JSON of a page; the API refuses a call without its token in an object with a message."""
    found = page.json()
    if isinstance(found, Mapping) and "verification in progress" in str(found.get("Message", "")).casefold():
        raise PortalBlocked(f"{page.url}: {found['Message']}")
    return found


def _total(rows: list[Mapping[str, Any]]) -> int:
    """How many rows there are in all: the first row, or the question in it, says it."""
    if not rows:
        return 0
    counted = rows[0] if "TotalRowCount" in rows[0] else need(rows[0], "Criteria")
    return need_number(need(counted, "TotalRowCount"), "TotalRowCount")


def _governors(found: Mapping[str, Any]) -> Iterator[Officer]:
    """Those whom the page shows as governors: others of the list founded it, or are gone; most have no title there."""
    for row in optional_rows(need(found, "PrincipalsList"), "PrincipalsList"):
        name = _person(row, "FullName", "Name")
        if name and text(need(row, "PrincipalBaseType")) == "GOVERNINGPERSON" and text(need(row, "Status")) != "D":
            yield Officer(name, text(need(row, "Title")) or "Governor")


def _person(raw: Mapping[str, Any], *whole: str) -> str | None:
    """A name that stands in one of these keys, or in parts."""
    full = next(filter(None, [text(need(raw, key)) for key in whole]), None)
    return full or " ".join(filter(None, [text(need(raw, "FirstName")), text(need(raw, "LastName"))])) or None


def _whole(raw: Any) -> Address:
    if "StreetAddress1" not in need_object(raw, "an address"):  # which is one of nulls where there is none
        return addresses.from_text(text(need(raw, "FullAddress")))
    refuse_renamed(raw, ("Zip4",), known=_ADDRESS)
    zip_code = "-".join(filter(None, [text(need(raw, "Zip5")), text(raw.get("Zip4"))]))
    return addresses.from_parts(
        text(raw["StreetAddress1"]),
        text(need(raw, "StreetAddress2")),
        city=text(need(raw, "City")),
        state=text(need(raw, "State")),
        zip=zip_code or None,
    )
