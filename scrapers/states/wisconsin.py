"""Wisconsin: Department of Financial Institutions, corporate records: one GET for the list, one for a record.

Evidence: several public clients of the portal (2026; documented: element ids, classes and labels, the "returned no
records" line, "found:" before a name that is not the present one; no recorded page at hand). A captcha form
(`frmCaptcha`) may stand in front of records after some requests: the transport knows it as a wall. Guessed: the words
of the status table beside "Administratively Dissolved", and that the search box answers an identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, types
from scrapers.parsing.cells import shown
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import find_count
from scrapers.parsing.people import refuse_unread
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://apps.dfi.wi.gov/apps/CorpSearch/"
_COUNT = re.compile(r"\b([\d,]+) records? for\b", re.IGNORECASE)
_NONE = "returned no records"
_ACTIONS = re.compile(
    r"\s*(Request a Certificate of Status|File a Registered Agent/Office Update Form).*$", re.I | re.S
)
_NUMBERED = re.compile(r"^\d{2}\s*-\s*")  # the type stands as "12 - Domestic Limited Liability Company"
_IGNORED = listed(
    "Period of Existence | Status Date | Annual Report Requirements | Paid Capital Represented | "
    "Foreign Organization Date | Certificates of Newly-elected Officers/Directors | Old Names | Annual Reports | "
    "Chronology"
)


class Wisconsin(Portal):
    """Department of Financial Institutions, corporate records."""

    code = "WI"
    hosts = ("apps.dfi.wi.gov",)
    sources = (f"{_HOME}Search.aspx",)
    id_pattern = r"[A-Z0-9]{6,8}"
    capabilities = Capabilities(agent=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "jurisdiction | former_names | filings"
        )
    )
    statuses = meanings(
        "Active | Incorporated/Qualified | Incorporated/Qualified/Registered | Organized | Registered | "
        "Restored to Good Standing | In Good Standing | Administratively Dissolved | Involuntarily Dissolved | "
        "Dissolved | Dissolved, Name Protected | Revoked | Certificate Revoked | Certificate of Authority Revoked | "
        "Merged | Merged -- Non-Survivor | Consolidated -- Non-Survivor | Withdrawal | Cancelled | "
        "Certificate of Cancellation | Converted | Record Deleted | Delinquent | In Bad Standing | "
        "Notice of Administrative Dissolution | In Process, Not Yet Filed | Filed, Delayed Effective | "
        "Name Consent Required | Name Conflict | Name Reserved, Not Yet Filed | Name Reserved, Short-Term | "
        "Name Reserved, Long-Term | Name Registered, Long-Term | Expired Foreign Registered Name | "
        "Terminated Foreign Registered Name"
    )
    name_search = NameSearch(
        mode="unknown",
        says_total=True,
        evidence=(
            "Public clients: the page counts its records and also lists former names; how it compares is not told."
        ),
    )
    terms = Terms("unstated", note="The search is plain; records may ask for an image captcha after some requests.")
    verification, on_by_default = "documented", True

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose present or former name holds the term."""
        return self._ask(session, term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The same box takes an identifier; rows of other entities are dropped."""
        return self._ask(session, entity_id).only(lambda shown: shown.casefold() == entity_id.casefold())

    def _ask(self, session: PortalSession, text: str) -> ResultList:
        page = session.get(f"{_HOME}Results.aspx", params={"type": "Simple", "q": text})
        tree = page.html()
        seen = visible_text(tree)
        table = maybe(tree, "table#results")
        found = [] if table is None else [row for row in select(table, "tr[class]") if select(row, "td.entityID")]
        if not found and _NONE in seen.casefold():
            return ResultList(())
        if table is None:
            raise missing_result(page, "the list of results")
        rows = [_candidates(row, page) for row in found]
        if not rows:
            raise PageChanged(f"{page.url}: a list without rows, and no line that there are none")
        count = find_count(_COUNT, seen)
        complete = self.name_search.whole(len(rows)) if count is None else count == len(rows)
        return ResultList(tuple(candidate for names in rows for candidate in names), complete)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a record: a table of labels and values, old names, and the events."""
        page = session.get(candidate.handle["url"])
        tree = page.html()
        name = maybe(tree, "h1#entityName")
        if name is None:
            raise missing_result(page, "the entity's name")
        labels = Labels(_pairs(tree))
        labels.ignore(*_IGNORED)
        office = labels.maybe("Registered Agent Office")
        record = EntityRecord(
            entity_name=text_of(name),
            entity_id=text_of(labels.one("Entity ID")),
            status=_plain(labels.one("Status")),
            entity_type=_NUMBERED.sub("", _plain(labels.one("Entity Type")) or "") or None,
            formation_date=_plain(labels.maybe("Registered Effective Date")),
            jurisdiction=_plain(labels.maybe("Foreign State")),
            agent_name=shown(maybe(office, "div")) if office is not None else None,
            agent_address=_place(office),
            principal_address=_place(labels.maybe("Principal Office")),
            former_names=tuple(_old_names(tree)),
            filings=tuple(_events(tree)),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _candidates(row: HtmlElement, page: Page) -> list[Candidate]:
    """The present name, and the other name under which the entity was found, where the row shows one."""
    link = one(row, "span.name a")
    url = page.link(link.get("href") or "")
    kind = _NUMBERED.sub("", text_of(one(row, "span.typeDescription")))
    present = Candidate(
        name=text_of(link),
        entity_id=text_of(one(row, "td.entityID")),
        status=text_of(one(row, "span.statusDescription")),
        entity_type=kind,
        name_kind=types.name_kind(kind),
        handle={"url": url},
        sos_url=url,
    )
    cell = next(link.iterancestors("td"))
    shown_names = [text_of(name) for name in select(cell, ".foundName")] or lines_of(cell)
    lines = [line.partition(":") for line in shown_names]
    former = [name.strip() for label, colon, name in lines if colon and label.casefold() == "found"]
    return [present, *(replace(present, name=name, name_kind="former") for name in former)]


def _pairs(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for row in select(tree, "table.stats tr", least=1):
        label, data = select(row, "td.label"), select(row, "td.data")
        if label and data:
            yield " ".join(lines_of(label[0])), data[0]


def _plain(cell: HtmlElement | None) -> str | None:
    """A value without the links that stand behind it."""
    return _ACTIONS.sub("", shown(cell) or "").strip() or None


def _place(cell: HtmlElement | None) -> Address:
    if cell is None:
        return Address()
    box = maybe(cell, "address")
    lines = lines_of(box) if box is not None else [line for line in lines_of(cell) if not _ACTIONS.match(line)]
    return addresses.from_lines(lines)


def _old_names(tree: HtmlElement) -> Iterable[str]:
    table = maybe(tree, "#ctl00_cpContent_grdOldNames")
    if table is None:
        refuse_unread(select(tree, "table"), "change date", "name")
    return [text_of(row["Name"]) for row in table_rows(table, ("Change Date", "Name"))] if table is not None else []


def _events(tree: HtmlElement) -> Iterable[Filing]:
    rows = table_rows(one(tree, "#ctl00_cpContent_grdOrgEvents"), ("Effective Date", "Transaction", "Filed Date"))
    return [Filing(shown(row["Filed Date"]), text_of(row["Transaction"])) for row in rows]
