"""The filing history behind a CorpWeb summary, and what it says of a revocation.

Rhode Island's summary prints no status, and a revocation may show among the filings only: without this look an entity
that was revoked would be called active. Source: public clients (control and table names, "Revocation Certificate ...");
how a reinstatement is titled is a guess, so other titles with the word tell neither that it was granted nor refused.
"""

from __future__ import annotations

import re
from datetime import date

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import dates
from scrapers.parsing.html import maybe, missing_result, select, text_of, worded_rows
from scrapers.parsing.lists import read_pages, refuse_excuse
from scrapers.parsing.webforms import WebForm, spans
from scrapers.records import Filing
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_NONE = re.compile(r"(?<!if )\bno (filings|records|results|documents) (were )?found\b", re.IGNORECASE)
_RESTORED = re.compile(r"((application for|certificate of) )?reinstatement( following .+)?", re.IGNORECASE)
# Another title that may tell of one or the other: no notice of it, and no dissolution that was itself revoked.
_UNCLEAR = re.compile(
    r"(?!revocation certificate)(?!.*\b(notice|of (voluntary )?dissolution)\b).*revo[ck]|.*reinstat",
    re.IGNORECASE,
)
_TABLE, _PAGES = "#MainContent_grdSearchResults", 4


def ask(session: PortalSession, summary: Page) -> tuple[Filing, ...] | None:
    """Every filing of the entity whose summary this is, as listed; None where the summary has no way to them.

    None, too, of a list without a row, for what made the entity was filed, and of one that goes on after some pages.
    """
    form = WebForm(summary, what="the summary's form")
    if not form.tree.xpath("//input[contains(@name, 'btnViewFilings')]"):
        return None
    options = [
        option.get("value") or text_of(option)
        for option in select(form.tree, "select[name$='lstFilings'] option")
        if text_of(option).casefold() == "all filings"
    ]
    if len(options) != 1:
        raise PageChanged(f"{summary.url}: {len(options)} ways to ask for all filings")
    page = form.press(session, "btnViewFilings", {"lstFilings": options[0]})
    asked, shown = (_number(one) for one in (summary, page))
    if shown and shown != asked:
        raise PageChanged(f"{page.url}: the filings of {shown}, asked for those of {asked}")
    found, ended = read_pages(session, page, _rows, grid="", most=_PAGES)  # whatever the pager's name is
    return tuple(found) if found and ended else None


def is_clear(filings: tuple[Filing, ...]) -> bool:
    """Whether nothing since the last revocation or reinstatement may tell of another in words that are not known."""
    known = [one for one in filings if _is_revocation(one) or _RESTORED.fullmatch(one.title)]
    since = max(map(_day, known), default=date.min)
    return not any(_UNCLEAR.match(one.title) for one in filings if one not in known and _day(one) > since)


def _number(page: Page) -> str:
    """The number of the entity that a page is of, where it says that."""
    return spans(page.html(), "MainContent_lbl").get("IDNumber", "").rpartition(":")[2].strip()


def revocation(filings: tuple[Filing, ...]) -> str | None:
    """The title of a revocation that no later reinstatement took back."""
    revoked = [one for one in filings if _is_revocation(one)]
    restored = [one for one in filings if _RESTORED.fullmatch(one.title)]
    if not revoked:
        return None
    last = max(revoked, key=_day)
    return None if any(_day(one) >= _day(last) for one in restored) else last.title


def _is_revocation(filing: Filing) -> bool:
    return filing.title.casefold().startswith("revocation certificate")


def _rows(page: Page) -> list[Filing]:
    table = maybe(page.html(), _TABLE)
    if table is None:
        raise missing_result(page, "the list of filings")
    rows = worded_rows(table, "name of filing", "filing date")
    if not rows:
        refuse_excuse(page, table, _NONE)
    return [_filing(row) for row in rows]


def _filing(row: dict[str, HtmlElement]) -> Filing:
    title, day = text_of(row["name of filing"]), text_of(row["filing date"])
    if not title or dates.to_date(day) is None:
        raise PageChanged(f"a filing without title or day: {title!r}, {day!r}")
    return Filing(day, title)


def _day(filing: Filing) -> date:
    return dates.to_date(filing.date) or date.min
