"""Minnesota Business and Lien System: two searches by GET (active, inactive), one page a record.

Source: the markup as public clients of the portal read it in 2026 (element classes, labels, the "no results" line).
The list shows no file number: a row is told apart by its key, and the number is on the opened page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, text_of, visible_text
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, NameKind, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOST = "https://mblsportal.sos.mn.gov"
_SEARCH = f"{_HOST}/Business/BusinessSearch"
_NONE = "No results match the criteria entered."
_OFFICERS = ("Chief Executive Officer", "Manager", "President", "Governor", "Partner", "General Partner")
_IGNORED = (
    "MN Statute", "Renewal Due Date", "Number of Shares", "Mark Type", "Home Business Name", "Applicant", "Renewal",
    "Work Visa", "Next Renewal Due Date", "Comments", "Last Renewal",
)  # fmt: skip


class MblsPortal(Portal):
    """The business search of the Secretary of State."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        cap=500,
        cap_basis="assumed",
        evidence="Public clients: Type=BeginsWith, former names included; no pages were seen.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Active and inactive filings are separate questions; both are asked, since either may be the one meant."""
        return self._both(session, {"BusinessName": term})

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The filing with this number."""
        found = self._both(session, {"FileNumber": entity_id})
        return ResultList(tuple(replace(row, entity_id=entity_id) for row in found.candidates), found.complete)

    def _both(self, session: PortalSession, asked: dict[str, str]) -> ResultList:
        rows: list[Candidate] = []
        complete = True
        for status in ("Active", "Inactive"):
            page = session.get(
                _SEARCH, params={**asked, "IncludePriorNames": "True", "Status": status, "Type": "BeginsWith"}
            )
            found = _rows(page)
            rows += found
            complete = complete and self.name_search.whole(len(found))
        return ResultList(tuple(rows), complete)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a filing: labels with one or several values, and its history."""
        page = session.get(candidate.handle["url"])
        tree = page.html()
        summary = maybe(tree, "#filingSummary")
        if summary is None:
            raise missing_result(page, "the filing summary")
        labels = Labels(_pairs(summary))
        labels.ignore(*_IGNORED)
        agents = _named(labels.maybe("Registered Agent(s)", "Registered Agent", missing=[]))
        record = EntityRecord(
            entity_name=text_of(one(tree, "div.business-name .navbar-brand")),
            entity_id=_must(labels, "File Number"),
            status=_first(labels.one("Status")),
            entity_type=_first(labels.one("Business Type")),
            formation_date=_first(labels.maybe("Filing Date", missing=[])),
            jurisdiction=_first(labels.maybe("Home Jurisdiction", missing=[])),
            agent_name="; ".join(agents) or None,
            agent_address=_address(labels, "Registered Office Address"),
            principal_address=_address(
                labels, "Principal Executive Office Address", "Principal Place of Business Address"
            ),
            mailing_address=_address(labels, "Mailing Address"),
            officers=tuple(_officers(labels)),
            filings=tuple(_history(tree)),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _rows(page: Page) -> list[Candidate]:
    tree = page.html()
    table = maybe(tree, "table.table.selectable")
    links = select(table, "a[href*='/Business/SearchDetails?filingGuid=']") if table is not None else []
    if not links:
        if _NONE in visible_text(tree):
            return []
        raise missing_result(page, "a list, or the line that there is none")
    rows = []
    for link in links:
        row = next(link.iterancestors("tr"), None)
        if row is None:
            raise PageChanged("a link to a filing stands outside the list")
        facts = [text_of(span) for span in select(row, "small span") if text_of(span)]
        if len(facts) != 3:
            raise PageChanged(f"a row shows {facts}, expected status, type and kind of name")
        url = page.link(link.get("href") or "")
        rows.append(
            Candidate(
                name=text_of(one(row, "strong")),
                entity_id="",
                status=facts[0],
                entity_type=facts[1],
                name_kind=_kind(facts[2]),
                handle={"url": url},
                sos_url=url,
            )
        )
    return rows


def _kind(shown: str) -> NameKind:
    """The list says what a name is: "Minnesota Business Name", "Home Business Name", "Prior ...", "Assumed Name"."""
    word = shown.casefold()
    if word.startswith("prior"):
        return "former"
    if word.startswith("home"):
        return "foreign"
    return "reserved" if "reserv" in word else "legal"


def _pairs(summary: HtmlElement) -> Iterable[tuple[str, list[HtmlElement]]]:
    for group in select(summary, "dl", least=1):
        head = group.xpath("./dt")
        if head:
            yield text_of(head[0]), group.xpath("./dd")


def _first(cells: list[HtmlElement]) -> str | None:
    return next((text_of(cell) for cell in cells if text_of(cell)), None)


def _must(labels: Labels, label: str) -> str:
    found = _first(labels.one(label))
    if found is None:
        raise PageChanged(f"nothing stands under {label!r}")
    return found


def _named(cells: list[HtmlElement]) -> list[str]:
    """Names of agents; "(Optional) Currently No Agent" is the state's way to say that there is none."""
    return [text for cell in cells if (text := text_of(cell)) and "no agent" not in text.casefold()]


def _address(labels: Labels, *names: str) -> Address:
    cells = [cell for name in names for cell in labels.maybe(name, missing=[])]
    return addresses.from_lines(lines_of(cells[0])) if cells else Address()


def _officers(labels: Labels) -> Iterable[Officer]:
    for title in _OFFICERS:
        for cell in labels.maybe(title, missing=[]):
            lines = lines_of(cell)
            if lines:
                yield Officer(lines[0], title, addresses.one_line(addresses.from_lines(lines[1:])))


def _history(tree: HtmlElement) -> Iterable[Filing]:
    for row in tree.xpath("//*[@id='tblOrderForm']//tr[td]"):
        dates, actions = select(row, "td.date"), select(row, "td.action")
        if dates and actions and text_of(actions[0]):
            yield Filing(text_of(dates[0]) or None, text_of(actions[0]))
