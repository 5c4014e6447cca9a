"""South Carolina Business Entities Online: one POST for the list, a profile by GET in the same session.

Source: public clients of the portal (form fields, table and fieldset names, labels; documented, no recorded page at
hand). Since June 2026 some of them meet a captcha before each search. The verdict box and its words "This name is
available" are one client's (2024), who chose "Exact Match"; every other sentence with "not available" counts as no.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, offers_next, one, select, text_of
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, NameCheck, Query, ResultList, UccFiling
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import south_carolina

_HOME = "https://businessfilings.sc.gov"
_SEARCH = f"{_HOME}/BusinessFiling/Entity/Search"
_BY_NAME = "2"  # the search type that public clients send; the page offers others
_EXACT = re.compile(r"\bexact\b", re.IGNORECASE)
_TAKEN = re.compile(r"\bnot\b[^.]*\bavailable\b|\bunavailable\b", re.IGNORECASE)
_FREE = re.compile(r"\bthis name is available\b", re.IGNORECASE)


class ScSosPortal(Portal):
    """The entity search."""

    name_search = NameSearch(
        mode="unknown", evidence="Public clients: search type 2; how it compares and how long a list gets is not told."
    )
    own_name_check = "South Carolina's own name check"

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name fits; the page says with an alert when there are none."""
        found = _listed(_post(session, term, kind=_BY_NAME))
        return replace(found, complete=found.complete and self.name_search.whole(len(found.candidates)))

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """The usual list; then the exact search, whose page says in a box whether the name is available."""
        usual = super().names_taken(session, name)
        page = _post(session, name, kind=_exact_kind(session.get(_SEARCH)))
        box = maybe(page.html(), "#nameAvailabilityDiv p.alert")
        said = text_of(box) if box is not None else None
        rows = () if said else _listed(page).candidates
        return self.with_own_check(usual, rows, NameCheck(self.own_name_check, _verdict(said), said))

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens of a party, from UCC Online."""
        return south_carolina.ask(session, query)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a profile: labels and values in spans."""
        page = session.get(candidate.handle["url"], headers={"Referer": _SEARCH})
        profile = maybe(page.html(), "fieldset.entityProfile")
        if profile is None:
            raise missing_result(page, "the profile")
        labels = Labels(_pairs(profile))
        labels.ignore("Expiration Date", "Term End Date", "Dissolved Date", "Domestic/Foreign")
        where = labels.maybe("Address")
        record = EntityRecord(
            entity_name=text_of(one(profile, "legend")),
            entity_id=_must(labels, "Entity ID"),
            status=_must(labels, "Status"),
            entity_type=_must(labels, "Entity Type"),
            formation_date=_text(labels.maybe("Effective Date")),
            jurisdiction=_text(labels.maybe("Incorporated State", "State of Incorporation")),
            agent_name=_text(labels.maybe("Agent")),
            agent_address=addresses.from_lines(lines_of(where) if where is not None else ()),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _post(session: PortalSession, name: str, *, kind: str) -> Page:
    return session.post(
        _SEARCH,
        form={"EntitySearchTypeEnumId": kind, "EntityName": name, "EntityNameIsRequired": "True"},
        headers={"Origin": _HOME, "Referer": _SEARCH},
    )


def _listed(page: Page) -> ResultList:
    tree = page.html()
    table = maybe(tree, "#EntitySearchResultsTable")
    rows = [row for row in select(table, "tr") if row.cssselect("td a[href]")] if table is not None else []
    if not rows:
        if select(tree, "p.alert.noResults"):
            return ResultList(())
        raise missing_result(page, "a list, or the alert that there is none")
    column = _status_column(rows[0].getroottree().getroot())
    return ResultList(tuple(_candidate(row, column, page) for row in rows), complete=not offers_next(tree))


def _exact_kind(page: Page) -> str:
    """The number of the exact search, by its name in the form: it is not known beforehand."""
    options = page.html().cssselect("#EntitySearchTypeEnumId option[value]")
    if not options:
        raise missing_result(page, "the kinds of search")
    found = [str(option.get("value")) for option in options if _EXACT.search(text_of(option))]
    if len(found) != 1:
        raise PageChanged(f"one exact search expected among {[text_of(option) for option in options]}")
    return found[0]


def _verdict(said: str | None) -> bool | None:
    """What the box says; words that are neither are a changed page, never a guess."""
    if not said:
        return None
    if _TAKEN.search(said):
        return False
    if _FREE.search(said):
        return True
    raise PageChanged(f"the name check says {said!r}")


def _status_column(tree: HtmlElement) -> int:
    heads = [text_of(cell).casefold() for cell in select(tree, "#EntitySearchResultsTable th")]
    found = [index for index, head in enumerate(heads) if head.endswith("status")]
    if len(found) != 1:
        raise PageChanged(f"one status column expected among {heads}")
    return found[0]


def _candidate(row: HtmlElement, column: int, page: Page) -> Candidate:
    """The list shows name and status; the number is on the profile."""
    cells = row.xpath("./td")
    if len(cells) <= column:
        raise PageChanged(f"a row has {len(cells)} cells, and the status column is the {column + 1}th")
    link = one(cells[0], "a[href]")
    url = page.link(link.get("href") or "")
    return Candidate(
        name=text_of(link), entity_id="", status=text_of(cells[column]) or None, handle={"url": url}, sos_url=url
    )


def _pairs(profile: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for label in select(profile, "span.label", least=1):
        values = label.xpath("following-sibling::span[contains(@class, 'data')][1]")
        if values:
            yield text_of(label), values[0]


def _text(value: HtmlElement | None) -> str | None:
    return (text_of(value) or None) if value is not None else None


def _must(labels: Labels, label: str) -> str:
    found = _text(labels.one(label))
    if not found:
        raise PageChanged(f"nothing stands under {label!r}")
    return found
