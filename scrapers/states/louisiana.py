"""Louisiana: Secretary of State, Commercial Division: one WebForms page that turns from form to list to record.

Evidence: public clients of the portal, gathered 2026-11 (documented: element and control names; no recorded page at
hand), which meet a reCAPTCHA before each search. A row is opened by a button that works only with the list's view
state, so the row's handle names the button and the list is found among the pages of this session. Guessed: the status
column of the list, the layout of the address tables, the post-back of the number search, the words of an empty result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, types
from scrapers.normalize.addresses import one_line
from scrapers.parsing.cells import shown
from scrapers.parsing.fields import Labels, fold, listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import find_count
from scrapers.parsing.pairs import pairs
from scrapers.parsing.webforms import WebForm, spans
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Filing, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_URL = "https://coraweb.sos.la.gov/commercialsearch/commercialsearch.aspx"
_ID = "ctl00_cphContent_"
_GRID = f"{_ID}grdSearchResults_EntityNameOrCharterNumber"
_TOTAL = re.compile(r"(\d[\d,]*)")
_NOTHING = re.compile(r"(?<!if )\bno (?:records?|results?|match(?:es)?) (?:(?:was|were) )?found\b", re.IGNORECASE)
_FORMER = re.compile(r"^(.+?)\s*\(Changed:", re.IGNORECASE)


class Louisiana(Portal):
    """Secretary of State, Commercial Division."""

    code = "LA"
    hosts = ("coraweb.sos.la.gov",)
    sources = (_URL,)
    id_pattern = r"\d{8}[XNKFQDJW]"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers"
        )
    )
    statuses = meanings("Active | Inactive")
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal asks for a captcha before each search."
    would_change = "A search without a captcha, or a recorded answer of the office's paid API (500 USD a year)."
    name_search = NameSearch(
        mode="unknown",
        says_total=True,
        evidence="Public clients: the list counts its results; how it compares is not told.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit: one opens its record at once, several make a list."""
        return self._read(_submit(WebForm(session.get(_URL)), session, {"txtEntityName": term}), session)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The record with this charter number."""
        form = WebForm(session.get(_URL))
        radio = form.tree.get_element_by_id(f"{_ID}radSearchByNumber", None)
        if radio is None:
            raise missing_result(form.page, "the search by number")
        form = WebForm(form.post_back(session, radio.get("name"), "", {_last(radio): radio.get("value") or ""}))
        return self._read(_submit(form, session, {"txtCharterNumber": entity_id}), session)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Press the row's button on the page the list came on."""
        if candidate.record is not None:
            return candidate.record
        button = candidate.handle["button"]
        list_page = next((page for page in reversed(session.pages) if button in page.text), None)
        if list_page is None:
            raise PageChanged("the list that holds the row's button is gone")
        page = WebForm(list_page).press(session, button)
        if maybe(page.html(), f"#{_ID}lblName") is None:
            raise missing_result(page, "the record")
        return _record(page, session)

    def _read(self, page: Page, session: PortalSession) -> ResultList:
        tree = page.html()
        if maybe(tree, f"#{_ID}lblName") is not None:
            return ResultList((Candidate.of(_record(page, session)),))
        sentence = maybe(tree, f"#{_ID}lblNoRecords")  # an element that may stand there empty, or for an error
        if sentence is not None and _NOTHING.search(visible_text(sentence)):
            return ResultList(())
        grid = maybe(tree, f"#{_GRID}")
        if grid is None:
            raise missing_result(page, "a list, a record, or the line that there is none")
        rows = tuple(_candidate(row) for row in table_rows(grid, ("Name", "Type"), optional=("Status",)))
        if not rows:
            raise PageChanged(f"{page.url}: a list without rows")
        box = maybe(tree, f"#{_ID}lblTotalResults")
        total = find_count(_TOTAL, text_of(box)) if box is not None else None
        return ResultList(rows, complete=total == len(rows))


def _submit(form: WebForm, session: PortalSession, values: dict[str, str]) -> Page:
    """Press the search button, whose name has changed over the years."""
    names = {str(name).rpartition("$")[2] for name in form.tree.xpath("//*[@name]/@name")}
    button = next((name for name in ("btnSearch", "btnSearchEntity") if name in names), None)
    if button is None:
        raise missing_result(form.page, "the search button")
    return form.press(session, button, values)


def _last(control: HtmlElement) -> str:
    return (control.get("name") or "").rpartition("$")[2]


def _candidate(row: dict[str, HtmlElement]) -> Candidate:
    """Name, type, city, status and a button; no number."""
    controls = [str(name) for cell in row.values() for name in cell.xpath(".//input/@name")]
    buttons = [name for name in controls if name.endswith("btnViewDetails")]
    if len(buttons) != 1:
        raise PageChanged(f"a row has {len(buttons)} buttons")
    return Candidate(
        name=text_of(row["Name"]),
        entity_id="",
        status=shown(row.get("Status")),
        entity_type=shown(row["Type"]),
        name_kind=types.name_kind(shown(row["Type"])),
        handle={"button": buttons[0]},
    )


def _record(page: Page, session: PortalSession) -> EntityRecord:
    tree = page.html()
    labels = Labels(spans(tree, f"{_ID}lbl").items())
    labels.ignore("City", "LastUpdated", "Domicile", "TotalResults", "Disclaimer")
    number = labels.maybe("CharterNumber", "BookNumber", "Number")
    if not number:
        raise PageChanged(f"{page.url}: a record without a charter number")
    report = Labels(pairs(select(tree, f"#{_ID}tblStatus tr"), "td", "td + td"))
    agents, amendments = list(_group(tree, "rptAgents", "Agent")), _group(tree, "grdAmendments", "Amendment")
    record = EntityRecord(
        entity_name=labels.one("Name"),
        entity_id=number,
        status=labels.one("Status", "CurrentStatus"),
        standing=shown(report.maybe("Annual Report Status")),
        entity_type=labels.one("Type", "TypesRegistered"),
        formation_date=labels.one("RegistrationDate"),
        agent_name="; ".join(filter(None, (agent.get("Name") for agent in agents))) or None,
        agent_address=_place(agents[0]) if agents else Address(),
        principal_address=_table(tree, "tblDomicile"),
        mailing_address=_table(tree, "tblMailing"),
        officers=tuple(
            Officer(who["Name"], who.get("Title"), one_line(_place(who)))
            for who in _group(tree, "rptOfficers", "Officer")
            if who.get("Name")
        ),
        former_names=tuple(
            found[1] if (found := _FORMER.match(old["Name"])) else old["Name"]
            for old in _group(tree, "rptPreviousNames", "Previous")
            if old.get("Name")
        ),
        filings=tuple(Filing(row.get("Date"), row["Group"]) for row in amendments if row.get("Group")),
        sos_url=_URL,
    )
    note_unread(labels.unread, session)
    return record


def _group(tree: HtmlElement, repeater: str, word: str) -> Iterable[dict[str, str]]:
    """The rows of a repeater, each as {"Name": ..., "Address1": ..., "CSZ": ...}, by the ids of its spans."""
    rows: dict[str, dict[str, str]] = {}
    pattern = re.compile(rf"^{re.escape(_ID)}{repeater}_(ctl\d+)_lbl{word}(\w+)$")
    for element in tree.xpath("//*[contains(@id, $part)]", part=f"{repeater}_ctl"):
        found = pattern.match(element.get("id") or "")
        if found:
            rows.setdefault(found[1], {})[found[2]] = text_of(element)
    if nameless := [number for number, row in rows.items() if not row.keys() & {"Name", "Group"}]:
        raise PageChanged(f"{repeater} has {nameless[0]} without a name")
    return rows.values()


def _place(row: dict[str, str]) -> Address:
    return addresses.from_lines([row.get("Address1"), row.get("Address2"), row.get("CSZ")])


def _table(tree: HtmlElement, name: str) -> Address:
    """A small table: a heading, then the lines of an address."""
    table = maybe(tree, f"#{_ID}{name}")
    if table is None:
        return Address()
    head, *rows = table.xpath("./tr | ./*/tr") or select(table, "tr", least=1)
    if not fold(text_of(head)).endswith("address"):
        raise PageChanged(f"{text_of(head)!r} stands where an address is announced")
    return addresses.from_lines(line for row in rows for line in lines_of(row))
