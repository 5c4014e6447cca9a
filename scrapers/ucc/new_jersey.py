"""New Jersey's UCC wizard (WebForms): kind of debtor and report, then the name, then a grid.

Source: the pages of the wizard and the first page of 469 debtors, recorded (2026-05); the line of an empty list is a
guess. Names are searched as "begins with" ("A" lists AAMCO): whose word only begins so is left out. Ten debtors stand
on a page, each with a lien's number, at most five pages are read, and the pager, which is a table of its own, says how
many there are. The grid names no secured party: that costs a report per filing. Its status tells the lapsed from others
("Active" of 1969); whether it shows a termination is not known, so no lien is called active.
"""

from __future__ import annotations

import re
from dataclasses import replace

from scrapers.failures import PageChanged
from scrapers.parsing.fields import listed
from scrapers.parsing.html import headed_rows, missing_result, select, text_of, visible_text
from scrapers.parsing.lists import find_count, read_pages
from scrapers.parsing.webforms import WebForm
from scrapers.records import Address, Query, UccFiling
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

URL = "https://www.njportal.com/UCC/Search/NonCertifiedSearch.aspx"
_GRID = "orgResultsGridView"
_COLUMNS = listed("Organization | City | Filing Number | Filing Status | Filing Date")
_NONE = re.compile(
    r"(?<!if )\bno (matching )?(records?|results?|filings?|organizations?|debtors?) ((was|were) )?found\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\bTotal Debtors ([\d,]+)", re.IGNORECASE)
_PAGES = 5


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """Liens, lapsed ones too, on organizations whose name begins with the one asked for; newest first."""
    found: dict[str, UccFiling] = {}
    lists = [_listed(session, text) for text in parties.texts(query)]
    for cells in (cells for rows, _ in lists for cells in rows):  # a row for each debtor of a lien
        lien = _filing(cells)
        if parties.fits(lien.debtors[0], query):
            known = found.setdefault(lien.file_number, lien)
            found[lien.file_number] = replace(known, debtors=tuple(dict.fromkeys(known.debtors + lien.debtors)))
    newest = parties.dated_newest_first(found.values(), query)
    return newest, parties.is_whole(newest, all(whole for _, whole in lists), query, state="New Jersey")


def _listed(session: PortalSession, text: str) -> tuple[list[list[str]], bool]:
    """The rows for a text, and whether they are all."""
    start = WebForm(session.get(URL), what="the UCC wizard")
    choice = {"radioSwitchOrgPerson": "Organization", "radioOutputList": "StatusReport"}
    second = WebForm(start.press(session, "StartNavigationTemplateContainerID$btnContinue", choice))
    values = {"txtOrganizationName": text, "txtOrgCity": "", "cbIncludeLapsedOrg": "on"}
    page = second.press(session, "StepNavigationTemplateContainerID$btnContinue", values)
    rows, ended = read_pages(session, page, _rows, grid=_GRID, most=_PAGES)
    total = find_count(_TOTAL, visible_text(page.html()))
    return rows, ended and total in (None, len(rows))


def _rows(page: Page) -> list[list[str]]:
    tree = page.html()
    grids = select(tree, f"table[id$='{_GRID}']", most=1)
    if not grids:
        if _NONE.search(visible_text(tree)):
            return []
        raise missing_result(page, "the grid of liens, or the line that there are none")
    heads, below = headed_rows(grids[0])  # the pager is a table in one wide cell: it has as many cells as pages
    rows = [[text_of(cell) for cell in cells] for cells in below if len(cells) > 1]
    if not rows and _NONE.search(text_of(grids[0])):
        return []
    if not rows or not set(_COLUMNS) <= set(heads):
        raise PageChanged(f"the grid of liens has {len(rows)} rows below {heads}")
    return [_row(cells, heads) for cells in rows if cells != heads]


def _row(cells: list[str], heads: list[str]) -> list[str]:
    """The date stands twice, the second time with its hour and out of sight."""
    if len(cells) != len(heads):
        raise PageChanged(f"a lien has {len(cells)} cells where the header has {len(heads)}")
    return [min((cell for cell, head in zip(cells, heads, strict=True) if head == name), key=len) for name in _COLUMNS]


def _filing(cells: list[str]) -> UccFiling:
    """Organization, city, number, status, date."""
    debtor, city, number, status, day = cells
    if not debtor or not number:
        raise PageChanged(f"a lien without debtor or number: {cells}")
    who = parties.listed_party(debtor, Address(city=city or None))
    return UccFiling(
        file_number=number, filed=day, debtors=(who,), status=status or None, sos_url=URL, status_omits="termination"
    )
