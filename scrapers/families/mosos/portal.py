"""bsd.sos.mo.gov: a WebForms search, a Telerik grid, a record by GET.

Source: public clients of the portal (control names, grid and span ids; documented, no recorded page at hand). The
search button is a link; its post-back is read from the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, offers_next, one, select, text_of
from scrapers.parsing.webforms import WebForm, post_backs, spans
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://bsd.sos.mo.gov/BusinessEntity/"
_PREFIX = "ctl00_ctl00_ContentPlaceHolderMain_ContentPlaceHolderMainSingle_"
_GRID = f"{_PREFIX}ppBESearch_bsPanel_SearchResultGrid_ctl00"
_LINK = "a[title='Select the link to view the Full Details for this Business']"
_NONE = "No records to display"
_INFO = re.compile(r"\b(\d+) items? in (\d+) pages?", re.IGNORECASE)
_NUMBER = re.compile(r"(?:[A-Z]{1,3})?\d{6,9}")
_BY_NAME, _BY_NUMBER, _EXACT = "0", "3", "3"  # values of two lists on the form
_IGNORED = frozenset(
    listed("lDurationValue | lExpValue | lARDueValue | lFiscalMonthValue | lRegAgentValue | lBEAddressValue")
)


class MoSosPortal(Portal):
    """The business entity search."""

    name_search = NameSearch(
        mode="unknown",
        narrow="exact",
        total_told=True,
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
        return _rows(form.post_back(session, links[0], "", values))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a record: spans named by what they hold, and a grid of filings."""
        page = session.get(candidate.handle["url"])
        tree = page.html()
        shown = spans(tree, f"{_PREFIX}ppBEDetail_")
        if not shown.get("lBENameValue") or not shown.get("lBEBINValue"):
            raise missing_result(page, "the record")
        used: set[str] = set()

        def text(name: str) -> str | None:
            used.add(name)
            return shown.get(name) or None

        agent, agent_address = _agent(tree)
        domestic = {"domestic": True, "foreign": False}.get((text("lDomesticityValue") or "").casefold())
        record = EntityRecord(
            entity_name=text("lBENameValue") or "",
            entity_id=text("lBEBINValue") or "",
            status=text("lStatusValue"),
            entity_type=text("lBETypeValue"),
            formation_date=text("lCreatedValue"),
            jurisdiction=text("lStateCountryValue"),
            domestic=domestic,
            agent_name=agent,
            agent_address=agent_address,
            principal_address=_cell(tree, "cellBEAddressValue"),
            filings=tuple(_filings(tree)),
            sos_url=page.url,
        )
        values = {key for key, value in shown.items() if key.startswith("l") and key.endswith("Value") and value}
        note_unread(values - used - _IGNORED, session)
        return record


def _rows(page: Page) -> ResultList:
    tree = page.html()
    grid = maybe(tree, f"table#{_GRID}")
    if grid is None:
        raise missing_result(page, "the grid of results")
    rows = select(grid, "tr.rgRow, tr.rgAltRow")
    if not rows:
        if _NONE in text_of(grid):
            return ResultList(())
        raise PageChanged(f"{page.url}: a grid without rows, and no line that there are none")
    heads = [text_of(cell).casefold() for cell in grid.xpath("./thead/tr[th][last()]/th")]
    return ResultList(tuple(_candidate(row, heads, page) for row in rows), complete=_whole(grid, len(rows)))


def _whole(grid: HtmlElement, shown: int) -> bool:
    """A grid that fits on one page may have no pager; a pager that cannot be read proves nothing."""
    pager = select(grid, ".rgInfoPart")
    if not pager:
        return not offers_next(grid)
    info = _INFO.search(text_of(pager[0]))
    return info is not None and int(info[1]) <= shown


def _candidate(row: HtmlElement, heads: list[str], page: Page) -> Candidate:
    """Name from the link; number, type and status from the columns named so, where the grid names them."""
    link = one(row, _LINK)
    url = page.link(link.get("href") or "")
    cells = [text_of(cell) for cell in row.xpath("./td")]
    named = dict(zip(heads, cells, strict=True)) if len(heads) == len(cells) else {}
    number = next((value for head, value in named.items() if "charter" in head), "")
    return Candidate(
        name=text_of(link), entity_id=number if _NUMBER.fullmatch(number) else "", handle={"url": url}, sos_url=url,
        status=named.get("status") or None, entity_type=named.get("type") or None,
    )  # fmt: skip


def _agent(tree: HtmlElement) -> tuple[str | None, Address]:
    name = maybe(tree, f"#{_PREFIX}ppBEDetail_lRegAgentValue")
    box = maybe(tree, f"#{_PREFIX}ppBEDetail_cellRegAgentValue span.swLabelWrap")
    address = addresses.from_lines(lines_of(box)) if box is not None else Address()
    return (text_of(name) or None if name is not None else None), address


def _cell(tree: HtmlElement, name: str) -> Address:
    box = maybe(tree, f"#{_PREFIX}ppBEDetail_{name}")
    return addresses.from_lines(lines_of(box)) if box is not None else Address()


def _filings(tree: HtmlElement) -> Iterable[Filing]:
    """Columns named by their headers: the document, and the day it was filed."""
    for grid in select(tree, "table[id$='grdFilingHistory_ctl00']", most=1):
        heads = [text_of(cell).casefold() for cell in grid.xpath("./thead/tr[th][last()]/th")]
        for row in select(grid, "tr.rgRow, tr.rgAltRow"):
            cells = [text_of(cell) for cell in row.xpath("./td")]
            if len(cells) != len(heads):
                raise PageChanged(f"a filing has {len(cells)} cells where the header has {len(heads)}")
            named = dict(zip(heads, cells, strict=True))
            title = next((value for head, value in named.items() if "document" in head or "type" in head), "")
            if title:
                yield Filing(next((value for head, value in named.items() if "date" in head), None), title)
