"""How the two states show a result list: Wyoming as items with a status line, South Dakota as a table.

Source: public clients of both (documented). South Dakota's empty result box beside a captcha is a wall.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from scrapers.failures import PageChanged
from scrapers.normalize import types
from scrapers.parsing.html import (
    lines_of,
    maybe,
    missing_result,
    offers_next,
    one,
    select,
    table_rows,
    text_of,
    visible_text,
)
from scrapers.records import Candidate, ResultList
from scrapers.transport.page import Page

Layout = Literal["items", "table"]
_TITLE = re.compile(r"^(?P<name>.+?)\s+-\s+(?P<id>\d{4}-\d{9})\s*(?:\((?P<type>[^)]*)\))?$")

_NONE = re.compile(r"(?<!if )\bno (results|records) found\b", re.IGNORECASE)


def read_items(page: Page) -> ResultList:
    """Items "Name - 2019-000123456 (type)" with a status line; several pages count as a cut list."""
    tree = page.html()
    header = maybe(tree, "#MainContent_lblResultsHeader")
    items = select(tree, "ol#Ol1 > li")
    if header is not None and not items and _NONE.search(visible_text(header)):
        return ResultList(())
    if not items:
        raise missing_result(page, "the list of results")
    rows = []
    for item in items:
        link, title = one(item, "a[href*='FilingDetails.aspx']"), text_of(one(item, ".resFile1"))
        found, (_, colon, status) = _TITLE.match(title), text_of(one(item, ".resFile2")).partition(":")
        if not found or not colon:
            raise PageChanged(f"a result that is no name and number, or without its status: {title!r}")
        url = page.link(link.get("href") or "")
        rows.append(_row(found["name"], found["id"], status.strip(), found["type"], url))
    pages = maybe(tree, "#MainContent_lblHeaderPages")
    single = pages is None or text_of(pages) in ("", "1")
    return ResultList(tuple(rows), complete=single and not offers_next(tree))


def read_table(page: Page) -> ResultList:
    """Number with the link, type, name (first line), status; all rows on one page, or it leads to a next one."""
    tree = page.html()
    box = maybe(tree, "#ctl00_MainContent_SearchResultList")
    if box is not None and not select(box, "td a") and _NONE.search(visible_text(box)):
        return ResultList(())
    tables = select(box, "table", most=1) if box is not None else []
    found = [row for table in tables for row in table_rows(table, ("Business ID", "Type", "Name", "Status"))]
    if not found:
        raise missing_result(page, "the list of results")
    rows = []
    for row in found:
        link, names = one(row["Business ID"], "a[href]"), lines_of(row["Name"])
        url, status, kind = page.link(link.get("href") or ""), text_of(row["Status"]), text_of(row["Type"])
        if not names:
            raise PageChanged(f"{text_of(link)} is listed without a name")
        rows.append(_row(names[0], text_of(link), status, kind, url))
    return ResultList(tuple(rows), complete=not offers_next(tree))


def _row(name: str, number: str, status: str, kind: str | None, url: str) -> Candidate:
    """A filing; a DBA and a reserved name are filings, too."""
    return Candidate(name, number, status, kind, types.name_kind(kind), handle={"url": url}, sos_url=url)


READERS: dict[Layout, Callable[[Page], ResultList]] = {"items": read_items, "table": read_table}
