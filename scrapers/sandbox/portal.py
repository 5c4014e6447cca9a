"""The sandbox registry's reader: as strict as any state's, on the pages of a server that is played in the process.

One instance reads one jurisdiction, because one fictional registry answers for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from lxml.html import HtmlElement
from requests.adapters import BaseAdapter

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, listed, need, need_list, need_text, note_unread, text
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, table_rows, text_of
from scrapers.portal import Canaries, Capabilities, Portal, Terms
from scrapers.records import (
    Address,
    Candidate,
    EntityRecord,
    Filing,
    NameCheck,
    NameKind,
    Officer,
    Query,
    ResultList,
    UccAmendment,
    UccFiling,
    UccParty,
)
from scrapers.sandbox.changing import split_number
from scrapers.sandbox.copy import PUBLISHED
from scrapers.sandbox.magic import comes_later, find_outcome, is_magic
from scrapers.sandbox.server import HOST, SandboxServer
from scrapers.search import terms
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_NAME_KINDS: Mapping[str, NameKind] = {
    "Legal": "legal",
    "Former": "former",
    "Assumed": "assumed",
    "Reserved": "reserved",
}
_CHECK = "The fictional registry's own name check"
_OWN_CHECKS = {
    "name_refused": NameCheck(_CHECK, False, "This name is not available."),
    "status_note": NameCheck(_CHECK),
}
_COUNT = re.compile(r"(\d+) of (\d+) matching names")


class SandboxPortal(Portal):
    """A fictional registry for one jurisdiction. Nothing of it is real, and no network is touched."""

    name_search = NameSearch(
        mode="contains", mode_basis="recorded", says_total=True, evidence="Our own fictional registry."
    )
    sandbox = True
    hosts = (HOST,)
    sources = (f"https://{HOST}/",)
    capabilities = Capabilities(
        agent=True,
        officers=True,
        addresses=True,
        filings=True,
        former_names=True,
        assumed_names=True,
        ucc=True,
        ucc_secured_party=True,
        ucc_date_filter=True,
    )
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address | officers"
        )
    )
    id_pattern = r"SB-[A-Z]{2}-\d{6}(\.\d{1,6})?"
    statuses = meanings(
        "Good Standing | Active | Not in Good Standing | Delinquent | Dissolved | Revoked | Withdrawn | "
        "Inactive - Merged | Pending | Name Reserved"
    )
    terms = Terms("allowed", robots="none", note="The service's own fictional registry.")
    on_by_default = True
    canaries = Canaries(active="Magic Found LLC")
    bulk_data = PUBLISHED

    def __init__(self, state: str) -> None:
        self.state = state

    @classmethod
    def for_state(cls, state: str) -> Self:
        """The reader of one jurisdiction."""
        return cls(state)

    def adapter(self) -> BaseAdapter:
        """The server, played in the process."""
        return SandboxServer()

    def answers_later(self, name: str | None) -> bool:
        """Some magic names make the registry known to be slow."""
        return super().answers_later(name) or (name is not None and comes_later(find_outcome(name)))

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The name, then its first word alone, so that a slip of the pen still finds its neighbours."""
        plan = terms.plan(name, self.name_search)
        first = plan.terms[-1].split()[0]
        most = self.name_search.most_terms
        if is_magic(name) or len(first) < 4 or first in plan.terms or len(plan.terms) == most:
            return plan
        return replace(plan, terms=(*plan.terms, first))

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """The usual list; for two names a name check of the registry's own is played too."""
        usual = super().names_taken(session, name)
        own = _OWN_CHECKS.get(find_outcome(name) or "")
        return self.with_own_check(usual, (), own) if own else usual

    def ids_of(self, row: Candidate) -> tuple[str, ...]:
        """Its number, and the one with a turn that it was asked for by (see `changing`)."""
        asked = self.check_id((row.sos_url or row.entity_id).rpartition("/")[2])
        return (*super().ids_of(row), *([asked] if split_number(asked)[1] else []))

    def search(self, session: PortalSession, term: str) -> ResultList:
        """One list of names; a company stands in it once for each name that fits."""
        page = session.get(f"https://{HOST}/{self.state}/search", params={"name": term})
        tree = page.html()
        if maybe(tree, "#no-match") is not None:
            return ResultList(())
        table = maybe(tree, "table#results")
        if table is None:
            raise missing_result(page, "the result list")
        rows = table_rows(table, ("Name", "Number", "Type", "Status", "Name kind"))
        shown, total = _counts(tree)
        if shown != len(rows):
            raise PageChanged(f"{len(rows)} rows where the page counts {shown}")
        return ResultList(tuple(self._row(page, row) for row in rows), complete=shown == total)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The page of a number is the whole answer."""
        page = session.get(self._entity_url(entity_id), expect=(200, 404))
        if page.status == 404:
            one(page.html(), "#no-match")
            return ResultList(())
        record = self._read(session, page)
        return ResultList((Candidate.of(record),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the row's page, unless the list already was it."""
        return candidate.record or self._read(session, session.get(candidate.handle["href"]))

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Every lien on the name, in one JSON answer."""
        params = {"name": query.name or "", "party": "secured" if query.search_by == "secured_party" else "debtor"}
        if query.date_after:
            params["from"] = query.date_after.isoformat()
        if query.date_before:
            params["to"] = query.date_before.isoformat()
        page = session.get(f"https://{HOST}/{self.state}/ucc", params=params)
        content = page.json()
        rows = need_list(need(content, "filings"), "filings")
        return tuple(_lien(row, page.url) for row in rows), len(rows) == need(content, "total")

    def _entity_url(self, number: str) -> str:
        return f"https://{HOST}/{self.state}/entity/{number}"

    def _row(self, page: Page, row: Mapping[str, HtmlElement]) -> Candidate:
        kind = text_of(row["Name kind"])
        if kind not in _NAME_KINDS:
            raise PageChanged(f"unknown kind of name {kind!r}")
        url = page.link(one(row["Name"], "a[href]").get("href"))
        return Candidate(
            name=text_of(row["Name"]),
            entity_id=text_of(row["Number"]),
            status=text_of(row["Status"]),
            entity_type=text_of(row["Type"]),
            name_kind=_NAME_KINDS[kind],
            handle={"href": url},
            sos_url=url,
        )

    def _read(self, session: PortalSession, page: Page) -> EntityRecord:
        tree = page.html()
        labels = Labels((text_of(one(row, "th")), one(row, "td")) for row in select(one(tree, "table#facts"), "tr"))
        record = EntityRecord(
            entity_name=text_of(one(tree, "#entity-name")),
            entity_id=text_of(labels.one("Entity number")),
            status=text_of(labels.one("Status")),
            standing=text(text_of(labels.one("Standing"))),
            entity_type=text_of(labels.one("Entity type")),
            formation_date=text(text_of(labels.one("Formed"))),
            jurisdiction=text(text_of(labels.one("Jurisdiction of formation"))),
            agent_name=text(text_of(labels.one("Registered agent"))),
            agent_address=_address(labels.one("Registered agent address")),
            principal_address=_address(labels.one("Principal office")),
            mailing_address=_address(labels.one("Mailing address")),
            officers=tuple(_officers(tree)),
            former_names=_other_names(tree, "Former"),
            assumed_names=_other_names(tree, "Assumed"),
            filings=tuple(
                Filing(text_of(row["Date"]), text_of(row["Document"]))
                for row in table_rows(one(tree, "table#filings"), ("Date", "Document"))
            ),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _counts(tree: HtmlElement) -> tuple[int, int]:
    found = _COUNT.fullmatch(text_of(one(tree, "#count")))
    if not found:
        raise PageChanged("the list does not say how many names fit")
    return int(found[1]), int(found[2])


def _address(cell: HtmlElement) -> Address:
    return addresses.from_lines(lines_of(cell))


def _officers(tree: HtmlElement) -> list[Officer]:
    rows = table_rows(one(tree, "table#officers"), ("Officer", "Title", "Address"))
    return [
        Officer(text_of(row["Officer"]), text(text_of(row["Title"])), addresses.one_line(_address(row["Address"])))
        for row in rows
    ]


def _other_names(tree: HtmlElement, kind: str) -> tuple[str, ...]:
    rows = table_rows(one(tree, "table#names"), ("Other name", "Kind"))
    return tuple(text_of(row["Other name"]) for row in rows if text_of(row["Kind"]) == kind)


def _lien(row: Any, url: str) -> UccFiling:
    return UccFiling(
        file_number=need_text(row, "fileNumber"),
        filed=need_text(row, "fileDate"),
        debtors=_parties(row, "debtors"),
        secured_parties=_parties(row, "securedParties"),
        collateral=text(need(row, "collateral")),
        status=need_text(row, "status"),
        lapse_date=text(need(row, "lapseDate")),
        filing_type=need_text(row, "filingType"),
        amendments=tuple(
            UccAmendment(need_text(one, "fileNumber"), text(need(one, "fileDate")), need_text(one, "filingType"))
            for one in need_list(need(row, "amendments"), "amendments")
        ),
        sos_url=url,
    )


def _parties(row: Any, key: str) -> tuple[UccParty, ...]:
    people = need_list(need(row, key), key)
    return tuple(UccParty(need_text(one, "name"), addresses.from_lines(need(one, "address"))) for one in people)
