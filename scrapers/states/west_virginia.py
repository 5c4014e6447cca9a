"""West Virginia: Secretary of State, Business Entity Search: a form with view state, a grid, a page for each entity.

Evidence: two public clients of 2025 (documented: the name's box, the button, the grid and its links, the class of the
type's cell, the sentence of an empty answer, four labels and the principal office of a page); others saw no captcha in
2026. Guessed: that one heading of the grid holds the word "name", and that a mailing address is written like that of
the office. Gaps: what else a page shows is told as unread, and how to ask by number is not known. The older search
(apps.sos.wv.gov), which printed no status, is no longer asked.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, types
from scrapers.parsing.fields import fold, listed, note_unread
from scrapers.parsing.html import maybe, missing_result, offers_next, select, text_of, visible_text
from scrapers.parsing.webforms import WebForm, post_backs, spans
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://apps.wv.gov/SOS/BusinessEntitySearch/"
_GRID, _LINK = "phMain_gvSearchResults", "a[id^='phMain_gvSearchResults_hpDetails_']"
_NONE = re.compile(r"(?<!if )\bno records found\b", re.IGNORECASE)
_PARTS = listed("addr1 | addr2 | city | state | zip")


class WestVirginia(Portal):
    """Secretary of State, Business Entity Search."""

    code = "WV"
    hosts = ("apps.wv.gov",)
    sources = (_HOME,)
    id_pattern = r"[A-Z]{0,3}\d{1,9}"
    capabilities = Capabilities(by_id=False, addresses=True)
    published = frozenset(listed("entity_type | status | formation_date | principal_address | mailing_address"))
    statuses = meanings("Active")
    status_prefixes = prefixes("Inactive")
    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: one box for the name; how it compares and how long a list gets is open.",
    )
    terms = Terms("unstated", robots="allows /SOS/", note="A free form without captcha.")
    verification, on_by_default = "documented", True

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name fits the term; a second page counts as a cut list."""
        form = WebForm(session.get(_HOME))
        page = form.press(session, "btnSearch", {"txtOrganizationName": term})
        tree = page.html()
        grid = maybe(tree, f"#{_GRID}")
        if grid is None:
            if any(_NONE.search(visible_text(box)) for box in select(tree, "div.errorMessage")):
                return ResultList(())
            raise missing_result(page, "the grid of results")
        rows = _rows(grid, page)
        paged = any(argument.startswith("Page$") for _, argument in post_backs(grid))
        return ResultList(tuple(rows), complete=self.name_search.whole(len(rows)) and not (paged or offers_next(tree)))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row; only the list shows the type."""
        page = session.get(candidate.handle["url"], headers={"Referer": _HOME})
        return replace(self.record(page, session), entity_type=candidate.entity_type)

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read a page: labels by their ids, addresses by the first cell of their rows."""
        tree = page.html()
        shown = spans(tree, "phMain_ctrlMainDetails_lbl")
        missing = [name for name in listed("BusinessName | BusinessId | Status") if not shown.get(name)]
        missing += ["EffectiveDate"] if "EffectiveDate" not in shown else []
        if missing:
            raise missing_result(page, f"{' or '.join(missing)} of the entity")
        places = _places(tree)
        record = EntityRecord(
            entity_name=shown.pop("BusinessName"),
            entity_id=shown.pop("BusinessId"),
            status=shown.pop("Status"),
            formation_date=shown.pop("EffectiveDate") or None,
            principal_address=places.pop("principal office address", Address()),
            mailing_address=places.pop("mailing address", Address()),
            sos_url=page.url,
        )
        note_unread([*(name for name, value in shown.items() if value), *places], session)
        return record


def _rows(grid: HtmlElement, page: Page) -> list[Candidate]:
    """The rows of the grid, below one of headings."""
    lines = grid.xpath("./tr | ./*/tr")
    heads = [text_of(cell).casefold() for cell in lines[0].xpath("./th | ./td")] if lines else []
    named = [at for at, head in enumerate(heads) if "name" in head.split()]
    if len(named) != 1:
        raise PageChanged(f"{page.url}: one column of names expected among {heads}")
    below = [line for line in lines[1:] if text_of(line) and text_of(line) != text_of(lines[0])]
    rows = [line for line in below if len(line.xpath("./th | ./td")) == len(heads) or select(line, _LINK)]
    found = [_candidate(line, len(heads), named[0], page) for line in rows]
    if not found:
        raise PageChanged(f"{page.url}: a grid of results without a row")
    return found


def _candidate(line: HtmlElement, width: int, name: int, page: Page) -> Candidate:
    links, cells = select(line, _LINK), line.xpath("./th | ./td")
    href = (links[0].get("href") or "") if links else ""
    if len(links) != 1 or len(cells) != width or not text_of(cells[name]) or not href:
        raise PageChanged(f"{page.url}: a row of {len(cells)} cells with {len(links)} links, or without a name")
    kinds = [
        text_of(cell) for cell in select(line, ".hidden-tablet.hidden-phone", least=1)
    ]  # a trade name's is its own
    return Candidate(
        name=text_of(cells[name]),
        entity_id="",
        entity_type=kinds[0] or None,
        name_kind=types.name_kind(kinds[0]),
        handle={"url": page.link(href)},
        sos_url=page.link(href),
    )


def _places(tree: HtmlElement) -> dict[str, Address]:
    """Addresses by what the first cell calls them; each part is in a cell of its own, behind its label ("City:")."""
    found = {}
    for row in tree.xpath("//tr[not(.//tr)]"):
        cells = [text_of(cell) for cell in row.xpath("./th | ./td")]
        named = [at for at, cell in enumerate(cells) if fold(cell).endswith("address")]
        if named not in ([], [0]):
            raise PageChanged(f"an address is named in cell {named} of a row: {cells}")
        parts = {
            fold(label): value.strip() for label, colon, value in (cell.partition(":") for cell in cells[1:]) if colon
        }
        if not named and not set(_PARTS) <= set(parts):
            continue
        if set(_PARTS) - set(parts):
            raise PageChanged(f"{cells[0]!r} is not written in the parts {_PARTS}: {sorted(parts)}")
        found[fold(cells[0])] = addresses.from_parts(
            parts["addr1"], parts["addr2"], city=parts["city"], state=parts["state"], zip=parts["zip"]
        )
    return found
