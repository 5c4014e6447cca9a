"""Mississippi: JSON services that answer with JSON in a string, and a detail page in HTML.

Evidence: documented: the search page's own script (questions, the row's columns, what "No Matches Found" means) and
two clients of 2025 for the detail; nothing recorded. Akamai refuses many programs, and the detail sooner than the
list.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import types
from scrapers.parsing.blocks import find_heading, table_under
from scrapers.parsing.cells import address_in
from scrapers.parsing.fields import Labels, listed, need, need_rows, need_text, note_unread, text
from scrapers.parsing.html import lines_of, missing_result, select, table_rows, text_of
from scrapers.parsing.pairs import joined
from scrapers.parsing.people import agent_in, officer_in, refuse_unread
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, NameKind, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_ROOT = "https://corp.sos.ms.gov/corp"
_ROW = frozenset(listed("BusinessName | BusinessId | FilingtypeName | FilingStatus | BusinessFormedDate | FilingId"))
_KINDS: dict[str, NameKind] = {
    "legal": "legal",
    "previous": "former",
    "former": "former",
    "fictitious": "assumed",
    "dba": "assumed",
}


class Mississippi(Portal):
    """Secretary of State, Business Services."""

    name_search = NameSearch(
        mode="all_words",
        mode_basis="documented",
        narrow="exact",
        cap=500,
        cap_basis="assumed",
        evidence="The search page's own script; guides for people name the same modes. No cap was seen.",
    )
    code = "MS"
    hosts = ("corp.sos.ms.gov",)
    sources = (f"{_ROOT}/portal/c/page/corpBusinessIdSearch/portal.aspx",)
    id_pattern = r"\d{1,8}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True, assumed_names=True)
    published = frozenset(
        listed(
            "status | entity_type | formation_date | agent_name | agent_address | principal_address | officers | "
            "jurisdiction"
        )
    )
    statuses = meanings(
        "Good Standing | Active | Intent to Dissolve: AR | Intent to Dissolve: Tax | Not in Good Standing | "
        "Dissolved | Admin Dissolved | Withdrawn | Revoked | Merged | Expired | Cancelled | Undefined"
    )
    status_prefixes = prefixes(not_in_good_standing="Intent to Dissolve")  # the state's own intent
    terms = Terms("unstated", note="Akamai Bot Manager; plain HTTP worked in 2025 and met 403 in 2026.")
    off_reason = "The portal's bot wall (Akamai) refuses many programs."
    would_change = "An answer to plain clients, as there was in 2025: switch on to try."

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold all words of the term."""
        return self._list(session, "BusinessNameSearch", {"SearchType": "matchall", "BusinessName": term})

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Just this name."""
        return self._list(session, "BusinessNameSearch", {"SearchType": "exact", "BusinessName": name})

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this number."""
        return self._list(session, "BusinessIdSearch", {"BusinessId": entity_id})

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The page behind the "Details" button."""
        page = session.get(
            f"{_ROOT}/portal/c/page/corpBusinessIdSearch/~/ViewXSLTFileByName.aspx",
            params={"providerName": "MSBSD_CorporationBusinessDetails", "FilingId": candidate.handle["id"]},
        )
        return _record(page, session, self.sources[0])

    def _list(self, session: PortalSession, service: str, question: dict[str, str]) -> ResultList:
        page = session.post(f"{_ROOT}/Services/MS/CorpServices.asmx/{service}", json=question)
        packed = need(page.json(), "d")
        if not isinstance(packed, str):
            raise PageChanged(f"`d` is {type(packed).__name__}, not text")
        found: Any = _unpacked(packed)
        rows = need_rows(found["Table"], "Table") if found else []
        note_unread({key for row in rows for key in row} - _ROW, session)
        return ResultList(
            tuple(_candidate(row, self.sources[0]) for row in rows), complete=self.name_search.whole(len(rows))
        )


def _unpacked(packed: str) -> dict[str, Any]:
    """The answer inside the answer; blank, or without a table, is the service's way to say "nothing"."""
    if packed.strip() in ("", '""'):
        return {}
    try:
        found = json.loads(packed)
    except ValueError as error:
        raise PageChanged(f"`d` holds no JSON: {packed[:60]!r}") from error
    if not isinstance(found, dict) or (found and "Table" not in found):
        raise PageChanged(f"`d` holds no table: {packed[:60]!r}")
    return found


def _candidate(row: Any, link: str) -> Candidate:
    return Candidate(
        name=need_text(row, "BusinessName"),
        entity_id=text(need(row, "BusinessId")) or "",
        status=text(need(row, "FilingStatus")),
        entity_type=text(row.get("FilingtypeName")),
        name_kind=types.name_kind(text(row.get("FilingtypeName"))),
        handle={"id": need_text(row, "FilingId")},
        sos_url=link,
    )


def _record(page: Page, session: PortalSession, link: str) -> EntityRecord:
    found = select(page.html(), "#printDiv2")
    if len(found) != 1:
        raise missing_result(page, "the business details (#printDiv2)")
    root = found[0]
    shown = _names(_table(root, "Name History"))
    legal = [name for name, kind in shown if kind == "legal"]
    if len(legal) != 1:
        raise PageChanged(f"{len(legal)} legal names among {shown}")
    labels = Labels(_facts(_table(root, "Business Information")))
    agents = [agent_in(_named(row["Name"])) for row in table_rows(_table(root, "Registered Agent"), ("Name",))]
    labels.ignore("Creation Date", "Expiration Date")
    record = EntityRecord(
        entity_name=legal[0],
        entity_id=joined(labels.one("Business ID")) or "",
        status=joined(labels.one("Status")),
        entity_type=joined(labels.one("Business Type")),
        formation_date=joined(labels.maybe("Effective Date")),
        jurisdiction=joined(labels.maybe("State of Incorporation")),
        principal_address=address_in(labels.maybe("Principal Office Address")),
        agent_name="; ".join(name for name, _ in agents if name) or None,
        agent_address=agents[0][1] if agents else Address(),
        officers=tuple(_officers(root)),
        former_names=tuple(name for name, kind in shown if kind == "former"),
        assumed_names=tuple(name for name, kind in shown if kind == "assumed"),
        sos_url=link,
    )
    note_unread(labels.unread, session)
    return record


def _table(root: HtmlElement, heading: str) -> HtmlElement:
    return table_under(root, heading, named="subTable")


def _names(table: HtmlElement) -> list[tuple[str, NameKind]]:
    """Names with their kind; a kind never seen is a changed page, since the legal name is found by it."""
    found: list[tuple[str, NameKind]] = []
    for row in table_rows(table, ("Name", "Name Type")):
        kind = text_of(row["Name Type"])
        if kind.casefold() not in _KINDS:
            raise PageChanged(f"{kind!r} is no kind of name")
        found.append((text_of(row["Name"]), _KINDS[kind.casefold()]))
    return found


def _facts(table: HtmlElement) -> Iterator[tuple[str, list[str]]]:
    """A label and its value in each row, but for wide ones."""
    for row in table.xpath("./tr | ./*/tr"):
        cells = row.xpath("./th | ./td")
        if len(cells) > 2:
            raise PageChanged(f"{text_of(row)[:80]!r} is no label with its value")
        if len(cells) == 2:
            yield text_of(cells[0]), lines_of(cells[1])


def _named(cell: HtmlElement) -> list[str]:
    """The lines of a cell, the first of which is the name in its link, though it be empty: no street is a name."""
    links = select(cell, "a")
    return ["" for link in links if not text_of(link)] + lines_of(cell)


def _officers(root: HtmlElement) -> Iterator[Officer]:
    """Name and address in the first cell, the title in the last; entities without officers have no section."""
    found = [] if find_heading(root, "Officers & Directors") is None else [_table(root, "Officers & Directors")]
    refuse_unread((table for table in select(root, "table") if table not in found), "name", "title")
    for row in (row for table in found for row in table_rows(table, ("Name", "Title"))):
        officer = officer_in(_named(row["Name"]), text_of(row["Title"]) or None)
        if officer is not None:
            yield officer
