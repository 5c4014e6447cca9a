"""Kansas: Secretary of State, Business Entity search (ASP.NET WebForms).

Evidence: a recorded result list with its pager and a recorded detail (2025-12); the form's fields from both. The list
may show a former name beside the present company's number, so the name comes from the detail. Guessed: the words of an
empty result ("No ... found"), and that a search by number lists one row or opens the company. A reCAPTCHA stands on
every page, so the search mostly ends in a wall. A public client waits for a span of its own for an empty result, which
may stand outside the list.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, names
from scrapers.parsing.fields import Labels, listed, note_unread, text
from scrapers.parsing.html import maybe, missing_result, one, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import read_pages
from scrapers.parsing.people import refuse_unread
from scrapers.parsing.webforms import WebForm, spans
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_SEARCH = "https://www.sos.ks.gov/eforms/BusinessEntity/Search.aspx"
_GRID, _FIELD = "gvSearchResults", "MainContent_lbl"
_PAGES = 4
_NOTHING = re.compile(
    r"(?<!if )\bno (?:results|records|matches|business(?:es)?|entit(?:y|ies)) (?:(?:was|were) )?found\b", re.I
)


class Kansas(Portal):
    """Secretary of State, Business Services."""

    name_search = NameSearch(
        mode="contains",
        mode_basis="recorded",
        narrow="starts_with",
        shortest_basis="recorded",
        longest=300,
        longest_basis="recorded",
        cap=100,
        cap_basis="documented",
        page_rows=25,
        pages=4,
        evidence=(
            "Recorded: form, pager and a list for the two letters AA; its page says that the first hundred are shown."
        ),
    )
    code = "KS"
    hosts = ("www.sos.ks.gov",)
    sources = (_SEARCH,)
    id_pattern = r"\d{5,8}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    statuses = meanings(
        "Active and in Good Standing | Delinquent | Dissolved | Withdrawn | Expired | Cancelled | Canceled | "
        "Status pending"
    )
    status_prefixes = prefixes(
        "Delinquent | Forfeited | Dissolved | Merged | Withdrawn | Expired | Cancelled",
        not_in_good_standing="Active and Not",
        active="Active and",
    )
    terms = Terms("unstated", robots="disallows /eforms/", note="A reCAPTCHA stands before every search.")
    verification, on_by_default = "recorded", False
    off_reason = "The portal asks for a captcha (reCAPTCHA) on every search."
    would_change = "A search without a captcha, or one of the paid lists of active entities with its layout."
    estimated_seconds = 8

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold the term, over the pages of the list."""
        return self._by_name(session, term, mode="CONTAINS")

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Names that start with just this one, when too many hold it."""
        return self._by_name(session, names.without_suffix(name), mode="STARTS")

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this number."""
        return self._ask(session, {"rblSearchType": "ID", "txtSearchEntityID": entity_id})

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Press the row's button: it works only with the state of the list page it stands on."""
        if candidate.record is not None:
            return candidate.record
        form = WebForm(session.pages[int(candidate.handle["page"])])
        return self.record(form.press(session, candidate.handle["button"]), session)

    def _by_name(self, session: PortalSession, name: str, *, mode: str) -> ResultList:
        values = {"rblSearchType": "NAME", "txtSearchEntityName": name, "rblNameSearchType": mode}
        return self._ask(session, values)

    def _ask(self, session: PortalSession, values: dict[str, str]) -> ResultList:
        page = WebForm(session.get(_SEARCH)).press(session, "btnSearchEntity", values)
        if maybe(page.html(), "#MainContent_pnlEntityData") is not None:
            return ResultList((Candidate.of(self.record(page, session)),))
        rows, ended = read_pages(session, page, lambda part: self.rows(part, session), grid=_GRID, most=_PAGES)
        return ResultList(tuple(rows), complete=ended and self.name_search.whole(len(rows)))

    def rows(self, page: Page, session: PortalSession) -> tuple[Candidate, ...]:
        """Read one page of the list; `session.pages` ends with this page."""
        tree = page.html()
        area = maybe(tree, "#divgvSearchResults")
        table = maybe(tree, f"#MainContent_{_GRID}")
        places = [place for place in (area, maybe(tree, "#MainContent_lblNoEntitiesFound")) if place is not None]
        if area is None or (table is None and not any(_NOTHING.search(visible_text(place)) for place in places)):
            raise missing_result(page, "the list of results")
        if table is None or (not table.xpath(".//th") and _NOTHING.search(visible_text(table))):
            return ()
        shown = table_rows(table, ("Name", "Entity ID", "Status"))
        if not shown:
            raise missing_result(page, "a row in the list of results")
        index = str(len(session.pages) - 1)
        return tuple(self._candidate(row, index) for row in shown)

    def _candidate(self, row: dict[str, HtmlElement], page: str) -> Candidate:
        buttons = [button for cell in row.values() for button in select(cell, "input[type=submit]")]
        if len(buttons) != 1:
            raise PageChanged(f"a row has {len(buttons)} buttons, one is expected: its record")
        return Candidate(
            name=text_of(one(row["Name"], "span")),
            entity_id=text_of(one(row["Entity ID"], "span")),
            status=text_of(one(row["Status"], "span")),
            handle={"page": page, "button": str(buttons[0].get("name"))},
            sos_url=_SEARCH,
        )

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read the detail: every value is a span with an id of its own."""
        tree = page.html()
        if maybe(tree, "#MainContent_pnlEntityData") is None:
            raise missing_result(page, "the entity's data")
        labels = Labels(spans(one(tree, "#MainContent_pnlEntityData"), _FIELD).items())
        labels.ignore("LastIROnFile", "NextIRDue", "ForfeitureDate")
        record = EntityRecord(
            entity_name=labels.one("EntityName"),
            entity_id=labels.one("EntityID"),
            entity_type=text(labels.one("EntityType")),
            status=text(labels.one("EntityStatus")),
            formation_date=text(labels.one("FormationDate")),
            jurisdiction=text(labels.one("StateOfOrganization")),
            agent_name=text(labels.one("ResidentAgentName")),
            agent_address=_address(labels, "RO"),
            principal_address=_address(labels, "PO"),
            filings=_filings(tree),
            sos_url=_SEARCH,
        )
        note_unread(labels.unread, session)
        return record


def _address(labels: Labels, prefix: str) -> Address:
    """An office in parts: street lines, then city, state, ZIP and country."""
    lines = [labels.one(f"{prefix}Address"), *(labels.maybe(f"{prefix}Address{number}") for number in "234")]
    city, state, zip_code = (labels.one(f"{prefix}Address{part}") for part in ("City", "State", "Zip"))
    country = labels.maybe(f"{prefix}AddressCountry")
    return addresses.from_parts(*lines, city=city, state=state, zip=zip_code, country=country)


def _filings(tree: HtmlElement) -> tuple[Filing, ...]:
    table = maybe(tree, "#MainContent_gvEntityFilings")
    if table is None:
        refuse_unread(select(tree, "table"), "date", "document type")
        return ()
    rows = table_rows(table, ("Date", "Document Type"))
    if not all(text_of(row["Document Type"]) for row in rows):
        raise PageChanged("a row of the filings does not say what was filed")
    return tuple(Filing(text_of(row["Date"]) or None, text_of(row["Document Type"])) for row in rows)
