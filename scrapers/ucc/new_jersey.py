"""New Jersey's UCC wizard (WebForms): kind of debtor and report, then the name, then a grid.

Source: public clients that walk the wizard with plain HTTP or a browser (2026; control names, columns, a row). Names
are searched as "begins with". The grid names no secured party: that costs a report per filing.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import names
from scrapers.parsing.fields import listed
from scrapers.parsing.html import missing_result, select, text_of, visible_text
from scrapers.parsing.webforms import WebForm
from scrapers.records import Address, Query, UccFiling
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

URL = "https://www.njportal.com/UCC/Search/NonCertifiedSearch.aspx"
_GRID = "orgResultsGridView"
_COLUMNS = listed("Organization | City | Filing Number | Filing Status | Filing Date")
_NONE = re.compile(r"\bno (matching )?(records?|results?|filings?|organizations?|debtors?)\b", re.IGNORECASE)
_PAGES = 5


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """Liens, lapsed ones too, on organizations whose name begins with the one asked for; newest first."""
    start = WebForm(session.get(URL), what="the UCC wizard")
    choice = {"radioSwitchOrgPerson": "Organization", "radioOutputList": "StatusReport"}
    second = WebForm(start.press(session, "StartNavigationTemplateContainerID$btnContinue", choice))
    name = names.without_suffix(query.name or "")
    values = {"txtOrganizationName": name, "txtOrgCity": "", "cbIncludeLapsedOrg": "on"}
    page = second.press(session, "StepNavigationTemplateContainerID$btnContinue", values)
    rows, complete = _all_pages(session, page)
    return parties.dated_newest_first(map(_filing, rows), query), complete


def _all_pages(session: PortalSession, page: Page) -> tuple[list[list[str]], bool]:
    rows = _rows(page)
    for number in range(2, _PAGES + 1):
        form = WebForm(page, what="the list's form")
        link = form.next_page(number, _GRID)
        if link is None:
            return rows, True
        page = form.post_back(session, *link)
        rows += _rows(page)
    return rows, WebForm(page, what="the list's form").next_page(_PAGES + 1, _GRID) is None


def _rows(page: Page) -> list[list[str]]:
    tree = page.html()
    grids = select(tree, f"table[id$='{_GRID}']", most=1)
    if not grids:
        if _NONE.search(visible_text(tree)):
            return []
        raise missing_result(page, "the grid of liens, or the line that there are none")
    rows = [cells for row in grids[0].xpath(".//tr") if len(cells := _cells(row)) > len(_COLUMNS)]
    if not rows and _NONE.search(text_of(grids[0])):
        return []
    if not rows or tuple(rows[0][1:6]) != _COLUMNS:
        raise PageChanged(f"the grid of liens begins with {rows[0] if rows else 'nothing'}")
    return rows[1:]


def _cells(row: HtmlElement) -> list[str]:
    return [text_of(cell) for cell in row.xpath("./th | ./td")]


def _filing(cells: list[str]) -> UccFiling:
    """Cells: a box to tick, organization, city, number, status, date."""
    if not cells[1] or not cells[3]:
        raise PageChanged(f"a lien without debtor or number: {cells}")
    debtor = parties.listed_party(cells[1], Address(city=cells[2] or None))
    return UccFiling(file_number=cells[3], filed=cells[5], debtors=(debtor,), status=cells[4] or None, sos_url=URL)
