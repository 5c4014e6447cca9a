"""Oklahoma: Secretary of State, corporation inquiry: a WebForms search, a grid, and a record by GET.

Evidence: public clients of the portal (documented and old: field names, cells, definition lists; no recorded page at
hand), the newest of which met a Turnstile challenge. The page that asks visitors for their name is the portal's wall.
Guessed: how the grid says that there is nothing ("Total Results: 0"), and most status words.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged, PortalBlocked
from scrapers.normalize import types
from scrapers.parsing.cells import address_in, must_show, paired, shown
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import counted_none, find_count
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, NameKind, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import folded, meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://www.sos.ok.gov/corp/"
_SEARCH = f"{_HOME}corpInquiryFind.aspx"
_TOTAL = re.compile(r"Total Results:\s*([\d,]+)")
_WALL = "Please enter your name"
_CITY = re.compile(r"^(.+?),\s*(\w[\w ]*?)\s*,\s*([\d-]+)$")
_COLUMNS = listed("Filing Number | Name | Entity Type | Name Type / Status")
_KINDS: dict[str, NameKind] = {"former": "former", "reserved": "reserved", "fictitious": "assumed", "trade": "assumed"}


class Oklahoma(Portal):
    """Secretary of State, corporation inquiry."""

    code = "OK"
    hosts = ("www.sos.ok.gov",)
    sources = (_SEARCH,)
    id_pattern = r"\d{8,10}"
    capabilities = Capabilities(agent=True, addresses=True)
    published = frozenset(listed("entity_type | status | formation_date | agent_name | agent_address | jurisdiction"))
    statuses = meanings(
        "In Existence | Dissolved | Terminated | Cancelled | Withdrawn | Inactive | Merged | Consolidated | Expired | "
        "OTC Suspension | Suspended | Reserved | Former"
    )
    name_search = NameSearch(
        mode="unknown",
        says_total=True,
        evidence="Public clients: the list counts its results; how it compares is not told.",
    )
    terms = Terms("unstated", robots="disallows all, the corporation pages by name")
    verification, on_by_default = "documented", False
    off_reason = "The portal shows programs a Turnstile challenge, and its robots.txt disallows them."
    would_change = "The office's permission, or its paid bulk files: their layout is published, a file was not seen."

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term, first page; a longer list counts as cut."""
        page = _past_wall(session.get(_SEARCH))
        answer = WebForm(page).press(session, "SearchButton", {"_singlename": term}, headers={"Referer": page.url})
        return _listed(_past_wall(answer))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """A record is asked for by its number."""
        record = _open(session, _record_url(entity_id))
        return ResultList((Candidate.of(record),) if record else ())

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        record = candidate.record or _open(session, _record_url(candidate.entity_id))
        if record is None:
            raise PageChanged(f"{candidate.entity_id} is listed, but has no record")
        return record


def _record_url(number: str) -> str:
    return f"{_HOME}corpInformation.aspx?id={number}"


def _past_wall(page: Page) -> Page:
    if _WALL in page.text:
        raise PortalBlocked(f"{page.url}: the portal asks visitors for their name")
    return page


def _listed(page: Page) -> ResultList:
    tree = page.html()
    grid = maybe(tree, "[id$='EntityGridView']")  # the table itself, or the box the CSS adapter puts around it
    total = find_count(_TOTAL, visible_text(tree))
    if total == 0:
        return counted_none(page, "[id$='EntityGridView'] td a")
    if grid is None:
        raise missing_result(page, "the list of results")
    table = grid if grid.tag == "table" else one(grid, "table")
    rows = table_rows(table, _COLUMNS)
    if not rows:
        raise PageChanged(f"{page.url}: a list without rows")
    return ResultList(tuple(_candidate(row) for row in rows), complete=total == len(rows))


def _candidate(row: dict[str, HtmlElement]) -> Candidate:
    """Filing number, name, type, and two words: the kind of name and its status."""
    number, name, kind, last = (row[heading] for heading in _COLUMNS)
    words = [text_of(word) for word in select(last, "span", least=1)]
    return Candidate(
        name=text_of(name),
        entity_id=text_of(one(number, "a")),
        entity_type=shown(kind),
        name_kind=next(
            (each for word in words for key, each in _KINDS.items() if word.casefold().startswith(key)),
            types.name_kind(text_of(kind)),
        ),
        status=words[-1],
        sos_url=_record_url(text_of(number)),
    )


def _open(session: PortalSession, url: str) -> EntityRecord | None:
    page = _past_wall(session.get(url))
    box = maybe(page.html(), "div#printDiv")
    if box is None:
        raise missing_result(page, "the record")
    named = any(text_of(head) for head in select(box, "h3"))  # then it is an agent, perhaps, who has no record
    if not named and any("record not found" in visible_text(cell).casefold() for cell in select(box, "dd")):
        return None
    lists = [_labels(part) for part in select(box, "dl", least=1, most=4)]
    facts, agent = lists[0], lists[1] if len(lists) > 1 else Labels(())
    facts.ignore(*listed("Qualified Flag | Name Type | Duration | Expiration Date"))
    agent.ignore("Effective", "Effective Date")
    city = [_CITY.sub(r"\1, \2 \3", line) for line in agent.maybe("City, State , ZipCode") or []]
    record = EntityRecord(
        entity_name=text_of(one(box, "h3")),
        entity_id=must_show(facts, "Filing Number"),
        status=_status(facts.one("Status")),
        entity_type=shown(facts.maybe("Corp type", "Corporation Type")),
        formation_date=shown(facts.maybe("Formation Date")),
        jurisdiction=shown(facts.maybe("Jurisdiction")),
        agent_name=shown(agent.maybe("Name")),
        agent_address=address_in([*(agent.maybe("Address") or []), *city]),  # "TULSA, OK , 74103"
        sos_url=page.url,
    )
    note_unread([*facts.unread, *agent.unread], session)
    return record


def _status(lines: list[str]) -> str:
    """The first of two words ("OTC Suspension", "Inactive"), or one word of two lines."""
    whole = " ".join(lines)
    return lines[0] if folded(whole) not in Oklahoma.statuses and folded(lines[0]) in Oklahoma.statuses else whole


def _labels(part: HtmlElement) -> Labels:
    """Terms and their values as lines; a status may carry a second one."""
    return Labels((term, lines_of(value) or [""]) for term, value in paired(part.xpath("./dt"), part.xpath("./dd")))
