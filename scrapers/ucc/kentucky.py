"""Kentucky's liens: "Fast Track" search by debtor (ASP.NET WebForms), one row for each secured party of a filing.

Evidence: documented by a public reader (2026-09): form, the two tables (names that fit, names that resemble) and their
five columns, and the count above each; status, addresses, collateral and later documents are not shown, so no lien is
called active. Not known: what an empty answer looks like; only an empty table or a sentence that says so counts.
Persons have a form of their own that is not known.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import dates
from scrapers.parsing.html import body_rows, missing_result, offers_next, one, table_rows, text_of, visible_text
from scrapers.parsing.lists import refuse_excuse
from scrapers.parsing.webforms import WebForm
from scrapers.records import Query, UccFiling
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

URL = "https://web.sos.ky.gov/ftucc/search.aspx"
_COLUMNS = ("Debtor Name", "File Number", "File Date and Time", "Lapse Date", "Secured Party")
_CUT = 500
_COUNT = re.compile(r"\bsearch revealed the following ([\d,]+) (?:additional )?results?\b", flags=re.IGNORECASE)
_NONE = re.compile(r"(?<!if )\bno (matching )?(records|results|filings|debtors) (were )?found\b", flags=re.IGNORECASE)


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """The rows of both tables whose debtor bears the name, a filing from each number; newest first."""
    page = WebForm(session.get(URL)).press(session, "bSearch", {"tOrgname": query.name or ""})
    rows = _rows(page)
    found: dict[str, UccFiling] = {}
    for row in rows:
        if parties.fits(parties.listed_party(row["Debtor Name"]), query) and _within(row["File Date and Time"], query):
            _add(found, row)
    newest = parties.newest_first(found.values(), query)
    tree = page.html()
    counted = sum(int(count.replace(",", "")) for count in _COUNT.findall(visible_text(tree)))
    whole = len(rows) < _CUT and counted <= len(rows) and not offers_next(tree)
    return newest, parties.is_whole(newest, whole, query, state="Kentucky")


def _rows(page: Page) -> list[dict[str, str]]:
    tree = page.html()
    tables: list[HtmlElement] = tree.xpath(".//table[contains(@id, 'searchlist')]")
    if not tables:
        if _NONE.search(visible_text(one(tree, "body"))):
            return []
        raise missing_result(page, "list of filings")
    if len(tables) != 2:
        raise PageChanged(f"{len(tables)} lists where one of names that fit and one of such that resemble are expected")
    rows: list[dict[str, str]] = []
    for table in tables:
        body_rows(table)  # an empty table is an answer, one whose rows lost their cells is none
        shown = table_rows(table, _COLUMNS)
        if not shown:
            refuse_excuse(page, table, _NONE)
        rows.extend({head: text_of(cell) for head, cell in row.items()} for row in shown)
    if any(not row["Debtor Name"] or not row["File Number"] for row in rows):
        raise PageChanged("a filing has no debtor or no number")
    return rows


def _add(found: dict[str, UccFiling], row: dict[str, str]) -> None:
    number = row["File Number"]
    known = found.get(number)
    name = row["Secured Party"].replace("*", "").strip()
    debtors = dict.fromkeys([*(known.debtors if known else ()), parties.listed_party(row["Debtor Name"])])
    secured = dict.fromkeys(
        [*(known.secured_parties if known else ()), *([parties.listed_party(name)] if name else [])]
    )
    found[number] = UccFiling(
        file_number=number,
        filed=row["File Date and Time"] or None,
        debtors=tuple(debtors),
        secured_parties=tuple(secured),
        lapse_date=row["Lapse Date"] or None,
        status_omits="termination",
        sos_url=f"{URL}?filing={number}",
    )


def _within(filed: str, query: Query) -> bool:
    if query.date_after is None and query.date_before is None:
        return True
    day = dates.to_date(filed)
    if day is None:
        raise PageChanged(f"the filing date {filed!r} cannot be read")
    return query.covers(day)
