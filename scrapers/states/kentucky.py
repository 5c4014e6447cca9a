"""Kentucky: Secretary of State, business search (ASP.NET WebForms) and lien search.

Evidence: documented by two public readers of the pages (2026-09), none recorded. Known: the form, the list's columns,
the sentence of an empty list, that one hit may open its profile at once, the profile's labels. The officers stand
behind a button in one of two layouts; both are read. Guessed: a list of 200 rows or more is taken as cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.name_rules import kentucky as name_check
from scrapers.normalize import types
from scrapers.parsing.cells import address_in, must_show, shown
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import maybe, missing_result, one, select, table_rows, text_of, visible_text
from scrapers.parsing.people import agent_in
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, NameCheck, Officer, Query, ResultList, UccFiling
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings, prefixes
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import kentucky as liens

_SEARCH = "https://sosbes.sos.ky.gov/BusSearchNProfile/search.aspx"
_NONE = re.compile(r"\bno matching organizations\b", flags=re.IGNORECASE)
_LISTED = listed("Name | Organization Number | Status | Type")
_IGNORED = listed(
    "Industry | Number of Employees | Primary County | Last Annual Report | Managed By | "
    "Management Type | Authorized Shares | Country | Expiration Date | Inactive Date | Former Company Name | "
    "Number of Members | Common No Par Shares | Minority Owned | Women Owned | Veteran Owned | File Date | "
    "Authority Date"
)


class Kentucky(Portal):
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
    sources = (_SEARCH, liens.URL)
    id_pattern = r"\d{4,7}(\.\d{2})?"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, ucc=True, ucc_date_filter=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | officers"
        )
    )
    statuses = meanings("Active | Inactive | Historical")
    status_prefixes = prefixes(  # the letter is the code; D and V are among the codes too, with no known words
        active="A -", dissolving="X -", inactive="I - | H -", name_only="C - | F -", pending="N - | K -"
    )
    own_name_check = "Kentucky's own name availability search"
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
            return ResultList((Candidate.of(self.record(page, session)),))
        table = maybe(tree, "#MainContent_gvSearchResults")
        if table is None:
            sentence = maybe(tree, "#MainContent_pNOSearchresults")
            if sentence is not None and _NONE.search(visible_text(sentence)):
                return ResultList(())
            raise missing_result(page, "list of organizations")
        rows = tuple(_candidate(row, page) for row in table_rows(table, _LISTED))
        if not rows:
            raise PageChanged("the list of organizations has no row")
        return ResultList(rows, complete=self.name_search.whole(len(rows)))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The same box takes an organization number; other rows are names that hold the digits."""
        found = self.search(session, entity_id).only(lambda shown: self.check_id(shown) == entity_id)
        if not found.candidates and not found.complete:
            raise PageChanged(f"the list for number {entity_id} is cut")
        return found

    def check_id(self, entity_id: str) -> str:
        """Seven digits, shown with or without leading zeros; a suffix of two digits tells branches apart."""
        number, dot, branch = super().check_id(entity_id).partition(".")
        return number.zfill(7) + dot + branch

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the profile, unless the search already did."""
        return candidate.record or self.record(session.get(candidate.handle["href"]), session)

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """The usual list, and the names that the registry's own search holds against this one."""
        usual = super().names_taken(session, name)
        count, rows = name_check.ask(session, name)
        return self.with_own_check(usual, rows, NameCheck(self.own_name_check, None, count))

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens by debtor, from a search of their own."""
        return liens.ask(session, query)

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read a profile, then press its button for the officers."""
        tree = page.html()
        info = maybe(tree, "#MainContent_pInfo")
        if info is None:
            raise missing_result(page, "profile")
        rows = select(info, "div.grid-row", least=4)
        labels = Labels((text_of(one(row, "div.grid-label")), one(row, "div.grid-value")) for row in rows)
        labels.ignore(*_IGNORED)
        company_type, profit = shown(labels.maybe("Company Type")), shown(labels.maybe("Profit or Non-Profit"))
        if company_type and types.to_class(profit) == "nonprofit_corporation":  # "KCO" is a corporation of either kind
            company_type = f"{company_type} ({profit})"
        agent_name, agent_address = agent_in(labels.maybe("Registered Agent"))
        record = EntityRecord(
            entity_name=must_show(labels, "Name", "Company Name"),
            entity_id=must_show(labels, "Organization Number"),
            status=shown(labels.one("Status")),
            standing=shown(labels.maybe("Standing")),
            entity_type=company_type,
            formation_date=shown(labels.maybe("Organization Date")) or shown(labels.maybe("File Date")),
            jurisdiction=shown(labels.maybe("State")),
            domestic=False if "foreign" in (company_type or "").casefold() else None,
            agent_name=agent_name,
            agent_address=agent_address,
            principal_address=address_in(labels.maybe("Principal Office")),
            officers=_officers(page, session, must_show(labels, "Organization Number")),
            sos_url=page.url if "ctr=" in page.url else _SEARCH,
        )
        note_unread(labels.unread, session)
        return record


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    """Name with its link, number, status, type."""
    href = page.link(one(row["Name"], "a").get("href") or "")
    if not parse_qs(urlsplit(href).query).get("ctr"):
        raise PageChanged(f"a row leads to {href!r}")
    name, number, status, kind = (text_of(row[heading]) for heading in _LISTED)
    bearing = types.name_kind(kind)
    if bearing == "legal" and status.startswith("F -"):
        bearing = "assumed"  # "F - Fictitious": a name, and no company
    elif status.startswith("C -"):
        bearing = "former"  # "C - Cross reference": it leads to another row
    return Candidate(name, number, status, kind or None, bearing, handle={"href": href}, sos_url=href)


def _officers(page: Page, session: PortalSession, number: str) -> tuple[Officer, ...]:
    """The current officers, where the profile has a button for them; that page may say whose they are."""
    if not page.html().xpath(".//*[@id='MainContent_BtnCurrent']"):
        return ()
    tree = WebForm(page).press(session, "BtnCurrent").html()
    rows = {text_of(one(row, "div.grid-label")): row for row in select(tree, "#MainContent_pInfo div.grid-row")}
    whose = rows.get("Organization Number")
    if whose is not None and text_of(one(whose, "div.grid-value")) != number:
        raise PageChanged(f"asked for the officers of {number}, the portal showed {text_of(whose)!r}")
    return tuple(Officer(name, title or None) for title, name in _officer_rows(tree) if name)


def _officer_rows(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    table = maybe(tree, "#MainContent_GvOff")
    panel = maybe(tree, "#MainContent_pcurrent")
    if table is not None:
        yield from ((text_of(row["Title"]), text_of(row["Officer"])) for row in table_rows(table, ("Title", "Officer")))
        return
    if panel is None:
        raise PageChanged("the button for the officers led to no list of them")
    rows = [tuple(map(text_of, select(row, ".panel-cell"))) for row in select(panel, ".panel-row", least=1)]
    for cells in rows:
        if len(cells) != 2 or rows[0] != ("Title", "Officer"):
            raise PageChanged(f"a row {cells} under the headings {rows[0]}")
        if cells != rows[0]:
            yield cells
