"""Arkansas: Secretary of State, Business and Commercial Services (Laravel, server HTML).

Evidence: the GET search, the list with its internal ids and "Records Returned: N", and the detail's labels from public
clients of spring 2026, one of which went through a proxy service; the ids of an older detail page (2023) serve as a
second reading. Guessed: that all rows stand on one page (a list shorter than the count is taken as cut), and where
lines break. The filing number stands only in the detail. "SEE FILE" for officers means that none are online.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import names
from scrapers.parsing.cells import address_in, must_show
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import counted_none, find_count
from scrapers.parsing.pairs import Pair, joined, stated_lines
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://sos-corp-search.ark.org/corps"
_COUNT = re.compile(r"Records Returned\s*:\s*([\d,]+)", re.I)
_NUMBERS = 3  # rows of one filing number: its names
_EMPTY = frozenset({"-", "\u2013", "\u2014", "n/a", "none", "see file"})
_OLD_IDS = {
    "corp_name": "Corporation Name",
    "filing-number": "Filing #",
    "filing-type": "Filing Type",
    "file-under-act": "Filed Under Act",
    "status": "Status",
    "principal-address": "Principal Address",
    "reg-agent": "Reg. Agent",
    "agent-address": "Agent Address",
    "date-filed": "Date Filed",
    "officers": "Officers",
    "state-origin": "State of Origin",
}


class Arkansas(Portal):
    """Secretary of State, Business and Commercial Services."""

    name_search = NameSearch(
        mode="unknown",
        says_total=True,
        evidence="Public clients: the caption counts the records; how it compares is not told.",
    )
    code = "AR"
    hosts = ("sos-corp-search.ark.org",)
    sources = (_HOME,)
    id_pattern = r"\d{6,9}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, assumed_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | officers | "
            "jurisdiction"
        )
    )
    statuses = meanings(
        "Good Standing | Not Current | Revoked | Dissolved | Administratively Dissolved | Judicially Dissolved | "
        "Statutorily Dissolved | Merged | Withdrawn | Expired | Cancelled | Converted | Consolidated | Pending | "
        "Reserved"
    )
    terms = Terms("unstated", robots="permissive", note="Some addresses met a captcha or a 405.")
    on_by_default = True
    estimated_seconds = 5

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold the term."""
        return self.rows(self._ask(session, corp_name=term))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The rows of this filing number, opened: the list does not show the number."""
        found = self.rows(self._ask(session, filing_number=entity_id))
        handles = {row.handle["id"]: row for row in found.candidates}
        records = [self.detail(session, row) for row in list(handles.values())[:_NUMBERS]]
        rows = [Candidate(r.entity_name, r.entity_id, r.status, record=r) for r in records if r.entity_id == entity_id]
        return ResultList(tuple(rows), complete=found.complete and len(handles) <= _NUMBERS)

    def _ask(self, session: PortalSession, **asked: str) -> Page:
        session.get(_HOME)  # cookies
        blank = ("corp_type_id", "corp_name", "fict_name", "agent_search", "agent_city", "agent_state", "filing_number")
        return session.get(f"{_HOME}/results", params=dict.fromkeys(blank, "") | asked, headers={"Referer": _HOME})

    def rows(self, page: Page) -> ResultList:
        """The list; the caption says how many records there are."""
        tree = page.html()
        total = find_count(_COUNT, visible_text(tree))
        if total is None:
            raise missing_result(page, "the number of records returned")
        if total == 0:
            return counted_none(page, "#corps-table td.name")
        table = maybe(tree, "#corps-table")
        if table is None:
            raise missing_result(page, "the list of results")
        found = tuple(_candidate(row, page) for row in table_rows(table, ("City", "State", "Status")))
        if not found:
            raise PageChanged(f"{page.url}: {total} records, and no row")
        return ResultList(found, complete=len(found) == total)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the row by its internal id."""
        if candidate.record is not None:
            return candidate.record
        page = session.get(f"{_HOME}/details", params={"id": candidate.handle["id"]}, headers={"Referer": _HOME})
        return self.record(page, session)

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read a detail in its present form, or in its older one: both show every label, "\u2013" for nothing."""
        labels = Labels(_details(page.html()))
        if labels.maybe("Corporation Name") is None:
            raise missing_result(page, "the entity's details")
        labels.ignore("Filed Under Act", "Foreign Name", "Foreign Address")
        record = EntityRecord(
            entity_name=must_show(labels, "Corporation Name"),
            entity_id=must_show(labels, "Filing #"),
            entity_type=joined(labels.one("Filing Type")),
            status=joined(labels.one("Status")),
            formation_date=joined(labels.one("Date Filed")),
            jurisdiction=joined(labels.one("State of Origin")),
            agent_name=joined(labels.one("Reg. Agent")),
            agent_address=address_in(labels.one("Agent Address")),
            principal_address=address_in(labels.one("Principal Address")),
            officers=tuple(_officer(line) for line in labels.one("Officers")),
            assumed_names=tuple(labels.maybe("Fictitious Names") or ()),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    named = [cell for cell in row.values() if "name" in (cell.get("class") or "").split()]
    if len(named) != 1 or not named[0].get("id"):
        raise PageChanged(f"{page.url}: a row has no name with an id")
    status = text_of(row["Status"])
    return Candidate(
        name=text_of(named[0]),
        entity_id="",
        status=status or None,
        name_kind="reserved" if status.casefold() == "reserved" else "legal",
        handle={"id": str(named[0].get("id"))},
        sos_url=page.url,
    )


def _details(tree: HtmlElement) -> list[Pair]:
    found = []
    for row in select(tree, ".detail-row"):
        label, value = select(row, ".fw-semibold") or select(row, ".text-muted"), maybe(row, ".flex-fill")
        if label and value is not None:
            found.append((text_of(label[0]), value))
    if not found:
        older = ((label, tree.xpath("//*[@id=$id]", id=name)) for name, label in _OLD_IDS.items())
        found = [(label, elements[0]) for label, elements in older if elements]
    return [(label, stated_lines(lines_of(value), _EMPTY)) for label, value in found]


def _officer(line: str) -> Officer:
    """ "RILEY SAMPLE, President": the title follows the last comma, where that is not "ACME, INC."'s own."""
    name, comma, title = line.rpartition(",")
    return Officer(name.strip(), title.strip() or None) if comma and not names.legal_form(line) else Officer(line)
