"""nebraska.gov corporation search: one CGI program for form, list and record.

Source: public clients of the portal (element ids, five-cell rows, labels in bold; documented and thin, no recorded
page at hand). The form's field names are read from the page by the ids its controls have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import (
    hidden_inputs,
    lines_of,
    maybe,
    missing_result,
    offers_next,
    one,
    select,
    text_of,
    visible_text,
)
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_CGI = "https://www.nebraska.gov/sos/corp/corpsearch.cgi"
_NONE = re.compile(r"\bno (records?|results?|matches)( (was|were))?( found)?\b|\b0 records\b", re.IGNORECASE)
_IGNORED = (
    "Nature of Business", "Nonprofit Type", "Has Members", "Professional Action", "Contact", "Expiration Date",
    "Next Report Due Date", "Qualifying State", "Designated Office Address", "Pay Biennial Report Fees",
)  # fmt: skip


class NeSosPortal(Portal):
    """The corporation and business search."""

    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: the form's fields; how it compares and how long a list gets is not told.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term."""
        return self._list(self._ask(session, term))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """A record is asked for by its account number."""
        page = session.get(_CGI, params={"acct-number": entity_id})
        if not select(page.html(), "div.bold") and _NONE.search(visible_text(page.html())):
            return ResultList(())
        record = _record(page, session)
        return ResultList((Candidate(record.entity_name, record.entity_id, record.status, record=record),))

    def _ask(self, session: PortalSession, term: str) -> Page:
        page = session.get(_CGI, params={"nav": "search"})
        form = maybe(page.html(), "form#searchform")
        box = maybe(form, "#corpname") if form is not None else None
        if form is None or box is None or not box.get("name"):
            raise missing_result(page, "the search form")
        chosen = {radio.get("name"): radio.get("value") for radio in select(form, "input[type=radio][checked]")}
        return session.post(
            page.link(form.get("action") or _CGI),
            form={**hidden_inputs(form), **chosen, box.get("name"): term},
            headers={"Referer": page.url},
        )

    def _list(self, page: Page) -> ResultList:
        tree = page.html()
        table = maybe(tree, "table.table-condensed")
        rows = [row for row in select(table, "tr") if len(row.xpath("./td")) == 5] if table is not None else []
        if rows:
            return ResultList(
                tuple(_candidate(row, page) for row in rows),
                complete=self.name_search.whole(len(rows)) and not offers_next(tree),
            )
        if _NONE.search(visible_text(tree)):
            return ResultList(())
        raise missing_result(page, "a list, or the line that there is none")

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        return candidate.record or _record(session.get(candidate.handle["url"]), session)


def _candidate(row: HtmlElement, page: Page) -> Candidate:
    """Cells: name, account number, type, status, and the button to the record."""
    name, number, kind, status, button = row.xpath("./td")
    link = maybe(button, "a[href]")
    url = page.link(link.get("href") or "") if link is not None else f"{_CGI}?acct-number={text_of(number)}"
    return Candidate(
        name=text_of(name), entity_id=text_of(number), status=text_of(status) or None, handle={"url": url},
        entity_type=text_of(kind) or None, sos_url=url,
    )  # fmt: skip


def _record(page: Page, session: PortalSession) -> EntityRecord:
    tree = page.html()
    heads = select(tree, "div.bold")
    if not heads:
        raise missing_result(page, "the record")
    labels = Labels(_pairs(heads))
    labels.ignore(*_IGNORED)
    agent = labels.maybe("Registered Agent and Office Address", missing=[])
    record = EntityRecord(
        entity_name=text_of(one(tree, "h4")),
        entity_id=_must(labels, "SOS Account Number"),
        status=_must(labels, "Status"),
        entity_type=_first(labels.maybe("Entity Type", "Corporation Type", missing=[])),
        formation_date=_first(labels.maybe("Date Filed", missing=[])),
        agent_name=agent[0] if agent else None,
        agent_address=addresses.from_lines(agent[1:]),
        principal_address=_place(labels.maybe("Principal Office Address", missing=[])),
        officers=tuple(_officers(tree)),
        filings=tuple(_filings(tree)),
        sos_url=page.url,
    )
    note_unread(labels.unread, session)
    return record


def _pairs(heads: list[HtmlElement]) -> Iterable[tuple[str, list[str]]]:
    """A label in bold; its value is what follows in the same box, up to the next label."""
    for head in heads:
        lines = [(head.tail or "").strip()]
        for sibling in head.itersiblings():
            if "bold" in (sibling.get("class") or "").split():
                break
            lines += [*lines_of(sibling), (sibling.tail or "").strip()]
        yield text_of(head), [" ".join(line.split()) for line in lines if line.strip()]


def _first(lines: list[str]) -> str | None:
    return lines[0] if lines else None


def _must(labels: Labels, label: str) -> str:
    found = _first(labels.one(label))
    if found is None:
        raise PageChanged(f"nothing stands under {label!r}")
    return found


def _place(lines: list[str]) -> Address:
    return addresses.from_lines(lines)


def _table(tree: HtmlElement, *heads: str) -> Iterable[list[HtmlElement]]:
    """Rows of the table whose first row is exactly these headings."""
    for table in select(tree, "table"):
        rows = table.xpath(".//tr")
        if rows and tuple(text_of(cell) for cell in rows[0].xpath("./th | ./td"))[: len(heads)] == heads:
            yield from (cells for row in rows[1:] if len(cells := row.xpath("./td")) >= len(heads))


def _officers(tree: HtmlElement) -> Iterable[Officer]:
    for title, name, where in (cells[:3] for cells in _table(tree, "Position", "Name", "Address")):
        if text_of(name):
            yield Officer(text_of(name), text_of(title) or None, one_line(addresses.from_lines(lines_of(where))))


def _filings(tree: HtmlElement) -> Iterable[Filing]:
    for title, day in (cells[:2] for cells in _table(tree, "Document", "Date Filed")):
        yield Filing(text_of(day) or None, text_of(title))
