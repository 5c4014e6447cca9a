"""Catalyst: a GET opens a server-side view with its results; a click is a POST to the view's address.

Source: a public client of the Virgin Islands register and others of the same platform elsewhere (element classes,
call-back fields; documented, no recorded page at hand).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, select, text_of, visible_text
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_COUNT = re.compile(r"\b([\d,]+) Results?\b")
_NONE = re.compile(r"\b(0 Results?|No results?( found)?)\b", re.IGNORECASE)
_KEY = re.compile(r"viewInstanceKey:\s*'([^']+)'")
_HIT = re.compile(r"Entity Name:\s*(.+?)\s*\((\w+)\)\s*$")
_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{4}")
_IGNORED = (
    "Term", "Nature of Business/Purpose", "Removal Reason", "Inactive Date", "Last AR Filed Date", "Email Address",
    "Previous Status", "Start Date", "End Date", "Reason", "Country", "Phone Number",
)  # fmt: skip


class CatalystPortal(Portal):
    """One register on Catalyst; the numbers in its list are not searchable."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        total_told=True,
        evidence=(
            "Public clients: begins-with by default, and the page says how many results there are; one page is read."
        ),
    )
    search_url: ClassVar[str] = ""

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that start with the term, as far as the first page holds them."""
        page = session.get(self.search_url, params={"service": "registerItemSearch", "QueryString": term})
        tree = page.html()
        told = visible_text(tree)
        links = select(tree, "a[onclick*='invokeMenuCb']")
        hits = [(link, found) for link in links if (found := _HIT.search(text_of(link)))]
        if not hits:
            if _NONE.search(told):
                return ResultList(())
            raise missing_result(page, "the list of results")
        count = _COUNT.search(told)
        if not count:
            raise PageChanged(f"{page.url}: a list that does not say how long it is")
        handle = self._view(page, tree, term)
        rows = tuple(_candidate(link, found, handle, self.sources[0]) for link, found in hits)
        return ResultList(rows, complete=len(rows) >= int(count[1].replace(",", "")))

    def _view(self, page: Page, tree: HtmlElement, term: str) -> dict[str, str]:
        """What a click must carry: the address and key of the view this session opened."""
        form, key = maybe(tree, "form#viewInstanceForm"), _KEY.search(page.text)
        if form is None or not form.get("action") or not key:
            raise missing_result(page, "the view's form and key")
        return {"update": page.link(form.get("action") or ""), "key": key[1], "query": term}

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Click a row of the view that was just opened."""
        handle = candidate.handle
        page = session.post(
            handle["update"],
            form={
                "_CBNODE_": handle["node"], "_CBNAME_": "invokeMenuCb", "_VIKEY_": handle["key"],
                "QueryString": handle["query"], "_scrollTop": "0",
            },
        )  # fmt: skip
        tree = page.html()
        if not tree.xpath("//*[contains(@class, 'sosViewEntity')]"):
            raise missing_result(page, "the entity's view")
        return self._record(tree, candidate, session)

    def _record(self, tree: HtmlElement, candidate: Candidate, session: PortalSession) -> EntityRecord:
        labels = Labels(_pairs(tree))
        labels.ignore(*_IGNORED)
        agents = labels.all("Name")
        linked = select(tree, ".appAttrHyperlink.EntityName a")
        record = EntityRecord(
            entity_name=_text(labels.one("Entity Name")) or candidate.name,
            entity_id=_text(labels.one("Entity Identifier")) or "",
            status=_text(labels.one("Entity Status")),
            entity_type=_text(labels.maybe("Business Entity Sub-Type")) or _text(labels.maybe("Entity Type")),
            formation_date=_day(labels.maybe("Registration Date")),
            jurisdiction=_text(labels.maybe("State")),
            agent_name=(text_of(linked[0]) if linked else _text(agents[0]) if agents else None) or None,
            agent_address=_place(labels.all("Physical Address")),
            principal_address=_place(labels.all("Principal Office or Place of Business")),
            sos_url=self.sources[0],
        )
        labels.ignore("Entity Type", "Mailing Address")  # a "Mailing Address" may be the agent's or the entity's
        note_unread(labels.unread, session)
        return record


def _candidate(link: HtmlElement, found: re.Match[str], handle: dict[str, str], source: str) -> Candidate:
    row = next((box for box in link.iterancestors() if "appRepeaterRowContent" in (box.get("class") or "")), None)
    if row is None:
        raise PageChanged(f"{found[1]!r} stands outside a row")
    shown = Labels((_label_before(value), text_of(value)) for value in select(row, "span.appMinimalValue"))
    node = (link.get("id") or "").removeprefix("node")
    if not node.startswith("W"):
        raise PageChanged(f"{found[1]!r} has no node to click")
    return Candidate(
        name=found[1], entity_id=found[2], status=shown.maybe("Business Entity Status"),
        entity_type=shown.maybe("Entity Type"), handle={**handle, "node": node}, sos_url=source,
    )  # fmt: skip


def _label_before(value: HtmlElement) -> str:
    return str(value.xpath("string(preceding::text()[normalize-space()][1])"))


def _pairs(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for box in select(tree, ".appAttribute", least=1):
        label, value = box.cssselect("span.appLabelText"), box.cssselect(".appAttrValue")
        if label and value:
            yield text_of(label[0]), value[0]


def _text(value: HtmlElement | None) -> str | None:
    return (text_of(value) or None) if value is not None else None


def _day(value: HtmlElement | None) -> str | None:
    """Dates stand twice, in figures and in words."""
    found = _DATE.search(text_of(value)) if value is not None else None
    return found[0] if found else None


def _place(values: list[HtmlElement]) -> Address:
    return addresses.from_lines(lines_of(values[0])) if values else Address()
