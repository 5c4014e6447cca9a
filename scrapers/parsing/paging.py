"""Lists of several pages in ASP.NET WebForms: each page is asked for from the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from scrapers.parsing.webforms import WebForm
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

Row = TypeVar("Row")


def read_pages(
    session: PortalSession, page: Page, read: Callable[[Page], Iterable[Row]], *, grid: str, most: int
) -> tuple[list[Row], bool]:
    """The rows of a grid's pages, at most so many of them, and whether no page is left.

    A page is read before the next one is asked for, so that `session.pages` ends with the page in hand.
    """
    rows = list(read(page))
    number = 2
    while link := (form := WebForm(page, what="the list's form")).next_page(number, grid):
        if number > most:
            return rows, False
        page = form.post_back(session, *link)
        rows += read(page)
        number += 1
    return rows, True
