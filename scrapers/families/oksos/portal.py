"""sos.ok.gov: a WebForms search, a grid, and a record by GET.

Source: public clients of the portal (field names, cells, definition lists; documented and old, no recorded page at
hand). The page that asks visitors for their name is its wall.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged, PortalBlocked
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, text_of, visible_text
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, NameKind, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://www.sos.ok.gov/corp/"
_TOTAL = re.compile(r"Total Results:\s*([\d,]+)")
_WALL = "Please enter your name"
_CITY = re.compile(r"^(.+?),\s*(\w[\w ]*?)\s*,\s*([\d-]+)$")
_KINDS: dict[str, NameKind] = {"former": "former", "reserved": "reserved", "fictitious": "assumed"}


class OkSosPortal(Portal):
    """The corporation inquiry."""

    name_search = NameSearch(
        mode="unknown",
        total_told=True,
        evidence="Public clients: the list counts its results; how it compares is not told.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that fit the term, first page; a longer list counts as cut."""
        page = self._past_wall(session.get(f"{_HOME}corpInquiryFind.aspx"))
        answer = WebForm(page).press(session, "SearchButton", {"_singlename": term}, headers={"Referer": page.url})
        return self._list(self._past_wall(answer))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """A record is asked for by its number."""
        record = self._open(session, f"{_HOME}corpInformation.aspx?id={entity_id}")
        return ResultList((_whole(record),) if record else ())

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a row."""
        record = candidate.record or self._open(session, candidate.handle["url"])
        if record is None:
            raise PageChanged(f"{candidate.entity_id} is listed, but has no record")
        return record

    def _past_wall(self, page: Page) -> Page:
        if _WALL in page.text:
            raise PortalBlocked(f"{page.url}: the portal asks visitors for their name")
        return page

    def _list(self, page: Page) -> ResultList:
        tree = page.html()
        grid = maybe(tree, "[id$='EntityGridView']")  # the table itself, or the box the CSS adapter puts around it
        total = _TOTAL.search(visible_text(tree))
        if total and total[1] == "0":
            return ResultList(())
        if grid is None:
            raise missing_result(page, "the list of results")
        rows = [row for row in select(grid, "tr") if row.xpath("./td[1]//a")]
        if not rows:
            raise PageChanged(f"{page.url}: a list without rows")
        complete = total is not None and int(total[1].replace(",", "")) <= len(rows)
        return ResultList(tuple(_candidate(row) for row in rows), complete)

    def _open(self, session: PortalSession, url: str) -> EntityRecord | None:
        page = self._past_wall(session.get(url))
        box = maybe(page.html(), "div#printDiv")
        if box is None:
            raise missing_result(page, "the record")
        if any("record not found" in text_of(cell).casefold() for cell in select(box, "dd")):
            return None
        lists = select(box, "dl", least=1, most=4)
        facts = Labels(_pairs(lists[0]))
        facts.ignore("Qualified Flag", "Name Type", "Duration", "Expiration Date")
        agent = Labels(_pairs(lists[1])) if len(lists) > 1 else Labels(())
        agent.ignore("Effective", "Effective Date")
        record = EntityRecord(
            entity_name=text_of(one(box, "h3")),
            entity_id=facts.one("Filing Number")[0],
            status=facts.one("Status")[0],
            entity_type=_first(facts.maybe("Corp type", "Corporation Type")),
            formation_date=_first(facts.maybe("Formation Date")),
            jurisdiction=_first(facts.maybe("Jurisdiction")),
            agent_name=_first(agent.maybe("Name")),
            agent_address=addresses.from_lines(
                [*(agent.maybe("Address") or []), *map(_joined, agent.maybe("City, State , ZipCode") or [])]
            ),
            sos_url=page.url,
        )
        note_unread([*facts.unread, *agent.unread], session)
        return record


def _whole(record: EntityRecord) -> Candidate:
    return Candidate.of(record)


def _pairs(box: HtmlElement) -> list[tuple[str, list[str]]]:
    """Terms and their values as lines; a status may carry a second one."""
    labels, values = box.xpath("./dt"), box.xpath("./dd")
    if len(labels) != len(values):
        raise PageChanged(f"{len(labels)} terms and {len(values)} values stand in one list")
    return [(text_of(a), lines_of(b) or [""]) for a, b in zip(labels, values, strict=True)]


def _first(lines: list[str] | None) -> str | None:
    return (lines[0] or None) if lines else None


def _joined(line: str) -> str:
    """ "TULSA, OK , 74103" as other registries write it."""
    return _CITY.sub(r"\1, \2 \3", line)


def _candidate(row: HtmlElement) -> Candidate:
    """Cells: filing number, name, type, and two words: the kind of name and its status."""
    cells = row.xpath("./td")
    if len(cells) < 4:
        raise PageChanged(f"a row has {len(cells)} cells, expected 4")
    words = [text_of(word) for word in select(cells[3], "span")]
    number = text_of(one(cells[0], "a"))
    url = f"{_HOME}corpInformation.aspx?id={number}"
    kind: NameKind = next((_KINDS[key] for word in words for key in _KINDS if word.casefold().startswith(key)), "legal")
    return Candidate(
        name=text_of(cells[1]), entity_id=number, entity_type=text_of(cells[2]) or None, name_kind=kind,
        status=words[-1] if words else None, handle={"url": url}, sos_url=url,
    )  # fmt: skip
