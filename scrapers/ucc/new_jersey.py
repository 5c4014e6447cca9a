"""New Jersey's UCC wizard (WebForms): kind of debtor and report, then the name, then a grid.

Source: the pages of the wizard and the first page of 469 debtors, recorded (2026-05); the line of an empty list is a
guess. Names are searched as "begins with". Ten debtors stand on a page, at most five pages are read, and the pager,
which is a table of its own, says how many there are. The grid names no secured party: that costs a report per filing.
"""

from __future__ import annotations

import re

from scrapers.failures import PageChanged
from scrapers.normalize import names
from scrapers.parsing.fields import listed
from scrapers.parsing.html import missing_result, select, text_of, visible_text
from scrapers.parsing.lists import find_count, read_pages
from scrapers.parsing.webforms import WebForm
from scrapers.records import Address, Query, UccFiling
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

URL = "https://www.njportal.com/UCC/Search/NonCertifiedSearch.aspx"
_GRID = "orgResultsGridView"
_COLUMNS = listed("Organization | City | Filing Number | Filing Status | Filing Date")
_NONE = re.compile(r"\bno (matching )?(records?|results?|filings?|organizations?|debtors?)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\bTotal Debtors ([\d,]+)", re.IGNORECASE)
_PAGES = 5


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """Liens, lapsed ones too, on organizations whose name begins with the one asked for; newest first."""
    start = WebForm(session.get(URL), what="the UCC wizard")
    choice = {"radioSwitchOrgPerson": "Organization", "radioOutputList": "StatusReport"}
    second = WebForm(start.press(session, "StartNavigationTemplateContainerID$btnContinue", choice))
    name = names.without_suffix(query.name or "")
    values = {"txtOrganizationName": name, "txtOrgCity": "", "cbIncludeLapsedOrg": "on"}
    page = second.press(session, "StepNavigationTemplateContainerID$btnContinue", values)
    rows, ended = read_pages(session, page, _rows, grid=_GRID, most=_PAGES)
    total = find_count(_TOTAL, visible_text(page.html()))
    complete = ended and (total is None or len(rows) >= total)
    return parties.dated_newest_first(map(_filing, rows), query), complete


def _rows(page: Page) -> list[list[str]]:
    tree = page.html()
    grids = select(tree, f"table[id$='{_GRID}']", most=1)
    if not grids:
        if _NONE.search(visible_text(tree)):
            return []
        raise missing_result(page, "the grid of liens, or the line that there are none")
    own = grids[0].xpath("./tr | ./*/tr")  # not the pager's, a row within a row: it has as many cells as pages
    rows = [cells for row in own if len(cells := [text_of(cell) for cell in row.xpath("./th | ./td")]) > len(_COLUMNS)]
    if not rows and _NONE.search(text_of(grids[0])):
        return []
    if not rows or tuple(rows[0][1:6]) != _COLUMNS:
        raise PageChanged(f"the grid of liens begins with {rows[0] if rows else 'nothing'}")
    return rows[1:]


def _filing(cells: list[str]) -> UccFiling:
    """Cells: a box to tick, organization, city, number, status, date."""
    if not cells[1] or not cells[3]:
        raise PageChanged(f"a lien without debtor or number: {cells}")
    debtor = parties.listed_party(cells[1], Address(city=cells[2] or None))
    return UccFiling(file_number=cells[3], filed=cells[5], debtors=(debtor,), status=cells[4] or None, sos_url=URL)
