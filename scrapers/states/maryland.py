"""Maryland: State Department of Assessments and Taxation, Business Express (ASP.NET MVC).

Evidence: public clients of the portal, gathered 2026-11 (documented: form fields of 2018, the record's labels of 2025;
no recorded page at hand), which meet a reCAPTCHA. A form with an anti-forgery token, a table of names, a record behind
each; the record by number is a POST of its own. Guessed: the search fields of today (those of 2018 are sent), the line
that there is nothing, and most status words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.parsing.cells import address_in, must_show, shown
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import form_token, maybe, missing_result, one, select, table_rows, text_of
from scrapers.parsing.lists import result_list
from scrapers.parsing.pairs import pairs
from scrapers.parsing.people import agent_in
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOST = "https://egov.maryland.gov"
_SEARCH = f"{_HOST}/BusinessExpress/EntitySearch"
_NONE = re.compile(
    r"(?<!if )\bno (records?|results?|business(es)?) (was |were )?found\b|did not match any", re.IGNORECASE
)
_TIME = re.compile(r"\s+\d{1,2}:\d{2}.*$")
_NAME = "td[data-title='Business Name']"


class Maryland(Portal):
    """State Department of Assessments and Taxation, Business Express."""

    code = "MD"
    hosts = ("egov.maryland.gov",)
    sources = (_SEARCH,)
    id_pattern = r"[WFTMZDL]\d{8}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    statuses = meanings(
        "Incorporated | Active | Registered | Revived | Forfeited | Dissolved | Cancelled | Terminated | Merged | "
        "Consolidated | Withdrawn | Expired"
    )
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal asks for a captcha."
    would_change = "A search without a captcha, or the weekly file on sale with its layout."
    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: the form's fields; how it compares and how long a list gets is not told.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term."""
        page = session.post(
            _SEARCH,
            form={
                **form_token(session.get(_SEARCH)),
                "SearchAction": "Search",
                "ReturnUrl": "",
                "BusinessName": term,
                "DepartmentId": "",
                "SearchType": "name",
            },
            headers={"Origin": _HOST, "Referer": _SEARCH},
        )
        rows = [_candidate(one(cell, "a"), page) for cell in select(page.html(), _NAME)]
        return result_list(page, rows, facts=self.name_search, nothing=_NONE)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The record with this department number."""
        page = session.post(
            f"{_SEARCH}/Business",
            form={
                **form_token(session.get(_SEARCH)),
                "g-recaptcha-response": "",
                "BusinessDepartmentId": entity_id,
                "TabToShow": "0",
            },
            headers={"Origin": _HOST, "Referer": _SEARCH},
        )
        return ResultList((Candidate.of(_record(page, session)),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        if candidate.record is not None:
            return candidate.record
        return _record(session.get(candidate.handle["url"], headers={"Referer": _SEARCH}), session)


def _candidate(link: HtmlElement, page: Page) -> Candidate:
    """Name and link; number and status where the row names them."""
    named = link.xpath("ancestor::*[@data-title][1]/../*[@data-title]")
    cells = Labels((cell.get("data-title") or "", text_of(cell)) for cell in named)
    url = page.link(link.get("href") or "")
    return Candidate(
        name=text_of(link),
        entity_id=cells.maybe("Department ID", "Department ID Number") or "",
        status=cells.maybe("Status"),
        handle={"url": url},
        sos_url=url,
    )


def _record(page: Page, session: PortalSession) -> EntityRecord:
    tree = page.html()
    if maybe(tree, "div.legendStyle") is None:
        raise missing_result(page, "the record")
    items = pairs(select(tree, ".fp_formItem", least=1), ".fp_formItemLabel", ".fp_formItemData")
    labels = Labels((label.partition(":")[0], lines) for label, lines in items)  # a hint may stand behind the colon
    labels.ignore("Business Code", "Stock Status", "Close Status", "Owner", "Renewal Date", "Expiration Date")
    agent_name, agent_address = agent_in(labels.maybe("Resident Agent"))
    record = EntityRecord(
        entity_name=must_show(labels, "Business Name"),
        entity_id=must_show(labels, "Department ID Number"),
        status=must_show(labels, "Status"),
        standing=shown(labels.maybe("Good Standing")),
        entity_type=shown(labels.maybe("Business Type")),
        formation_date=shown(labels.maybe("Date of Formation/ Registration", "Date of Formation/Registration")),
        jurisdiction=shown(labels.maybe("State of Formation")),
        agent_name=agent_name,
        agent_address=agent_address,
        principal_address=address_in(labels.maybe("Principal Office")),
        filings=tuple(_filings(tree)),
        sos_url=_SEARCH,
    )
    note_unread(labels.unread, session)
    return record


def _filings(tree: HtmlElement) -> Iterable[Filing]:
    for row in table_rows(one(tree, "table#tblFilingHistory"), ("Item", "Date/Time Filed")):
        yield Filing(_TIME.sub("", text_of(row["Date/Time Filed"])) or None, text_of(row["Item"]))
