"""Civix ASP.NET MVC: a search form, a grid of names, a page of labels behind each name.

Source: recorded form, grid and detail of Utah, recorded details of Virginia and New Hampshire; the requests from public
clients of Nevada, Georgia and Indiana. Pages of a grid are asked for by number; the grid says how many rows there are,
so a cut list is known to be one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal
from urllib.parse import urlencode

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import names, types
from scrapers.parsing.fields import Labels, is_domestic, listed, note_unread
from scrapers.parsing.html import hidden_inputs, maybe, missing_result, select, table_rows, text_of, visible_text
from scrapers.platforms.civix import links, sections
from scrapers.platforms.civix.sections import Markup, Sections, address, stated
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, NameKind, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

Mode = Literal["StartsWith", "Contains", "ExactMatch"]
_PAGES = 4
_COUNT = re.compile(r"Page\s+(\d+)\s+of\s+(\d+),\s*records\s+\d+\s+to\s+\d+\s+of\s+(\d+)")
_NOTHING = re.compile(r"(?<!if )\bno (?:data|records?|results?)(?: were| was)? (?:found|to view)", re.I)
_NAME_TYPES: Mapping[NameKind, str] = {
    "legal": "legal | legal name | entity name | series legal name",
    "foreign": "foreign legal name",
    "assumed": "fictitious name | alternate name | assumed name | assumed business name | trade name",
    "former": "former name | previous name | old name",
    "reserved": "reserved name | name reservation",
}
_NAME_KINDS: Mapping[str, NameKind] = {word: kind for kind, words in _NAME_TYPES.items() for word in listed(words)}
_FORMED = listed(
    "Formation Date | Date of Formation / Registration Date | Creation Date | Business Creation Date | "
    "VA Qualification Date"
)
_AGENT_PLACES = listed(
    "Registered Office Address | Street Address | Physical Address | Address | Registered Agent Address"
)
_AGENT_NAMES = ("Name", "Registered Agent Name", "Name of Individual or Legal Entity")
_NAMES = ("Entity Name", "Business Name")
_IDS = ("Entity Number", "Entity ID", "Business ID", "Control Number")
_TYPES, _OFFICES = ("Entity Type", "Business Type"), ("Address", "Principal Office Address")
_WANTED = {
    "entity": (_TYPES, _FORMED),
    "agent": (_AGENT_NAMES, _AGENT_PLACES),
    "office": (_OFFICES,),
    "places": (("Physical Address",), ("Mailing Address",)),
}
_FURTHER_NAMES: tuple[tuple[str, NameKind], ...] = (("other_name", "assumed"), ("previous_name", "former"))


@dataclass(frozen=True, slots=True)
class Columns:
    """Headings of the grid; `link` is the column that leads to the entity, empty ones are not in this host's grid."""

    name: str
    id: str
    status: str
    type: str
    link: str = ""
    name_kind: str = ""
    other_name: str = ""
    previous_name: str = ""


class CivixPortal(Portal):
    """The platform. A host states its addresses, its columns and what it sends."""

    name_search = NameSearch(
        mode="contains",
        mode_basis="documented",
        narrow="starts_with",
        says_total=True,
        pages=4,
        evidence="The forms' radios and what public clients send; the grid counts its records.",
    )
    home: ClassVar[str] = ""  # where cookies and the anti-forgery token come from
    results: ClassVar[str] = ""
    pager: ClassVar[str] = ""
    columns: ClassVar[Columns]
    grid: ClassVar[str] = "grid_businessList"
    markup: ClassVar[Markup]
    needs_token: ClassVar[bool] = False
    detail_url: ClassVar[str] = ""  # of an entity's page, where a row's link does not lead to it by itself
    link_attributes: ClassVar[tuple[str, ...]] = ()  # of a row's link, which the page's address is then made of
    officer_columns: ClassVar[tuple[str, str, str]] = ("Title", "Name", "Address")
    always: ClassVar[Mapping[str, Sequence[Sequence[str]]]] = {}  # of a company's page, by panel, where that is known
    ignored: ClassVar[tuple[str, ...]] = ()  # labels of any panel that are known and not wanted

    def question(self, *, name: str = "", entity_id: str = "", mode: Mode = "Contains") -> dict[str, str]:
        """The form of a search, as this host names its fields."""
        raise NotImplementedError

    def open(self, session: PortalSession, handle: Mapping[str, str]) -> Page:
        """Ask for the page behind a row."""
        return session.get(handle["url"], headers={"Referer": self.home})

    def handle(self, link: HtmlElement, page: Page) -> Mapping[str, str] | None:
        """What a row's link needs to be followed; None for rows that are no entity (trade marks)."""
        if self.link_attributes:
            return {"url": f"{self.detail_url}?{urlencode(links.attributes(link, page, self.link_attributes))}"}
        href = link.get("href") or ""
        if "BusinessInformation" not in href:
            raise PageChanged(f"{page.url}: a row leads to {href!r}")
        return {"url": page.link(href)}

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold the term, over the pages of the grid."""
        return self._ask(session, self.question(name=term))

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """Names that start with just this one, when too many hold it."""
        return self._ask(session, self.question(name=names.without_suffix(name), mode="StartsWith"))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this number."""
        found = self._ask(session, self.question(entity_id=entity_id))
        return found.only(entity_id.__eq__)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the page behind a row."""
        return candidate.record or self.record(self.open(session, candidate.handle), session)

    def _ask(self, session: PortalSession, form: dict[str, str]) -> ResultList:
        first = session.get(self.home)
        headers = {"Referer": self.home, "X-Requested-With": "XMLHttpRequest"}
        page = session.post(self.results, form=self._token(first) | form, headers=headers)
        if maybe(page.html(), "#btnConfirmLimit") is not None and maybe(page.html(), f"#{self.grid}") is None:
            return ResultList((), complete=False)  # "too many rows, go on?"
        rows, read, pages, total = self.rows(page, session)
        for number in range(2, min(pages, _PAGES) + 1):
            turned = {"undefined": "", "sortby": "", "stype": "a", "pidx": str(number)}  # "undefined" is theirs
            answer = session.post(self.pager, form=turned, headers=headers)
            more, count, _, _ = self.rows(answer, session, number=number)
            rows, read = rows + more, read + count
        return ResultList(tuple(rows), complete=read == total)

    def _token(self, page: Page) -> dict[str, str]:
        for form in page.html().xpath("//form | /html"):
            hidden = hidden_inputs(form)
            if "__RequestVerificationToken" in hidden:
                return {"__RequestVerificationToken": hidden["__RequestVerificationToken"]}
        if self.needs_token:
            raise missing_result(page, "the search form's token")
        return {}

    def rows(self, page: Page, session: PortalSession, *, number: int = 1) -> tuple[list[Candidate], int, int, int]:
        """The grid's page of this number: candidates, rows read, pages and rows in all."""
        tree = page.html()
        table = maybe(tree, f"#{self.grid}")
        headings = self._headings()
        lines = table_rows(table, headings) if table is not None else []
        shown = [row for row in lines if any(text_of(row[heading]) for heading in headings)]  # Utah's first one is bare
        count = _COUNT.search(" ".join(text_of(info) for info in select(tree, "li.pageinfo")))
        if not shown:
            if sections.is_entity(tree, self.markup, (_NAMES, _IDS)):
                raise PageChanged(f"{page.url}: an entity's page, which says of its own lists that there is nothing")
            if (count and count[3] == "0") or _NOTHING.search(visible_text(tree)):
                return [], 0, 0, 0
            raise missing_result(page, "the list of results")
        if not count:
            raise PageChanged(f"{page.url}: the list does not say how long it is")
        if int(count[1]) != number:
            raise PageChanged(f"{page.url}: asked for page {number}, the portal showed {count[0]!r}")
        found = [candidate for row in shown for candidate in self._candidates(row, page, session)]
        return found, len(shown), int(count[2]), int(count[3])

    def _headings(self) -> tuple[str, ...]:
        columns = self.columns
        needed = (columns.name, columns.id, columns.status, columns.type)
        further = (columns.name_kind, columns.other_name, columns.previous_name)
        return tuple(heading for heading in needed + further if heading)

    def _candidates(self, row: dict[str, HtmlElement], page: Page, session: PortalSession) -> list[Candidate]:
        columns = self.columns
        link = select(row[columns.link or columns.name], "a", least=1)[0]
        handle = self.handle(link, page)
        if handle is None:
            return []
        kind = self._name_kind(text_of(row[columns.name_kind]) if columns.name_kind else "", session)
        entity_type = text_of(row[columns.type])
        if "reservation" in entity_type.casefold():
            kind = "reserved"
        elif kind == "legal":
            kind = types.name_kind(entity_type)  # Utah's "Assumed Name (DBA)" is a row of its own
        shown = [(text_of(row[columns.name]), kind)]
        for heading, its_kind in _FURTHER_NAMES:
            column = getattr(columns, heading)
            further = stated(text_of(row[column])) if column else None
            if further:
                shown.append((further, its_kind))
        return [
            Candidate(
                name=name,
                entity_id=text_of(row[columns.id]),
                status=stated(text_of(row[columns.status])),
                entity_type=entity_type or None,
                name_kind=each,
                handle=handle,
                sos_url=handle.get("url", self.home),
            )
            for name, each in shown
        ]

    def _name_kind(self, shown: str, session: PortalSession) -> NameKind:
        kind = _NAME_KINDS.get(shown.casefold()) if shown else "legal"
        if kind is None:
            note_unread([f"name type {shown!r}"], session)
            return "assumed"  # surely not proven to be the legal name
        return kind

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read the page of an entity."""
        tree = page.html()
        found = sections.read(tree, self.markup)
        entity, agent = found.entity, found.agent
        for labels in found.about.values():
            labels.ignore(*self.ignored)
        agent.ignore("Entity Number", "Status")  # the agent's own, where it is a registered company
        if entity.maybe(*_NAMES) is None:
            raise missing_result(page, "the entity's details")
        domestic, jurisdiction = _formed(entity)
        record = EntityRecord(
            entity_name=_text(entity, *_NAMES),
            entity_id=entity.one(*_IDS),
            entity_type=stated(entity.maybe(*_TYPES)),
            status=stated(_text(entity, "Entity Status", "Business Status")),
            standing=stated(entity.maybe("Entity Status Details", "Reason for Status")),
            formation_date=stated(entity.maybe(*_FORMED)),
            jurisdiction=jurisdiction,
            domestic=domestic,
            agent_name=stated(agent.maybe(*_AGENT_NAMES)),
            agent_address=address(agent.maybe(*_AGENT_PLACES)),
            principal_address=self.principal_place(found),
            mailing_address=address(found.places.maybe("Mailing Address") or entity.maybe("Mailing Address")),
            officers=self.officers(tree),
            sos_url=page.url if "businessid=" in page.url.casefold() else self.home,
        )
        sections.refuse_renamed(found, _WANTED)
        if types.name_kind(record.entity_type) == "legal":  # a trade name has no agent
            sections.refuse_missing(found, self.always)
        note_unread([*found.unread, *_further_principals(tree)], session)
        return record

    def principal_place(self, found: Sections) -> Address:
        """The principal office, in whichever panel the host shows it."""
        shown = found.office.maybe(*_OFFICES) or found.places.maybe("Physical Address")
        return address(shown or found.entity.maybe("Principal Office Address", "Principal Address"))

    def officers(self, tree: HtmlElement) -> tuple[Officer, ...]:
        """The list of principals."""
        return sections.officers(tree, self.officer_columns)


def _further_principals(tree: HtmlElement) -> list[str]:
    """What the pager of the list of principals has beyond its first page, which is all that a detail holds."""
    pagers = tree.xpath(
        "//li[contains(@class, 'pageinfo')]"
        "[(preceding::table | ancestor::table)[.//th][last()][@id = 'grid_principalList']]"
    )
    counts = [count for pager in pagers if (count := _COUNT.search(text_of(pager)))]
    return [f"principals beyond page {count[1]} of {count[2]}" for count in counts if count[1] != count[2]]


def _text(entity: Labels, *names: str) -> str:
    """What stands under a label that every entity has; PageChanged where that is nothing."""
    value = str(entity.one(*names))
    if not value:
        raise PageChanged(f"nothing stands under {' / '.join(names)}")
    return value


def _formed(entity: Labels) -> tuple[bool | None, str | None]:
    """Domestic or foreign where the page says it, and the state of formation; one label may hold both."""
    both = stated(entity.maybe("Citizenship / State of Formation"))
    if both and "/" in both:
        citizenship, _, state = both.partition("/")
        return is_domestic(citizenship), stated(state.strip())
    return None, stated(entity.maybe("Jurisdiction", "State of Formation", "Jurisdiction of Formation"))
