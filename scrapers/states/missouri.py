"""Missouri: Secretary of State, Business Services: a WebForms search, a Telerik grid, a record by GET.

Evidence: public clients of the portal, gathered 2026-11 (documented: control names, grid and span ids; no recorded
page at hand), which meet Cloudflare. The search button is a link; its post-back is read from the page. Guessed: the
headers of the grids, the pager's line, and most status words. Officers stand in documents only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import types
from scrapers.parsing.cells import address_in
from scrapers.parsing.fields import Labels, fold, is_domestic, listed, note_unread
from scrapers.parsing.html import maybe, missing_result, offers_next, one, select, striped_rows, text_of, visible_text
from scrapers.parsing.lists import find_count
from scrapers.parsing.webforms import WebForm, post_backs, spans
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://bsd.sos.mo.gov/BusinessEntity/"
_PREFIX = "ctl00_ctl00_ContentPlaceHolderMain_ContentPlaceHolderMainSingle_"
_DETAIL = f"{_PREFIX}ppBEDetail_"
_GRID = f"{_PREFIX}ppBESearch_bsPanel_SearchResultGrid_ctl00"
_LINK = "a[title='Select the link to view the Full Details for this Business']"
_NONE = "No records to display"
_TOTAL = re.compile(r"\b([\d,]+) items? in \d+ pages?", re.IGNORECASE)
_NUMBER = re.compile(r"(?:[A-Z]{1,3})?\d{6,9}")
_BY_NAME, _BY_NUMBER, _EXACT = "0", "3", "3"  # values of two lists on the form
_IGNORED = listed("Duration | Exp | ARDue | FiscalMonth | BEAddress")


class Missouri(Portal):
    """Secretary of State, Business Services."""

    code = "MO"
    hosts = ("bsd.sos.mo.gov",)
    sources = (f"{_HOME}BESearch.aspx?SearchType=0",)
    id_pattern = _NUMBER.pattern
    capabilities = Capabilities(agent=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    statuses = meanings(
        "Good Standing | Active | Fictitious Active | Fictitious Expired | Admin Dissolved | Dissolved | Terminated | "
        "Merged | Withdrawn | Forfeited | Cancelled | Revoked | Name Reservation"
    )
    terms = Terms("unstated", robots="answers 403")
    verification, on_by_default = "documented", False
    off_reason = "The portal answers programs with a Cloudflare challenge."
    would_change = "An answer to plain clients: one had it in June 2026, others had not. Switch on to try."
    name_search = NameSearch(
        mode="unknown",
        narrow="exact",
        says_total=True,
        evidence=(
            "Public clients: method 3 is exact, what the first method does is not told; the pager counts its items."
        ),
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term, first page of the grid."""
        return self._ask(session, {"ddlBESearchType": _BY_NAME, "tbBusinessName": term})

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Just this name, for names too common to list."""
        values = {"ddlBESearchType": _BY_NAME, "tbBusinessName": name, "ddlNameSearchMethod": _EXACT}
        return replace(self._ask(session, values), complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this charter number."""
        return self._ask(session, {"ddlBESearchType": _BY_NUMBER, "tbBusinessID": entity_id})

    def _ask(self, session: PortalSession, values: dict[str, str]) -> ResultList:
        form = WebForm(session.get(f"{_HOME}BESearch.aspx", params={"SearchType": "0"}))
        links = [target for target, _ in post_backs(form.tree) if "stdbtnSearch" in target]
        if not links:
            raise missing_result(form.page, "the search button")
        return _listed(form.post_back(session, links[0], "", values))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a record: spans named by what they hold, and a grid of filings."""
        page = session.get(candidate.handle["url"])
        tree = page.html()
        values = spans(tree, f"{_DETAIL}l", suffix="Value")
        labels = Labels((name, value or None) for name, value in values.items())
        number, name = labels.maybe("BEBIN"), labels.maybe("BEName")
        if number is None or name is None:
            raise missing_result(page, "the record")
        labels.ignore(*_IGNORED)
        record = EntityRecord(
            entity_name=name,
            entity_id=number,
            status=labels.one("Status"),
            entity_type=labels.one("BEType"),
            formation_date=labels.one("Created"),
            jurisdiction=labels.maybe("StateCountry"),
            domestic=is_domestic(labels.maybe("Domesticity")),
            agent_name=labels.maybe("RegAgent"),
            agent_address=address_in(maybe(tree, f"#{_DETAIL}cellRegAgentValue span.swLabelWrap")),
            principal_address=address_in(maybe(tree, f"#{_DETAIL}cellBEAddressValue")),
            filings=tuple(_filings(tree)),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _listed(page: Page) -> ResultList:
    grid = maybe(page.html(), f"table#{_GRID}")
    if grid is None:
        raise missing_result(page, "the grid of results")
    heads = _heads(grid)
    rows = striped_rows(grid, "tr.rgRow, tr.rgAltRow", heads)
    if not rows:
        if _NONE in visible_text(grid):
            return ResultList(())
        raise PageChanged(f"{page.url}: a grid without rows, and no line that there are none")
    return ResultList(tuple(_candidate(row, heads, page) for row in rows), complete=_whole(grid, len(rows)))


def _heads(grid: HtmlElement) -> list[str]:
    return [fold(text_of(cell)) for cell in grid.xpath("./thead/tr[th][last()]/th")]


def _whole(grid: HtmlElement, shown: int) -> bool:
    """A grid that fits on one page may have no pager; a pager that cannot be read proves nothing."""
    pager = select(grid, ".rgInfoPart")
    if not pager:
        return not offers_next(grid)
    total = find_count(_TOTAL, text_of(pager[0]))
    return total == shown


def _candidate(row: HtmlElement, heads: list[str], page: Page) -> Candidate:
    """Name from the link; number, type and status from the columns named so, where the grid names them."""
    link = one(row, _LINK)
    url = page.link(link.get("href") or "")
    cells = [text_of(cell) for cell in row.xpath("./td")]
    if len(cells) != len(heads):
        raise PageChanged(f"a row has {len(cells)} cells where the header has {len(heads)}")
    named = dict(zip(heads, cells, strict=True))
    number = next((value for head, value in named.items() if "charter" in head), "")
    return Candidate(
        name=text_of(link),
        entity_id=number if _NUMBER.fullmatch(number) else "",
        status=named.get("status") or None,
        entity_type=named.get("type") or None,
        name_kind=types.name_kind(named.get("type")),
        handle={"url": url},
        sos_url=url,
    )


def _filings(tree: HtmlElement) -> Iterable[Filing]:
    """Columns named by their headers: the document, and the day it was filed."""
    for grid in select(tree, "table[id$='grdFilingHistory_ctl00']", most=1):
        heads = _heads(grid)
        for row in striped_rows(grid, "tr.rgRow, tr.rgAltRow", heads):
            cells = [text_of(cell) for cell in row.xpath("./td")]
            if len(cells) != len(heads):
                raise PageChanged(f"a filing has {len(cells)} cells where the header has {len(heads)}")
            named = dict(zip(heads, cells, strict=True))
            title = next((value for head, value in named.items() if "document" in head or "type" in head), None)
            if title is None:
                raise PageChanged(f"no column of documents among {heads}")
            if title:
                yield Filing(next((value for head, value in named.items() if "date" in head), None), title)
