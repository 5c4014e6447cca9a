"""West Virginia: Secretary of State, organization search (legacy host): a form with view state, then records by GET.

Evidence: public clients that read records by number over the whole range (documented: element ids, headings, labels;
none recorded). The record prints no status word: a termination date, with a reason, is all there is, so "Active" and
"Inactive: ..." in a record are ours. Guessed: the form's control names behind their ids, the layout of the address
table, and that a number without a record gives a page without a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.cells import paired, shown
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import (
    lines_of,
    maybe,
    missing_result,
    offers_next,
    select,
    table_rows,
    text_of,
    visible_text,
)
from scrapers.parsing.people import officer_in
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://apps.sos.wv.gov/business/corporations/"
_NONE = "No results found"
_LINK = "a[href*='organization.aspx']"
_PEOPLE, _OTHER_NAMES = "officers", "dba"  # what the headings of these sections begin with
_IGNORED = listed(
    "Business Purpose | Capital Stock | Authorized Shares | Par Value | Charter County | Control Number | "
    "Excess Acres | At Will Term | At Will Term Years | Member Managed | Management Type"
)

Sections = list[tuple[str, HtmlElement]]


class WestVirginia(Portal):
    """Secretary of State, organization search."""

    code = "WV"
    hosts = ("apps.sos.wv.gov",)
    sources = (_HOME,)
    id_pattern = r"\d{1,8}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction | assumed_names"
        )
    )
    statuses = meanings("Active")
    status_prefixes = prefixes("Inactive")
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="public",
        evidence="An old help page of the registry: the text from the beginning, blanks and punctuation included.",
    )
    terms = Terms("unstated", robots="allows the search and the records (2026-08)")
    verification, on_by_default = "documented", True

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name fits the term."""
        form = WebForm(session.get(f"{_HOME}Default.aspx"))
        page = form.press(session, "btnSearch", {"txtOrgName": term})
        tree = page.html()
        table, none = maybe(tree, "table#tableResults"), _NONE in visible_text(tree)
        if table is None:
            if none:
                return ResultList(())
            raise missing_result(page, "the table of results")
        rows = [_candidate(row, page) for row in select(table, "tr") if row.cssselect(_LINK)]
        if not rows and not none:
            raise PageChanged(f"{page.url}: a table without rows, and no line that there are none")
        return ResultList(tuple(rows), complete=self.name_search.whole(len(rows)) and not offers_next(tree))

    def check_id(self, entity_id: str) -> str:
        """Numbers are compared without leading zeros: the portal takes them with and without."""
        return super().check_id(entity_id).lstrip("0")

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """A record is asked for by its number; a page without a name is how the portal says that there is none."""
        record = _open(session, f"{_HOME}organization.aspx?org={entity_id}", entity_id)
        return ResultList((Candidate.of(record),) if record else ())

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        record = candidate.record or _open(session, candidate.handle["url"], candidate.entity_id)
        if record is None:
            raise PageChanged(f"{candidate.entity_id} is listed, but its page has no name")
        return record


def _candidate(row: HtmlElement, page: Page) -> Candidate:
    """Name and number; the order of the other columns is not known, so they are left alone."""
    link = select(row, _LINK, most=1)[0]
    url = page.link(link.get("href") or "")
    number = parse_qs(urlsplit(url).query).get("org", [""])[0]
    if not number.isdigit():
        raise PageChanged(f"{url} carries no organization number")
    return Candidate(name=text_of(link), entity_id=number, handle={"url": url}, sos_url=url)


def _open(session: PortalSession, url: str, entity_id: str) -> EntityRecord | None:
    tree = (page := session.get(url)).html()
    name = maybe(tree, "#lblOrg")
    if name is None:
        raise missing_result(page, "the organization's name")
    if not text_of(name):
        return None
    vital, sections = Labels(_vital(tree)), _sections(tree)
    ended, why = vital.one("Termination Date"), vital.maybe("Termination Reason")
    vital.ignore(*listed("Established Date | Filing Date | Charter | Class | Sec Type"))
    labels = Labels(_pairs(sections))
    labels.ignore(*_IGNORED)
    agent, agent_address = _party(labels.maybe("Notice of Process Address"))
    offices = listed("Principal Office Address | Designated Office Address | Local Office Address")
    record = EntityRecord(
        entity_name=text_of(name),
        entity_id=entity_id,
        status=f"Inactive: {why or 'terminated'}" if ended else "Active",
        entity_type=vital.one("Org Type"),
        formation_date=vital.maybe("Effective Date") or vital.maybe("Filing Date"),
        jurisdiction=shown(labels.maybe("Charter State")),
        agent_name=agent,
        agent_address=agent_address,
        principal_address=_first_address(labels, *offices),
        mailing_address=_first_address(labels, "Mailing Address"),
        officers=tuple(_officers(sections)),
        assumed_names=tuple(_other_names(sections)),
        sos_url=page.url,
    )
    note_unread([*vital.unread, *labels.unread], session)
    return record


def _vital(tree: HtmlElement) -> Iterable[tuple[str, str | None]]:
    """The first table: one row of headings, one row of values."""
    for row in tree.xpath("//table[contains(@class, 'tableData')]//tr[count(th) > 3]"):
        heads = row.xpath("./th")
        if "Org Type" in map(text_of, heads):
            below = paired(heads, row.xpath("./following-sibling::tr[1]/td"))
            yield from ((head, shown(cell)) for head, cell in below)


def _sections(tree: HtmlElement) -> Sections:
    """The tables, each with the heading that it stands under, inside it or before it."""
    found = []
    for table in tree.xpath("//table[contains(@class, 'tableData')]"):
        heads = table.xpath("(.//h2 | ./preceding::h2[1])[last()]")
        found.append((text_of(heads[0]).casefold() if heads else "", table))
    return found


def _pairs(sections: Sections, *, people: bool = False) -> Iterable[tuple[str, HtmlElement]]:
    """Each row's heading and its one value, of the sections of people or of all others."""
    for section, table in sections:
        if section.startswith(_OTHER_NAMES) or section.startswith(_PEOPLE) is not people:
            continue
        for row in table.xpath("./tr | ./*/tr"):
            heads, cells = row.xpath("./th"), row.xpath("./td")
            if len(heads) == len(cells) == 1:
                yield text_of(heads[0]), cells[0]
            elif cells and (heads or len(cells) < 4):  # a wide row of values has headings of its own above it
                raise PageChanged(f"{text_of(row)[:80]!r} is no heading with its value")


def _first_address(labels: Labels, *names: str) -> Address:
    cells = [labels.maybe(name) for name in names]
    return next((place for cell in cells if (place := _party(cell)[1])), Address())


def _party(cell: HtmlElement | None) -> tuple[str | None, Address]:
    """ "NAME / street / city": the first line is a name when it has no digit and more lines follow."""
    lines = lines_of(cell) if cell is not None else []
    named = len(lines) > 2 and not any(sign.isdigit() for sign in lines[0])
    return (lines[0] if named else None), addresses.from_lines(lines[1:] if named else lines)


def _officers(sections: Sections) -> Iterable[Officer]:
    return filter(None, (officer_in(cell, role or None) for role, cell in _pairs(sections, people=True)))


def _other_names(sections: Sections) -> Iterable[str]:
    for section, table in sections:
        if section.startswith(_OTHER_NAMES):
            yield from filter(None, (text_of(row["DBA Name"]) for row in table_rows(table, ("DBA Name",))))
