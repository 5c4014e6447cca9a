"""U.S. Virgin Islands: Division of Corporations and Trademarks, a portal on Foster Moore Catalyst.

Evidence: public clients of this portal and of others on Catalyst, gathered 2026-11 (documented: element classes,
call-back fields; no recorded page at hand). A GET opens a server-side view with its results, a click is a POST to the
view's address; numbers in the list are not searchable. Guessed: the line that says there are no results, the status
words, and that the first "Physical Address" is the agent's. Officers cost a certificate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import types
from scrapers.parsing.cells import address_in, shown
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import maybe, missing_result, select, text_of, visible_text
from scrapers.parsing.lists import empty_list, find_count
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://www.corporationsandtrademarks.vi.gov"
_COUNT = re.compile(r"\b([\d,]+) Results?\b")
_NONE = re.compile(r"\b0 Results\b|(?<!if )\bno results? ((was|were) )?found\b", re.IGNORECASE)
_KEY = re.compile(r"viewInstanceKey:\s*'([^']+)'")
_HIT = re.compile(r"Entity Name:\s*(.+?)\s*\((\w+)\)\s*$")
_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{4}")
_LISTED = {
    "agent_name": "Resident Agent",
    "formation_date": "Registration Date",
    "principal_address": "Principal Office",
}
_IGNORED = listed(
    "Term | Nature of Business/Purpose | Removal Reason | Inactive Date | Last AR Filed Date | Email Address | "
    "Previous Status | Start Date | End Date | Reason | Country | Phone Number"
)


class VirginIslands(Portal):
    """Division of Corporations and Trademarks."""

    code = "VI"
    hosts = ("www.corporationsandtrademarks.vi.gov",)
    sources = (_HOME,)
    id_pattern = r"\d{5,7}|[A-Z]{2}\d{7}"
    capabilities = Capabilities(by_id=False, agent=True, addresses=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | jurisdiction")
    )
    paywalled = frozenset({"officers"})
    statuses = meanings(
        "In Good Standing | Active | Registered | Dissolved | Withdrawn | Terminated | Cancelled | Merged | Expired | "
        "Not in Good Standing"
    )
    pace = Pace(seconds=2.0, concurrency=1)
    terms = Terms("unstated")
    verification, on_by_default = "documented", True
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        says_total=True,
        evidence=(
            "Public clients: begins-with by default, and the page says how many results there are; one page is read."
        ),
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that start with the term, as far as the first page holds them."""
        page = session.get(
            f"{_HOME}/usvi-master/service/create.html", params={"service": "registerItemSearch", "QueryString": term}
        )
        tree = page.html()
        links = select(tree, "a[onclick*='invokeMenuCb']")
        hits = [(link, found) for link in links if (found := _HIT.search(text_of(link)))]
        if not hits:
            return empty_list(page, _NONE)
        total = find_count(_COUNT, visible_text(tree))
        if total is None:
            raise PageChanged(f"{page.url}: a list that does not say how long it is")
        handle = _view(page, term)
        rows = tuple(_candidate(link, found, handle) for link, found in hits)
        return ResultList(rows, complete=len(rows) == total)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Click a row of the view that was just opened."""
        handle = candidate.handle
        page = session.post(
            handle["update"],
            form={
                "_CBNODE_": handle["node"],
                "_CBNAME_": "invokeMenuCb",
                "_VIKEY_": handle["key"],
                "QueryString": handle["query"],
                "_scrollTop": "0",
            },
        )
        tree = page.html()
        if not tree.xpath("//*[contains(@class, 'sosViewEntity')]"):
            raise missing_result(page, "the entity's view")
        return _record(tree, candidate, session)


def _view(page: Page, term: str) -> dict[str, str]:
    """What a click must carry: the address and key of the view this session opened."""
    form, key = maybe(page.html(), "form#viewInstanceForm"), _KEY.search(page.text)
    if form is None or not form.get("action") or not key:
        raise missing_result(page, "the view's form and key")
    return {"update": page.link(form.get("action") or ""), "key": key[1], "query": term}


def _record(tree: HtmlElement, candidate: Candidate, session: PortalSession) -> EntityRecord:
    labels = Labels(_pairs(tree))
    labels.ignore(*_IGNORED)
    agents = select(tree, ".appAttrHyperlink.EntityName a") or labels.all("Name")
    record = EntityRecord(
        entity_name=shown(labels.one("Entity Name")) or candidate.name,
        entity_id=shown(labels.one("Entity Identifier")) or "",
        status=shown(labels.one("Entity Status")),
        entity_type=shown(labels.maybe("Business Entity Sub-Type")) or shown(labels.maybe("Entity Type")),
        formation_date=_day(labels.maybe("Registration Date")),
        jurisdiction=shown(labels.maybe("State")),
        agent_name="; ".join(dict.fromkeys(filter(None, map(shown, agents)))) or None,
        agent_address=address_in(next(iter(labels.all("Physical Address")), None)),
        principal_address=address_in(next(iter(labels.all("Principal Office or Place of Business")), None)),
        sos_url=_HOME,
    )
    for part, label in _LISTED.items():
        if candidate.handle[part] and not getattr(record, part):
            raise PageChanged(f"the list shows a {label!r} of {candidate.name!r}, and the page none")
    labels.ignore("Name", "Entity Type", "Mailing Address")  # a "Mailing Address" may be the agent's or the entity's
    note_unread(labels.unread, session)
    return record


def _candidate(link: HtmlElement, found: re.Match[str], handle: dict[str, str]) -> Candidate:
    row = next((box for box in link.iterancestors() if "appRepeaterRowContent" in (box.get("class") or "")), None)
    if row is None:
        raise PageChanged(f"{found[1]!r} stands outside a row")
    values = Labels((_label_before(value), text_of(value)) for value in select(row, "span.appMinimalValue"))
    node = (link.get("id") or "").removeprefix("node")
    if not node.startswith("W"):
        raise PageChanged(f"{found[1]!r} has no node to click")
    return Candidate(
        name=found[1],
        entity_id=found[2],
        status=values.maybe("Business Entity Status"),
        entity_type=values.maybe("Entity Type"),
        name_kind=types.name_kind(values.maybe("Entity Type")),
        handle={**handle, "node": node, **{part: values.maybe(label) or "" for part, label in _LISTED.items()}},
        sos_url=_HOME,
    )


def _label_before(value: HtmlElement) -> str:
    return str(value.xpath("string(preceding::text()[normalize-space()][1])"))


def _pairs(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for box in select(tree, ".appAttribute", least=1):
        label, value = select(box, "span.appLabelText"), select(box, ".appAttrValue")
        if label and value:
            yield text_of(label[0]), value[0]


def _day(value: HtmlElement | None) -> str | None:
    """Dates stand twice, in figures and in words."""
    shown_day = shown(value)
    if shown_day is None:
        return None
    found = _DATE.search(shown_day)
    if found is None:
        raise PageChanged(f"{shown_day!r} holds no date in figures")
    return found[0]
