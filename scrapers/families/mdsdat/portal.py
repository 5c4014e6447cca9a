"""Maryland Business Express: a form with an anti-forgery token, a table of names, a record behind each.

Source: public clients of the portal (form fields of 2018, the record's labels of 2025; documented, no recorded page
at hand). The record by number is a POST of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import (
    hidden_inputs,
    lines_of,
    maybe,
    missing_result,
    offers_next,
    select,
    text_of,
    visible_text,
)
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOST = "https://egov.maryland.gov"
_SEARCH = f"{_HOST}/BusinessExpress/EntitySearch"
_RECORD = f"{_SEARCH}/Business"
_TOKEN = "__RequestVerificationToken"  # noqa: S105 - the name of a form field
_NONE = re.compile(r"\bno (records?|results?|business(es)?) (was |were )?found\b|did not match any", re.IGNORECASE)
_NAME = "td[data-title='Business Name'] a"


class MdSdatPortal(Portal):
    """The entity search of the Department of Assessments and Taxation."""

    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: the form's fields; how it compares and how long a list gets is not told.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term."""
        page = session.post(
            _SEARCH,
            form={
                _TOKEN: self._token(session), "SearchAction": "Search", "ReturnUrl": "", "BusinessName": term,
                "DepartmentId": "", "SearchType": "name",
            },
            headers={"Origin": _HOST, "Referer": _SEARCH},
        )  # fmt: skip
        tree = page.html()
        links = select(tree, _NAME)
        if not links:
            if _NONE.search(visible_text(tree)):
                return ResultList(())
            raise missing_result(page, "a list, or the line that there is none")
        return ResultList(
            tuple(_candidate(link, page) for link in links),
            complete=self.name_search.whole(len(links)) and not offers_next(tree),
        )

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The record with this department number."""
        page = session.post(
            _RECORD,
            form={
                _TOKEN: self._token(session), "g-recaptcha-response": "", "BusinessDepartmentId": entity_id,
                "TabToShow": "0",
            },
            headers={"Origin": _HOST, "Referer": _SEARCH},
        )  # fmt: skip
        record = _record(page, session)
        return ResultList((Candidate.of(record),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        if candidate.record is not None:
            return candidate.record
        return _record(session.get(candidate.handle["url"], headers={"Referer": _SEARCH}), session)

    def _token(self, session: PortalSession) -> str:
        page = session.get(_SEARCH)
        for form in select(page.html(), "form"):
            token = hidden_inputs(form).get(_TOKEN)
            if token:
                return token
        raise missing_result(page, "the search form's token")


def _candidate(link: HtmlElement, page: Page) -> Candidate:
    """Name and link; number and status where the row names them."""
    row = next(link.iterancestors("tr"))
    shown = Labels((cell.get("data-title") or "", text_of(cell)) for cell in row.xpath("./td[@data-title]"))
    url = page.link(link.get("href") or "")
    return Candidate(
        name=text_of(link), entity_id=shown.maybe("Department ID", "Department ID Number") or "",
        status=shown.maybe("Status"), handle={"url": url}, sos_url=url,
    )  # fmt: skip


def _record(page: Page, session: PortalSession) -> EntityRecord:
    tree = page.html()
    if maybe(tree, "div.legendStyle") is None:
        raise missing_result(page, "the record")
    labels = Labels(_pairs(tree))
    labels.ignore("Business Code", "Stock Status", "Close Status", "Owner", "Renewal Date", "Expiration Date")
    agent = _lines(labels.maybe("Resident Agent"))
    record = EntityRecord(
        entity_name=_must(labels, "Business Name"),
        entity_id=_must(labels, "Department ID Number"),
        status=_must(labels, "Status"),
        standing=_first(labels.maybe("Good Standing")),
        entity_type=_first(labels.maybe("Business Type")),
        formation_date=_first(labels.maybe("Date of Formation/ Registration", "Date of Formation/Registration")),
        jurisdiction=_first(labels.maybe("State of Formation")),
        agent_name=agent[0] if agent else None,
        agent_address=addresses.from_lines(agent[1:]),
        principal_address=_place(labels.maybe("Principal Office")),
        filings=tuple(_filings(tree)),
        sos_url=_SEARCH,
    )
    note_unread(labels.unread, session)
    return record


def _pairs(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for item in select(tree, ".fp_formItem", least=1):
        label, value = maybe(item, ".fp_formItemLabel"), maybe(item, ".fp_formItemData")
        if label is not None and value is not None:
            yield text_of(label), value


def _lines(value: HtmlElement | None) -> list[str]:
    return lines_of(value) if value is not None else []


def _first(value: HtmlElement | None) -> str | None:
    return next(iter(_lines(value)), None)


def _must(labels: Labels, label: str) -> str:
    found = _first(labels.one(label))
    if found is None:
        raise PageChanged(f"nothing stands under {label!r}")
    return found


def _place(value: HtmlElement | None) -> Address:
    return addresses.from_lines(_lines(value))


def _filings(tree: HtmlElement) -> Iterable[Filing]:
    for row in tree.xpath("//table[@id='tblFilingHistory']//tr[td]"):
        cells = [text_of(cell) for cell in row.xpath("./td")]
        if len(cells) < 2:
            raise PageChanged(f"a filing has {len(cells)} cells")
        yield Filing(cells[1].split(" ")[0] or None, cells[0])
