"""West Virginia's legacy organisation search: a form with view state, then records by GET.

Source: element ids, headings and labels as public clients of the portal use them (documented; no recorded page at
hand). The record prints no status word: a termination date, with a reason, is all there is. "Active" and
"Inactive: ..." in a record are therefore ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, offers_next, one, select, text_of, visible_text
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://apps.sos.wv.gov/business/corporations/"
_NONE = "No results found"
_PEOPLE = ("officers",)
_OTHER_NAMES = ("dba",)
_IGNORED = (
    "Business Purpose", "Capital Stock", "Authorized Shares", "Par Value", "Charter County", "Control Number",
    "Excess Acres", "At Will Term", "At Will Term Years", "Member Managed", "Management Type",
)  # fmt: skip


class WvSosPortal(Portal):
    """The organisation search."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="public",
        evidence="An old help page of the registry: the text from the beginning, blanks and punctuation included.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name fits the term."""
        form = WebForm(session.get(f"{_HOME}Default.aspx"))
        page = form.press(session, "btnSearch", {"txtOrgName": term})
        tree = page.html()
        table = maybe(tree, "table#tableResults")
        if table is None:
            if _NONE in visible_text(tree):
                return ResultList(())
            raise missing_result(page, "the table of results")
        rows = [_candidate(row, page) for row in select(table, "tr") if row.cssselect("a[href*='organization.aspx']")]
        if not rows and _NONE not in visible_text(tree):
            raise PageChanged(f"{page.url}: a table without rows, and no line that there are none")
        return ResultList(tuple(rows), complete=self.name_search.whole(len(rows)) and not offers_next(tree))

    def check_id(self, entity_id: str) -> str:
        """Numbers are compared without leading zeros: the portal takes them with and without."""
        return super().check_id(entity_id).lstrip("0")

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """A record is asked for by its number; a page without a name is how the portal says that there is none."""
        record = self._open(session, f"{_HOME}organization.aspx?org={entity_id}", entity_id)
        if record is None:
            return ResultList(())
        return ResultList((Candidate(record.entity_name, entity_id, record.status, record.entity_type, record=record),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        if candidate.record is not None:
            return candidate.record
        record = self._open(session, candidate.handle["url"], candidate.entity_id)
        if record is None:
            raise PageChanged(f"{candidate.entity_id} is listed, but its page has no name")
        return record

    def _open(self, session: PortalSession, url: str, entity_id: str) -> EntityRecord | None:
        page = session.get(url)
        tree = page.html()
        name = maybe(tree, "#lblOrg")
        if name is None:
            raise missing_result(page, "the organisation's name")
        if not text_of(name):
            return None
        vital = Labels(_vital(tree))
        vital.ignore("Established Date", "Filing Date", "Charter", "Class", "Sec Type")
        labels = Labels(_pairs(tree))
        labels.ignore(*_IGNORED)
        agent, agent_address = _party(labels.maybe("Notice of Process Address"))
        record = EntityRecord(
            entity_name=text_of(name),
            entity_id=entity_id,
            status=_status(vital.one("Termination Date"), vital.maybe("Termination Reason")),
            entity_type=vital.one("Org Type"),
            formation_date=vital.maybe("Effective Date") or vital.maybe("Filing Date"),
            jurisdiction=text_of(state) if (state := labels.maybe("Charter State")) is not None else None,
            agent_name=agent,
            agent_address=agent_address,
            principal_address=_place(labels, "Principal Office Address", "Designated Office Address",
                                     "Local Office Address"),
            mailing_address=_place(labels, "Mailing Address"),
            officers=tuple(_officers(tree)),
            assumed_names=tuple(_other_names(tree)),
            sos_url=page.url,
        )  # fmt: skip
        note_unread([*vital.unread, *labels.unread], session)
        return record


def _candidate(row: HtmlElement, page: Page) -> Candidate:
    """Name and number; the order of the other columns is not known, so they are left alone."""
    link = one(row, "a[href*='organization.aspx']")
    url = page.link(link.get("href") or "")
    number = parse_qs(urlsplit(url).query).get("org", [""])[0]
    if not number.isdigit():
        raise PageChanged(f"{url} carries no organisation number")
    return Candidate(name=text_of(link), entity_id=number, handle={"url": url}, sos_url=url)


def _status(ended: str | None, why: str | None) -> str:
    return "Active" if not ended else f"Inactive: {why or 'terminated'}"


def _vital(tree: HtmlElement) -> Iterable[tuple[str, str | None]]:
    """The first table: one row of headings, one row of values."""
    for row in tree.xpath("//table[contains(@class, 'tableData')]//tr[count(th) > 3]"):
        heads = [text_of(cell) for cell in row.xpath("./th")]
        if "Org Type" not in heads:
            continue
        below = row.xpath("./following-sibling::tr[1]/td")
        if len(below) != len(heads):
            raise PageChanged(f"{len(below)} values stand under {len(heads)} headings")
        yield from ((head, text_of(cell) or None) for head, cell in zip(heads, below, strict=True))


def _section(row: HtmlElement) -> str:
    """The heading a table stands under, inside it or before it."""
    found = row.xpath("(ancestor::table[1]//h2 | ancestor::table[1]/preceding::h2[1])[last()]")
    return text_of(found[0]).casefold() if found else ""


def _rows(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    yield from ((_section(row), row) for row in tree.xpath("//table[contains(@class, 'tableData')]//tr"))


def _pairs(tree: HtmlElement) -> Iterable[tuple[str, HtmlElement]]:
    for section, row in _rows(tree):
        heads, cells = row.xpath("./th"), row.xpath("./td")
        if len(heads) == len(cells) == 1 and not section.startswith(_PEOPLE):
            yield text_of(heads[0]), cells[0]


def _place(labels: Labels, *names: str) -> Address:
    cells = [cell for name in names if (cell := labels.maybe(name)) is not None]
    return next((place for cell in cells if (place := _party(cell)[1])), Address())


def _party(cell: HtmlElement | None) -> tuple[str | None, Address]:
    """ "NAME / street / city": the first line is a name when it has no digit and more lines follow."""
    lines = lines_of(cell) if cell is not None else []
    named = len(lines) > 2 and not any(sign.isdigit() for sign in lines[0])
    return (lines[0] if named else None), addresses.from_lines(lines[1:] if named else lines)


def _officers(tree: HtmlElement) -> Iterable[Officer]:
    for section, row in _rows(tree):
        role, cells = row.xpath("./th"), row.xpath("./td")
        if section.startswith(_PEOPLE) and len(role) == len(cells) == 1:
            lines = lines_of(cells[0])
            if lines:
                yield Officer(lines[0], text_of(role[0]) or None, one_line(addresses.from_lines(lines[1:])))


def _other_names(tree: HtmlElement) -> Iterable[str]:
    for section, row in _rows(tree):
        cells = row.xpath("./td")
        if section.startswith(_OTHER_NAMES) and len(cells) > 1 and text_of(cells[0]):
            yield text_of(cells[0])
