"""Nebraska: Secretary of State, Business Services (nebraska.gov): one CGI program for form, list and record.

Evidence: public clients of the portal, gathered 2026-11 (documented and thin: element ids, five-cell rows, labels in
bold; no recorded page at hand), and a reading of nebraska.gov's use policy of September 2026, which forbids robots
without written permission. Guessed: field names (read from the page by the ids its controls have), the deep link by
account number, the line that there is nothing, most labels' layout and the status reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, types
from scrapers.parsing.cells import address_in, must_show, shown
from scrapers.parsing.fields import Labels, fold, listed, note_unread
from scrapers.parsing.html import (
    headed_rows,
    hidden_inputs,
    lines_of,
    maybe,
    missing_result,
    one,
    select,
    table_rows,
    text_of,
    visible_text,
)
from scrapers.parsing.lists import result_list
from scrapers.parsing.pairs import Pair
from scrapers.parsing.people import agent_in
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, Filing, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_CGI = "https://www.nebraska.gov/sos/corp/corpsearch.cgi"
_NONE = re.compile(r"(?<!if )\b(no|0) (records?|results?|matches) ((was|were) )?found\b", re.IGNORECASE)
_COLUMNS = listed("Name | SOS Account Number | Type | Status")
_OFFICERS, _FILINGS = listed("Corporation Position | Name | Address"), listed("Document | Date Filed")
_ASSOCIATED = listed("Account Number | Name | Type | Status")  # other entities, each with a record of its own
_IGNORED = listed(
    "Nature of Business | Nonprofit Type | Has Members | Professional Action | Contact | Expiration Date | "
    "Next Report Due Date | Qualifying State | Designated Office Address | Pay Biennial Report Fees"
)


class Nebraska(Portal):
    """Secretary of State, Business Services."""

    code = "NE"
    hosts = ("www.nebraska.gov",)
    sources = ("https://www.nebraska.gov/sos/corp/corpsearch.cgi?nav=search",)
    id_pattern = r"\d{5,10}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address | officers")
    )
    statuses = meanings("Active | Inactive")
    status_prefixes = prefixes("Inactive")
    terms = Terms(
        "forbidden", robots="allows /sos/corp/", note="The use policy forbids robots without written permission."
    )
    verification, on_by_default = "documented", False
    off_reason = "The portal's use policy forbids robots, and it asks for a captcha."
    would_change = "The office's written permission, or its paid files with their layout; a new system is due in 2026."
    name_search = NameSearch(
        mode="unknown",
        evidence="Public clients: the form's fields; how it compares and how long a list gets is not told.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term."""
        page = self._ask(session, term)
        table = maybe(page.html(), "table.table-condensed")
        rows = table_rows(table, _COLUMNS) if table is not None and table.xpath(".//td") else []
        return result_list(page, [_candidate(row, page) for row in rows], facts=self.name_search, nothing=_NONE)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """A record is asked for by its account number."""
        page = session.get(_CGI, params={"acct-number": entity_id})
        if not select(page.html(), "div.bold") and _NONE.search(visible_text(page.html())):
            return ResultList(())
        return ResultList((Candidate.of(_record(page, session)),))

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

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        return candidate.record or _record(session.get(candidate.handle["url"]), session)


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    """Name, account number, type, status; the button to the record stands in a column without a heading."""
    name, number, kind, status = (row[heading] for heading in _COLUMNS)
    link = next((one for cell in row.values() for one in select(cell, "a[href]")), None)
    url = page.link(link.get("href") or "") if link is not None else f"{_CGI}?acct-number={text_of(number)}"
    return Candidate(
        name=text_of(name),
        entity_id=text_of(number),
        status=text_of(status) or None,
        entity_type=text_of(kind) or None,
        name_kind=types.name_kind(text_of(kind)),
        handle={"url": url},
        sos_url=url,
    )


def _record(page: Page, session: PortalSession) -> EntityRecord:
    tree = page.html()
    heads = select(tree, "div.bold")
    if not heads:
        raise missing_result(page, "the record")
    labels, tables = Labels(_pairs(heads)), _tables(tree)
    labels.ignore(*_IGNORED)
    agent_name, agent_address = agent_in(labels.maybe("Registered Agent and Office Address"))
    record = EntityRecord(
        entity_name=text_of(one(tree, "h4")),
        entity_id=must_show(labels, "SOS Account Number"),
        status=must_show(labels, "Status"),
        entity_type=shown(labels.maybe("Entity Type", "Corporation Type")),
        formation_date=shown(labels.maybe("Date Filed")),
        agent_name=agent_name,
        agent_address=agent_address,
        principal_address=address_in(labels.maybe("Principal Office Address")),
        officers=tuple(_officers(tables.get(_OFFICERS, ()))),
        filings=tuple(_filings(tables.get(_FILINGS, ()))),
        sos_url=page.url,
    )
    note_unread(labels.unread, session)
    return record


def _pairs(heads: list[HtmlElement]) -> Iterable[Pair]:
    """A label in bold; its value is what follows in the same box, up to the next label."""
    for head in heads:
        lines = [(head.tail or "").strip()]
        for sibling in head.itersiblings():
            if "bold" in (sibling.get("class") or "").split():
                break
            lines += [*lines_of(sibling), (sibling.tail or "").strip()]
        yield text_of(head), [" ".join(line.split()) for line in lines if line.strip()]


def _tables(tree: HtmlElement) -> dict[tuple[str, ...], list[dict[str, HtmlElement]]]:
    """The rows of the tables that a record may have, by their columns; no other table may stand there."""
    found: dict[tuple[str, ...], list[dict[str, HtmlElement]]] = {}
    for table in select(tree, "table"):
        heads, _ = headed_rows(table)
        columns = next((one for one in (_OFFICERS, _FILINGS, _ASSOCIATED) if fold(one[0]) in map(fold, heads)), None)
        if columns is None or columns in found:
            raise PageChanged(f"a table of {heads} where officers and documents are expected")
        found[columns] = table_rows(table, columns)
    return found


def _officers(rows: Iterable[dict[str, HtmlElement]]) -> Iterable[Officer]:
    for row in rows:
        title, name, where = (row[heading] for heading in _OFFICERS)
        if text_of(name):
            yield Officer(text_of(name), text_of(title) or None, addresses.one_line(address_in(where)))


def _filings(rows: Iterable[dict[str, HtmlElement]]) -> Iterable[Filing]:
    for row in rows:
        title, day = (row[heading] for heading in _FILINGS)
        yield Filing(text_of(day) or None, text_of(title))
