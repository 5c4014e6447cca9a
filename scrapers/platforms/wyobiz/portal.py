"""FilingSearch: a form with view state, a list, and a filing page of elements named by what they hold.

Source: South Dakota's recorded search form (2026-10); lists and filing pages as public clients of both states read
them (documented). Each state has its own list; the filing page is the same but for its documents, which South Dakota
shows in a table, and for parties, which it does not show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import ClassVar

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, dates
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, note_unread
from scrapers.parsing.html import lines_of, missing_result, one, select, text_of
from scrapers.parsing.webforms import WebForm
from scrapers.platforms.wyobiz import lists
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_PARTY = re.compile(r"(?P<name>.*?)\s*\((?P<role>[^()]*)\)")
_ORGANIZATION = re.compile(r"organization\s*:\s*(.*)", re.IGNORECASE)
_ALWAYS = ({"txtStatus"}, {"txtFilingType", "txtSubType"}, {"txtInitialDate"})  # on the page of each filing
_STANDINGS = listed("txtStanding | txtStandingRA | txtStandingOther")  # of its tax, of its agent
_IGNORED = frozenset(
    listed(
        "txtSubStatus | txtSubType | txtDuration | txtInactiveDate | txtAgentAddressMail | txtOptional1 | "
        "txtARDueDate | txtFilingName | txtTerm | txtLatestAR | txtARExempt | txtTaxPaid | txtEffectiveDate | "
        "txtPurposeCode"
    )
)


class WyoBizPortal(Portal):
    """One state's FilingSearch; a state names its address, its fields and how its list is read."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        evidence=(
            "The form's switch (South Dakota's is recorded) between starts-with and includes; several pages "
            "count as cut."
        ),
    )
    home: ClassVar[str] = ""
    prefix: ClassVar[str] = ""  # of the ids on a filing page, where they have one
    name_field: ClassVar[str] = ""
    id_field: ClassVar[str] = ""
    button: ClassVar[str] = ""  # the search button, where it is one
    link: ClassVar[str] = ""  # its post-back, where it is a link
    layout: ClassVar[lists.Layout] = "items"

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that start with the term."""
        return self._ask(session, {self.name_field: term, "searchOpt": "chkSearchStartWith"})

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The filing with this number."""
        return self._ask(session, {self.id_field: entity_id})

    def _ask(self, session: PortalSession, values: dict[str, str]) -> ResultList:
        form = WebForm(session.get(f"{self.home}FilingSearch.aspx"))
        page = form.post_back(session, self.link, "", values) if self.link else form.press(session, self.button, values)
        found = lists.READERS[self.layout](page)
        return replace(found, complete=found.complete and self.name_search.whole(len(found.candidates)))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open a filing."""
        page = session.get(candidate.handle["url"], headers={"Referer": f"{self.home}FilingSearch.aspx"})
        tree = page.html()
        shown = _fields(page, self.prefix)
        used: set[str] = set()

        def text(*names: str) -> str | None:
            used.update(names)
            return next((text_of(shown[name]) for name in names if name in shown and text_of(shown[name])), None)

        def place(*names: str) -> Address:
            used.update(names)
            return next((addresses.from_lines(lines_of(shown[name])) for name in names if name in shown), Address())

        name, number = text("txtFilingName2", "txtName"), text("txtFilingNum", "txtBusinessID")
        if not name or not number:
            raise PageChanged(f"{page.url}: a filing without name or number")
        record = EntityRecord(
            entity_name=name,
            entity_id=number,
            status=text("txtStatus"),
            standing=self.worst_standing([word for each in _STANDINGS if (word := text(each))]),
            entity_type=text("txtFilingType", "txtSubType"),
            formation_date=text("txtInitialDate"),
            jurisdiction=text("txtFormation"),
            agent_name=text("txtAgentName"),
            agent_address=place("txtAgentAddress"),
            principal_address=place("txtOfficeAddresss", "txtOfficeAddress"),
            mailing_address=place("txtMailAddress"),
            officers=tuple(_parties(tree)) if self.layout == "items" else (),
            filings=tuple(_HISTORIES[self.layout](one(tree, "[id$='divHistorySummary']"))),
            sos_url=page.url,
        )
        left = {key for key, element in shown.items() if text_of(element)} - used - _IGNORED
        note_unread(left, session)
        return record


def _fields(page: Page, prefix: str) -> dict[str, HtmlElement]:
    """The elements of the page by the names in their ids; an error of the page without those of each filing."""
    found = page.html().xpath("//*[starts-with(@id, $prefix)]", prefix=f"{prefix}txt")
    shown = {element.get("id").removeprefix(prefix): element for element in found}
    if not shown:
        raise missing_result(page, "the filing")
    for each in _ALWAYS:
        if not shown.keys() & each:
            raise PageChanged(f"{page.url}: none of {sorted(each)} on the page")
    return shown


def _parties(tree: HtmlElement) -> Iterable[Officer]:
    """Name and role ("Casey Sample (Organizer)") of each party, its organization where nobody is named, the address."""
    box = one(tree, "#divParties")
    rows = select(box, "li.rowRegular, li.rowAlt")
    if len(rows) != len(select(box, "li")):
        raise PageChanged("the parties of a filing stand otherwise")
    for row in rows:
        who, organization, where = (one(row, f".resHist{number}") for number in (1, 2, 3))
        found, behind = _PARTY.fullmatch(text_of(who)), _ORGANIZATION.fullmatch(text_of(organization))
        if not found or not behind or not (found["name"] or behind[1]):
            raise PageChanged(f"a party without a name and a role: {text_of(row)[:80]!r}")
        lines = [_without_label("Address", line) for line in lines_of(where)]
        yield Officer(found["name"] or behind[1], found["role"] or None, one_line(addresses.from_lines(lines)))


def _items(history: HtmlElement) -> Iterable[Filing]:
    boxes = select(history, ".fhContainer")
    if text_of(history) and not boxes:
        raise PageChanged(f"the history of a filing stands otherwise: {text_of(history)[:80]!r}")
    for box in boxes:
        if title := text_of(one(box, ".fhRef")):
            yield Filing(_without_label("Date", text_of(one(box, ".fhDate"))) or None, title)


def _rows(history: HtmlElement) -> Iterable[Filing]:
    """Rows of a document, its day, and a link to its image; the first one holds the headings."""
    rows = [row.xpath("./th | ./td") for row in select(history, "tr")]
    if text_of(history) and not rows:
        raise PageChanged(f"the history of a filing stands otherwise: {text_of(history)[:80]!r}")
    for cells in (row for row in rows[1:] if any(map(text_of, row))):
        words = [text_of(cell) for cell in cells if not cell.xpath(".//a")]
        days = [word for word in words if dates.to_date(word)]
        titles = [word for word in words if word and word not in days]
        if len(cells) != 3 or len(days) != 1 or len(titles) != 1:
            raise PageChanged(f"a document without title or day: {words}")
        yield Filing(days[0], titles[0])


_HISTORIES: dict[lists.Layout, Callable[[HtmlElement], Iterable[Filing]]] = {"items": _items, "table": _rows}


def _without_label(label: str, text: str) -> str:
    """A text without the label that stands before it: "Date: 03/14/2019"."""
    return re.sub(rf"^{label}\b\s*:?\s*", "", text, flags=re.IGNORECASE)
