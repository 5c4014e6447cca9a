"""Florida: Department of State, Division of Corporations ("Sunbiz"), and the secured transaction registry.

Evidence: a recorded detail and the rows of a list (2026), the rest as several public readers document it. The list,
twenty names a page in the order of the alphabet around the name asked for, is a neighborhood and no list of matches: it
proves an absence only when it shows the place where the name would stand. The address of a detail holds an identifier
that only the list has. Status words of the list end in the kind of change ("INACT/MG"); every one that begins with
INACT is inactive. "NAME HS" rows show a former name and lead to the present company; trademarks and filings that were
refused are listed among the companies, told by the address of their page. Gaps: annual reports and images are not read;
some addresses meet a Cloudflare wall.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.bulk_data.layouts import florida
from scrapers.failures import PageChanged
from scrapers.parsing import sunbiz
from scrapers.parsing.fields import listed
from scrapers.parsing.html import maybe, missing_result, one, select, text_of, visible_text
from scrapers.portal import Capabilities, Terms
from scrapers.records import Candidate, EntityRecord, NameKind, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc.florida import FloridaLiens, compact

_BASE = "https://search.sunbiz.org/Inquiry/CorporationSearch"
_PAGES = 4
_NONE = re.compile(r"(?<!if )\bno records found\b", flags=re.IGNORECASE)
_OLD_NAMES = listed("NAME HS | CROSS RF")
_NO_ENTITY = re.compile(r"[?&]aggregateId=(?:trade|reject)-", flags=re.IGNORECASE)  # a mark, a filing that was refused


class Florida(FloridaLiens):
    """Department of State, Division of Corporations."""

    code, bulk_data = "FL", florida.BULK_DATA
    name_search = NameSearch(
        mode="neighborhood",
        mode_basis="documented",
        narrow="neighborhood",
        longest=45,
        longest_basis="documented",
        cap=80,
        cap_basis="documented",
        page_rows=20,
        pages=4,
        evidence=(
            "Public clients: twenty names a page in the order of the alphabet; a list proves an absence only "
            "where it shows the place."
        ),
    )
    hosts = ("search.sunbiz.org", "publicsearchapi.floridaucc.com")
    sources = ("https://search.sunbiz.org/Inquiry/CorporationSearch/ByName", "https://floridaucc.com/search")
    id_pattern = r"[A-Z]\d{5,12}|\d{6,12}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, ucc=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address | officers | fei_ein_number"
        )
    )
    statuses = meanings("Active | Inactive | NAME HS | CROSS RF")
    status_prefixes = prefixes(inactive="INACT")
    pace = Pace(seconds=1.2, concurrency=1)
    terms = Terms("unstated", robots="not known", note="Cloudflare lets plain requests pass from some addresses only.")
    on_by_default = True
    estimated_seconds = 4

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names from the term on, page after page while they still begin with it."""
        wanted, found = compact(term), list[Candidate]()
        page = self._first_page(session, term)
        for number in range(_PAGES):
            rows, onward = _rows(page)
            found.extend(rows)
            if not rows or onward is None or not compact(rows[-1].name).startswith(wanted):
                return ResultList(_entities(found), complete=_shows_the_place(wanted, found))
            if number + 1 < _PAGES:
                page = session.get(page.link(onward))
        return ResultList(_entities(found), complete=False)

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """The names around the whole name, legal form and all."""
        if name in self.search_plan(session, name).terms:
            return None
        rows, _ = _rows(self._first_page(session, name))
        return ResultList(_entities(rows), complete=False)

    def _first_page(self, session: PortalSession, term: str) -> Page:
        params = {"inquiryType": "EntityName", "searchTerm": term}
        return session.get(f"{_BASE}/SearchResults", params=params)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this document number: the form leads straight to its detail."""
        form = {"SearchTerm": entity_id, "InquiryType": "DocumentNumber", "SearchNameOrder": ""}
        page = session.post(f"{_BASE}/ByDocumentNumber", form=form)
        detail = maybe(page.html(), "div.searchResultDetail")
        if (detail is None and _is_none(page)) or _NO_ENTITY.search(page.url):
            return ResultList(())
        record = sunbiz.read(page, session)
        row = Candidate(record.entity_name, record.entity_id, record.status, record=record, sos_url=page.url)
        return ResultList((row,))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the row's link."""
        if candidate.record is not None:
            return candidate.record
        return sunbiz.read(session.get(candidate.handle["href"]), session)


def _rows(page: Page) -> tuple[list[Candidate], str | None]:
    """The rows of one list page, and the link to the next."""
    tree = page.html()
    box = maybe(tree, "#search-results")
    if box is None:
        if _is_none(page):
            return [], None
        raise missing_result(page, "list of names")
    rows = [_candidate(row, page) for row in select(box, "table tbody tr")]
    if not rows and not _is_none(page):
        raise PageChanged(f"{page.url}: the list has no row and does not say so")
    onward = [link.get("href") for link in tree.iter("a") if text_of(link) == "Next List" and link.get("href")]
    return rows, onward[0] if onward else None


def _candidate(row: HtmlElement, page: Page) -> Candidate:
    link = one(row, "td.large-width a")
    href, status = link.get("href"), text_of(one(row, "td.small-width"))
    name = text_of(link)
    if not href or not name:
        raise PageChanged("a row has no name, or no link")
    number = text_of(one(row, "td.medium-width"))
    kind: NameKind = "former" if status.upper() in _OLD_NAMES else "legal"
    return Candidate(name, number, status, name_kind=kind, handle={"href": page.link(href)})


def _entities(rows: list[Candidate]) -> tuple[Candidate, ...]:
    """The rows without those that are no entities: they count for the place in the list alone."""
    return tuple(row for row in rows if not _NO_ENTITY.search(row.handle["href"]))


def _is_none(page: Page) -> bool:
    return "noresults=true" in page.url.lower() or bool(_NONE.search(visible_text(page.html())))


def _shows_the_place(wanted: str, rows: list[Candidate]) -> bool:
    """Whether the list reaches the place of the name: some row fits, or stands behind it."""
    return not rows or any(compact(row.name) >= wanted for row in rows)
