"""A page of results: its rows and whether they are all, or the words that there are none.

A page that shows neither rows nor those words is a changed page, never "nothing found".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrapers.parsing.html import missing_result, offers_next, visible_text
from scrapers.records import Candidate, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page


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
