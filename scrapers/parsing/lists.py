"""A page of results: its rows and whether they are all, or the words that there are none.

A page that shows neither rows nor those words is a changed page, never "nothing found".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.html import headed_rows, missing_result, offers_next, select, text_of, visible_text
from scrapers.parsing.webforms import WebForm
from scrapers.records import Candidate, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession


def result_list(page: Page, rows: Sequence[Candidate], *, facts: NameSearch, nothing: re.Pattern[str]) -> ResultList:
    """The rows of a list of one page: whole when it ends before its cap and offers no further page."""
    if not rows:
        return empty_list(page, nothing)
    return ResultList(tuple(rows), complete=facts.whole(len(rows)) and not offers_next(page.html()))


def empty_list(page: Page, nothing: re.Pattern[str]) -> ResultList:
    """The empty list of a page that says so; otherwise an error of the page."""
    if nothing.search(visible_text(page.html())):
        return ResultList(())
    raise missing_result(page, "a list, or the line that there is none")


def counted_none(page: Page, row: str) -> ResultList:
    """The empty list of a page that counts none; PageChanged where it shows a `row` (CSS): it counts something else."""
    if select(page.html(), row):
        raise PageChanged(f"{page.url}: none are counted, and some are listed")
    return ResultList(())


def refuse_excuse(page: Page, table: HtmlElement, nothing: re.Pattern[str]) -> None:
    """PageChanged where a row of a list without rows says something else than that there are none."""
    said = " ".join(text_of(cells[0]) for cells in headed_rows(table)[1] if len(cells) == 1)
    if said and not nothing.search(said):
        raise missing_result(page, f"a list, or the line that there is none: {said[:100]!r}")


_GOES_ON, _BEGAN = re.compile(r"\s*(-|\u2013|to|of|/)\s*\d"), re.compile(r"\d\s*(-|\u2013|to)\s*$")


def find_count(pattern: re.Pattern[str], text: str) -> int | None:
    """The number in the pattern's first group ("1,234" too); None where the text does not say it.

    PageChanged where it is an end of a range, "1 - 25 of 300": the count is another number then.
    """
    found = pattern.search(text)
    if found and (_GOES_ON.match(text, found.end(1)) or _BEGAN.search(text, 0, found.start(1))):
        raise PageChanged(f"a count is expected, and a range stands there: {text[found.start() :][:80]!r}")
    return int(found[1].replace(",", "")) if found else None


Row = TypeVar("Row")


def read_pages(
    session: PortalSession, page: Page, read: Callable[[Page], Iterable[Row]], *, grid: str, most: int
) -> tuple[list[Row], bool]:
    """The rows of a grid's pages, at most so many of them, and whether no page is left.

    A page is read before the next one is asked for, so that `session.pages` ends with the page in hand.
    """
    rows = list(read(page))
    hold_to(WebForm(page, what="the list's form"), 1, grid)
    number = 2
    while link := (form := WebForm(page, what="the list's form")).next_page(number, grid):
        if number > most:
            return rows, False
        page = turn(session, form, link, number=number, grid=grid)
        if not (more := list(read(page))):
            raise PageChanged(f"{page.url}: page {number} of the list has no row")
        rows += more
        number += 1
    return rows, True


def turn(session: PortalSession, form: WebForm, link: tuple[str, str], *, number: int, grid: str) -> Page:
    """The page of this number, by its link in a grid's pager."""
    page = form.post_back(session, *link)
    hold_to(WebForm(page, what="the list's form"), number, grid)
    return page


def hold_to(form: WebForm, number: int, grid: str) -> None:
    """PageChanged where a list shows another page than the one of this number.

    A pager has no link to the page that it stands on. The rows of a page shown again would pass for the rest.
    """
    if form.next_page(number, grid):
        raise PageChanged(f"{form.page.url}: asked for page {number}, the portal showed another one")
