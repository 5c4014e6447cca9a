"""Kentucky: Secretary of State, business search (ASP.NET WebForms) and lien search.

Evidence: documented by two public readers of the pages (2026-09), none recorded. Known: the form, the list's columns,
the sentence of an empty list, that one hit may open its profile at once, the profile's labels. The officers stand
behind a button in one of two layouts; both are read. Guessed: a list of 200 rows or more is taken as cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.name_rules.kentucky import KentuckyNames
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import body_rows, lines_of, maybe, missing_result, one, select, text_of
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc.kentucky import KentuckyLiens

_SEARCH = "https://sosbes.sos.ky.gov/BusSearchNProfile/search.aspx"
_NONE = re.compile(r"\bno matching organizations\b", flags=re.IGNORECASE)
_IGNORED = (
    "Profit or Non-Profit",
    "Industry",
    "Number of Employees",
    "Primary County",
    "Last Annual Report",
    "Managed By",
    "Management Type",
    "Authorized Shares",
    "Country",
    "Expiration Date",
    "Inactive Date",
    "Former Company Name",
    "Number of Members",
    "Common No Par Shares",
    "Minority Owned",
    "Women Owned",
    "Veteran Owned",
)


class Kentucky(KentuckyNames, KentuckyLiens):
    """Secretary of State, Business Filings."""

    name_search = NameSearch(
        mode="unknown",
        cap=200,
        cap_basis="assumed",
        evidence=(
            "Public clients: the form and the list; guides for people say it ignores punctuation and takes "
            "the first letters."
        ),
    )
    code = "KY"
    hosts = ("sosbes.sos.ky.gov", "web.sos.ky.gov")
    sources = (_SEARCH, "https://web.sos.ky.gov/ftucc/search.aspx")
    id_pattern = r"\d{4,7}(\.\d{2})?"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, ucc=True, ucc_date_filter=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | officers"
        )
    )
    statuses = meanings(
        active="A - Active | Active",
        warning="X - Pending dissolution",
        inactive="I - Inactive | Inactive | H - Historical | Historical",
        neutral="C - Cross reference | F - Fictitious | N - New/Name",
    )
    bad_standings = frozenset({"b - bad", "bad"})
    pace = Pace(seconds=1.5, concurrency=1)
    terms = Terms("unstated", robots="not known")
    on_by_default = True
    estimated_seconds = 6

    def search(self, session: PortalSession, term: str) -> ResultList:
        """The form, filled in; a single hit may lead straight to its profile."""
        form = WebForm(session.get(_SEARCH))
        values = {"txtSearch": term, "ddlSearchBy": "Business Name or Organization Number"}
        page = form.press(session, "BSearch", values)
        tree = page.html()
        if maybe(tree, "#MainContent_pInfo") is not None:
            record = self.record(page, session)
            row = Candidate.of(record)
            return ResultList((row,))
        table = maybe(tree, "#MainContent_gvSearchResults")
        if table is None:
            said = maybe(tree, "#MainContent_pNOSearchresults")
            if said is not None and _NONE.search(text_of(said)):
                return ResultList(())
            raise missing_result(page, "list of organizations")
        rows = tuple(_candidate(row, page) for row in body_rows(table))
        if not rows:
            raise PageChanged("the list of organizations has no row")
        return ResultList(rows, complete=self.name_search.whole(len(rows)))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The same box takes an organization number; other rows are names that hold the digits."""
        found = self.search(session, entity_id)
        rows = tuple(row for row in found.candidates if self.check_id(row.entity_id) == entity_id)
        if not rows and not found.complete:
            raise PageChanged(f"the list for number {entity_id} is cut")
        return replace(found, candidates=rows)

    def check_id(self, entity_id: str) -> str:
        """Seven digits, shown with or without leading zeros; a suffix of two digits tells branches apart."""
        number, dot, branch = super().check_id(entity_id).partition(".")
        return number.zfill(7) + dot + branch

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the profile, unless the search already did."""
        if candidate.record is not None:
            return candidate.record
        return self.record(session.get(candidate.handle["href"]), session)

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read a profile, then press its button for the officers."""
        tree = page.html()
        info = maybe(tree, "#MainContent_pInfo")
        if info is None:
            raise missing_result(page, "profile")
        cells = {
            text_of(one(row, "div.grid-label")): one(row, "div.grid-value")
            for row in select(info, "div.grid-row", least=4)
        }
        labels = Labels((label, text_of(cell) or None) for label, cell in cells.items())
        company_type = labels.maybe("Company Type")
        agent = lines_of(cells["Registered Agent"]) if labels.maybe("Registered Agent") else []
        record = EntityRecord(
            entity_name=labels.one("Name", "Company Name"),
            entity_id=labels.one("Organization Number"),
            status=labels.one("Status"),
            standing=labels.maybe("Standing"),
            entity_type=company_type,
            formation_date=labels.maybe("Organization Date") or labels.maybe("File Date"),
            jurisdiction=labels.maybe("State"),
            domestic=False if "foreign" in (company_type or "").casefold() else None,
            agent_name=agent[0] if agent else None,
            agent_address=addresses.from_lines(agent[1:]),
            principal_address=_lines(cells.get("Principal Office"), labels.maybe("Principal Office")),
            officers=_officers(page, session),
            sos_url=page.url if "ctr=" in page.url else _SEARCH,
        )
        labels.ignore("File Date", "Authority Date", *_IGNORED)
        note_unread(labels.unread, session)
        return record


def _candidate(row: HtmlElement, page: Page) -> Candidate:
    """Name with its link, number, status, type: the four cells of a row."""
    cells = row.xpath("./td")
    link = one(cells[0], "a")
    href = page.link(link.get("href") or "")
    if len(cells) != 4 or not parse_qs(urlsplit(href).query).get("ctr"):
        raise PageChanged(f"a row has {len(cells)} cells, and leads to {href!r}")
    name, number, status, kind = (text_of(cell) for cell in cells)
    return Candidate(name, number, status, kind or None, handle={"href": href}, sos_url=href)


def _lines(cell: HtmlElement | None, shown: str | None) -> Address:
    return addresses.from_lines(lines_of(cell)) if cell is not None and shown else Address()


def _officers(page: Page, session: PortalSession) -> tuple[Officer, ...]:
    """The current officers, where the profile has a button for them."""
    if not page.html().xpath(".//*[@id='MainContent_BtnCurrent']"):
        return ()
    tree = WebForm(page).press(session, "BtnCurrent").html()
    return tuple(Officer(name, title or None) for title, name in _officer_rows(tree) if name)


def _officer_rows(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    table = maybe(tree, "#MainContent_GvOff")
    panel = maybe(tree, "#MainContent_pcurrent")
    if table is not None:
        rows = [row.xpath("./td") for row in body_rows(table)]
    elif panel is not None:
        rows = [row.cssselect(".panel-cell") for row in select(panel, ".panel-row", least=1)[1:]]
    else:
        raise PageChanged("the button for the officers led to no list of them")
    for cells in rows:
        if len(cells) != 2:
            raise PageChanged(f"an officer has {len(cells)} cells")
        yield text_of(cells[0]), text_of(cells[1])
