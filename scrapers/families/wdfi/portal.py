"""Wisconsin DFI corporate records: one GET for the list, one for a record.

Source: the markup as several public clients of the portal read it in 2026 (element ids, classes and labels, the
"returned no records" line, "found:" before a name that is not the present one). A captcha form (`frmCaptcha`) may
stand in front of records after some requests: the transport knows it as a wall.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, table_rows, text_of, visible_text
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://apps.dfi.wi.gov/apps/CorpSearch/"
_COUNT = re.compile(r"\b([\d,]+) records? for\b", re.IGNORECASE)
_NONE = "returned no records"
_ACTIONS = re.compile(
    r"\s*(Request a Certificate of Status|File a Registered Agent/Office Update Form).*$", re.I | re.S
)
_NUMBERED = re.compile(r"^\d{2}\s*-\s*")  # the type stands as "12 - Domestic Limited Liability Company"


class WdfiPortal(Portal):
    """The corporate records search."""

    name_search = NameSearch(
        mode="unknown",
        total_told=True,
        evidence=(
            "Public clients: the page counts its records and also lists former names; how it compares is not told."
        ),
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose present or former name holds the term."""
        return self._ask(session, term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The same box takes an identifier; rows of other entities are dropped."""
        found = self._ask(session, entity_id)
        rows = [row for row in found.candidates if row.entity_id.casefold() == entity_id.casefold()]
        return ResultList(tuple(rows), found.complete)

    def _ask(self, session: PortalSession, text: str) -> ResultList:
        page = session.get(f"{_HOME}Results.aspx", params={"type": "Simple", "q": text})
        tree = page.html()
        told = visible_text(tree)
        if _NONE in told.casefold():
            return ResultList(())
        table = maybe(tree, "table#results")
        if table is None:
            raise missing_result(page, "the list of results")
        rows = [_rows(row, page) for row in select(table, "tr[class]") if row.cssselect("td.entityID")]
        if not rows:
            raise PageChanged(f"{page.url}: a list without rows, and no line that there are none")
        count = _COUNT.search(told)
        complete = int(count[1].replace(",", "")) <= len(rows) if count else self.name_search.whole(len(rows))
        return ResultList(tuple(candidate for names in rows for candidate in names), complete)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a record: a table of labels and values, old names, and the events."""
        page = session.get(candidate.handle["url"])
        tree = page.html()
        name = maybe(tree, "h1#entityName")
        if name is None:
            raise missing_result(page, "the entity's name")
        labels = Labels(_pairs(tree))
        labels.ignore("Period of Existence", "Status Date", "Annual Report Requirements", "Paid Capital Represented",
                      "Foreign Organization Date", "Certificates of Newly-elected Officers/Directors", "Old Names",
                      "Annual Reports", "Chronology")  # fmt: skip
        agent, office = _agent(labels.maybe("Registered Agent Office"))
        record = EntityRecord(
            entity_name=text_of(name),
            entity_id=text_of(labels.one("Entity ID")),
            status=_plain(labels.one("Status")),
            entity_type=_NUMBERED.sub("", _plain(labels.one("Entity Type")) or "") or None,
            formation_date=_plain(labels.maybe("Registered Effective Date")),
            jurisdiction=_plain(labels.maybe("Foreign State")),
            agent_name=agent,
            agent_address=office,
            principal_address=_place(labels.maybe("Principal Office")),
            former_names=tuple(_old_names(tree)),
            filings=tuple(_events(tree)),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _rows(row: HtmlElement, page: Page) -> list[Candidate]:
    """The present name, and the other name under which the entity was found, where the row shows one."""
    link = one(row, "span.name a")
    url = page.link(link.get("href") or "")
    entity_id, status = text_of(one(row, "td.entityID")), text_of(one(row, "span.statusDescription"))
    entity_type = _NUMBERED.sub("", text_of(one(row, "span.typeDescription")))
    shown = [(text_of(link), False)]
    cell = next(link.iterancestors("td"))
    shown += [(line.partition(":")[2].strip(), True) for line in lines_of(cell) if line.casefold().startswith("found:")]
    return [
        Candidate(
            name=name, entity_id=entity_id, status=status, entity_type=entity_type,
            name_kind="former" if former else "legal", handle={"url": url}, sos_url=url,
        )
        for name, former in shown
    ]  # fmt: skip


def _pairs(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for row in select(tree, "table.stats tr", least=1):
        label, data = row.cssselect("td.label"), row.cssselect("td.data")
        if label and data:
            yield " ".join(lines_of(label[0])), data[0]


def _plain(cell: HtmlElement | None) -> str | None:
    """A value without the links that stand behind it."""
    return (_ACTIONS.sub("", text_of(cell)).strip() or None) if cell is not None else None


def _agent(cell: HtmlElement | None) -> tuple[str | None, Address]:
    if cell is None:
        return None, Address()
    name = maybe(cell, "div")
    return (text_of(name) or None if name is not None else None), _place(cell)


def _place(cell: HtmlElement | None) -> Address:
    if cell is None:
        return Address()
    box = maybe(cell, "address")
    lines = lines_of(box) if box is not None else [line for line in lines_of(cell) if not _ACTIONS.match(line)]
    return addresses.from_lines(lines)


def _old_names(tree: HtmlElement) -> Iterable[str]:
    table = maybe(tree, "#ctl00_cpContent_grdOldNames")
    return [text_of(row["Name"]) for row in table_rows(table, ("Change Date", "Name"))] if table is not None else []


def _events(tree: HtmlElement) -> Iterable[Filing]:
    table = maybe(tree, "#ctl00_cpContent_grdOrgEvents")
    if table is None:
        return []
    rows = table_rows(table, ("Effective Date", "Transaction", "Filed Date"))
    return [Filing(text_of(row["Filed Date"]) or None, text_of(row["Transaction"])) for row in rows]
