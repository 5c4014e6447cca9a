"""Sunbiz: lists of twenty names in alphabetical order around the name asked for, and a page of sections for each.

Source: the pages as several public readers describe them (2026-05), none recorded. The list is a neighbourhood, not a
list of matches, so it proves an absence only when it shows the place where the name would stand. The address of a
detail holds an identifier that only the list has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, names
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, text_of
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, NameKind, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_BASE = "https://search.sunbiz.org/Inquiry/CorporationSearch"
_PAGES = 4
_NONE = re.compile(r"\bno records found\b", flags=re.IGNORECASE)
_OFFICERS = ("Officer/Director Detail", "Authorized Person(s) Detail")
_SECTIONS = ("Filing Information", "Annual Reports", "Document Images")
_OLD_NAMES = ("NAME HS", "CROSS RF")


class SunbizPortal(Portal):
    """The list, its next page, the detail, and the form for a document number."""

    name_search = NameSearch(
        mode="neighbourhood",
        mode_basis="documented",
        narrow="neighbourhood",
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

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names from the term on, page after page while they still begin with it."""
        wanted, found = _compact(term), list[Candidate]()
        page = self._first_page(session, term)
        for number in range(_PAGES):
            rows, onward = _listed(page)
            found.extend(rows)
            if not rows or onward is None or not _compact(rows[-1].name).startswith(wanted):
                return ResultList(tuple(found), complete=_shows_the_place(wanted, found))
            if number + 1 < _PAGES:
                page = session.get(page.link(onward))
        return ResultList(tuple(found), complete=False)

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """The names around the whole name, legal form and all."""
        if name in self.search_plan(session, name).terms:
            return None
        rows, _ = _listed(self._first_page(session, name))
        return ResultList(tuple(rows), complete=False)

    def _first_page(self, session: PortalSession, term: str) -> Page:
        params = {"inquiryType": "EntityName", "searchTerm": term}
        return session.get(f"{_BASE}/SearchResults", params=params)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this document number: the form leads straight to its detail."""
        form = {"SearchTerm": entity_id, "InquiryType": "DocumentNumber", "SearchNameOrder": ""}
        page = session.post(f"{_BASE}/ByDocumentNumber", form=form)
        if _is_none(page):
            return ResultList(())
        record = self.record(page, session)
        row = Candidate(record.entity_name, record.entity_id, record.status, record=record, sos_url=page.url)
        return ResultList((row,))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the row's link."""
        if candidate.record is not None:
            return candidate.record
        return self.record(session.get(candidate.handle["href"]), session)

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read the sections of a detail page."""
        tree = page.html()
        shown = maybe(tree, "div.searchResultDetail")
        if shown is None:
            raise missing_result(page, "detail of the entity")
        title = [text_of(line) for line in select(one(shown, "div.corporationName"), "p", least=2)]
        filed = _labels(one(shown, "div.filingInformation"))
        sections = {text_of(found[0]): part for part in select(shown, "div.detailSection")
                    if (found := part.xpath("./span[1]"))}  # fmt: skip
        if "Principal Address" not in sections:
            raise PageChanged(f"{page.url}: no principal address among the sections {sorted(sections)}")
        fei = filed.maybe("FeiEinNumber")
        record = EntityRecord(
            entity_name=title[1],
            entity_id=filed.one("DocumentId"),
            status=filed.one("Status"),
            standing=filed.maybe("LastEvent"),
            entity_type=title[0],
            formation_date=filed.maybe("FileDate"),
            jurisdiction=filed.maybe("EntityStateCountry"),
            fei_ein_number=None if fei in (None, "", "NONE", "N/A", "NOT APPLICABLE", "APPLIED FOR") else fei,
            principal_address=_address(sections.pop("Principal Address")),
            mailing_address=_address(sections.pop("Mailing Address", None)),
            officers=tuple(who for name in _OFFICERS for who in _officers(sections.pop(name, None))),
            sos_url=page.url,
        )
        agent = sections.pop("Registered Agent Name & Address", None)
        filed.ignore(
            "EffectiveDate", "LastEventDateFiled", "LastEventEffectiveDate", "EventDateFiled", "EventEffective"
        )
        note_unread([*filed.unread, *(name for name in sections if name not in _SECTIONS)], session)
        if agent is None:
            return record
        return replace(record, agent_name=_agent_name(agent), agent_address=_address(agent))


def _listed(page: Page) -> tuple[list[Candidate], str | None]:
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


def _is_none(page: Page) -> bool:
    return "noresults=true" in page.url.lower() or bool(_NONE.search(page.text))


def _compact(name: str) -> str:
    """The order of the list: capitals without signs and blanks."""
    return re.sub(r"[^A-Z0-9]", "", names.plain(name).upper())


def _shows_the_place(wanted: str, rows: list[Candidate]) -> bool:
    """Whether the list reaches the place of the name: some row fits, or stands behind it."""
    return not rows or any(_compact(row.name) >= wanted for row in rows)


def _labels(section: HtmlElement) -> Labels:
    """Values by the field's own name ("Detail_DocumentId"), each in the span behind its label."""
    pairs = []
    for label in select(section, "label", least=3):
        value = label.getnext()
        if value is None or value.tag != "span":
            raise PageChanged(f"no value behind the label {text_of(label)!r}")
        pairs.append(((label.get("for") or text_of(label)).removeprefix("Detail_"), text_of(value) or None))
    return Labels(pairs)


def _address(section: HtmlElement | None) -> Address:
    if section is None:
        return Address()
    box = maybe(section, "span > div")
    return addresses.from_lines(lines_of(box)) if box is not None else Address()


def _agent_name(section: HtmlElement) -> str | None:
    spans = section.xpath("./span")
    if len(spans) < 2:
        raise PageChanged("the agent's section has no name")
    return text_of(spans[1]) or None


def _officers(section: HtmlElement | None) -> Iterator[Officer]:
    """ "Title P", a name as loose text, an address: repeated."""
    title, name = None, ""
    for child in section if section is not None else ():
        text = text_of(child)
        if child.tag == "span" and child.xpath(".//div"):
            if not name:
                raise PageChanged(f"an address without an officer: {text!r}")
            yield Officer(name, title, one_line(addresses.from_lines(lines_of(child))))
            title, name = None, ""
        elif child.tag == "span" and text.startswith("Title"):
            title = text.removeprefix("Title").strip() or None
        name = f"{name} {' '.join((child.tail or '').split())}".strip()
    if name:
        raise PageChanged(f"an officer without an address: {name!r}")
