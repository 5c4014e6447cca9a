"""Kentucky's name availability search: a form of its own (`search.aspx?na=true`) that counts and lists names.

Evidence: documented by one public client (2025): the box, the button, the count ("0 Results Found") and the table's id.
Not known: the table's columns, so they are found by their heads, and what the search ignores, so that the usual list
must be whole by itself. It gives no verdict.
"""

from __future__ import annotations

import re

from scrapers.failures import PageChanged
from scrapers.parsing.html import body_rows, maybe, missing_result, select, text_of
from scrapers.parsing.webforms import WebForm
from scrapers.records import Candidate
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_FORM = "https://sosbes.sos.ky.gov/BusSearchNProfile/search.aspx?na=true"
_COUNT = re.compile(r"\b(\d+) results? found\b", flags=re.IGNORECASE)


def ask(session: PortalSession, name: str) -> tuple[str, list[Candidate]]:
    """The count as it is written, and the names that the registry's own search holds against this one."""
    return _listed(WebForm(session.get(_FORM)).press(session, "BSearchNA", {"txtSearchNA": name}))


def _listed(page: Page) -> tuple[str, list[Candidate]]:
    """A count above nought without a list is a changed page."""
    tree = page.html()
    label = maybe(tree, "#MainContent_LblResults")
    counted = _COUNT.search(text_of(label)) if label is not None else None
    if counted is None:
        raise missing_result(page, "the number of results")
    if int(counted[1]) == 0:
        return counted[0], []
    table = maybe(tree, "#MainContent_gvSearchResults")
    if table is None:
        raise missing_result(page, "the list of names")
    heads = [text_of(cell).casefold() for cell in select(table, "th", least=1)]
    column, status, number = (_column(heads, word) for word in ("name", "status", "number"))
    if column is None:
        raise PageChanged(f"no column of names among {heads}")
    rows = []
    for row in body_rows(table):
        cells = [text_of(cell) for cell in row.xpath("./td | ./th")]
        if len(cells) != len(heads) or not cells[column]:
            raise PageChanged(f"a row has {len(cells)} cells under {len(heads)} heads")
        shown = cells[status] if status is not None else None
        rows.append(Candidate(cells[column], cells[number] if number is not None else "", shown or None))
    if not rows:
        raise PageChanged(f"{counted[0]!r}, and no name is listed")
    return counted[0], rows


def _column(heads: list[str], word: str) -> int | None:
    return next((index for index, head in enumerate(heads) if word in head), None)
