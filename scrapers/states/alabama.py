"""Alabama: Secretary of State, Business Entity Records (IBM i CGI, server HTML).

Evidence: the search form's fields (the same ones by GET are said to find nothing), five columns of 25 rows a page, the
"Next" link, the labels of a detail and "No matches found" from public clients that still worked in 2026. Guessed: the
list's heading words, and how people of a section are labelled ("Member Name", "Member Street Address"). The portal
counts accesses: past its limit it says so in one sentence, which reads as rate_limited here.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.cells import must_show
from scrapers.parsing.fields import Labels, fold, listed, note_unread
from scrapers.parsing.html import maybe, missing_result, select, table_rows, text_of, visible_text
from scrapers.parsing.lists import empty_list
from scrapers.parsing.pairs import Pair, joined
from scrapers.parsing.people import labeled_officers
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Filing, NameKind, Query, ResultList, UccFiling
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import alabama as liens

_HOST = "https://arc-sos.state.al.us"
_DETAIL = f"{_HOST}/cgi/corpdetail.mbr/detail"
_PAGES, _FULL = 4, 25
_NAME = "td.aiSosDetailHead"
_IGNORED = listed(
    "Dissolved Date | Merged Date | Merged Into | Nature of Business | Doing Business in AL Since | "
    "Capital Authorized | Capital Paid In | Registered Office Mailing Address | Qualify Date"
)
_RENAMED = re.compile(r"Legal Name Changed From: (.+)", re.I)
_CITY = re.compile(r"^([^,\d]+), ([A-Z]{2})$")
_PERSON = re.compile(
    r"^(Organizer|Member|Manager|Director|Incorporator|Officer|President|Secretary|Treasurer|Partner|General Partner)s?"
    r" (Name|Street Address|Mailing Address)$",
    re.I,
)
_KINDS: dict[str, NameKind] = {"previous name": "former", "name reservation": "reserved"}


class Alabama(Portal):
    """Secretary of State, Business Services."""

    name_search = NameSearch(
        mode="unknown",
        cap=100,
        cap_basis="assumed",
        page_rows=25,
        pages=4,
        evidence="Public clients: 25 rows a page and a Next link; how it compares is not told.",
    )
    code = "AL"
    hosts = ("arc-sos.state.al.us",)
    sources = (f"{_HOST}/CGI/CORPNAME.MBR/INPUT", liens.URL)
    id_pattern = r"\d{3}\s*-\s*\d{3}\s*-\s*\d{3}|\d{6,9}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True, ucc=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction"
        )
    )
    statuses = meanings(
        "Exists | Dissolved | Merged | Withdrawn | Revoked | Cancelled | Consolidated | Previous Name | "
        "Name Reservation"
    )
    pace = Pace(seconds=2.0, concurrency=1)
    terms = Terms("unstated", robots="allows the entity records", note="Accesses from one address are counted.")
    on_by_default = True
    estimated_seconds = 6

    def check_id(self, entity_id: str) -> str:
        """ "000 - 012 - 345", with zeros or without them, is one number of nine digits."""
        return re.sub(r"\D", "", super().check_id(entity_id)).zfill(9)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold the term; the list's own "Next" leads on."""
        form = {"search": term, "type": "ALL", "place": "ALL", "city": "", "stat": "ALL"}
        page = session.post(f"{_HOST}/cgi/corpname.mbr/output", form=form, headers={"Referer": self.sources[0]})
        found: list[Candidate] = []
        for number in range(1, _PAGES + 1):
            rows, following = self.rows(page)
            if number > 1 and not rows:
                raise PageChanged(f"{page.url}: page {number} of the list has no row")
            found += rows
            if following is None:  # a full page that ends without "Next" may have lost it
                return ResultList(tuple(found), complete=len(rows) < _FULL)
            if number < _PAGES:
                page = session.get(following, headers={"Referer": page.url})
        return ResultList(tuple(found), complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this number, opened at once."""
        page = session.get(_DETAIL, params={"page": "number", "corp": entity_id})
        if not select(page.html(), _NAME) and liens.NOTHING.search(visible_text(page.html())):
            return ResultList(())
        return ResultList((Candidate.of(self.record(page, session)),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the row's own link."""
        return candidate.record or self.record(session.get(candidate.handle["url"]), session)

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens on a debtor, from the UCC search of the same host."""
        return liens.ask(session, query)

    def rows(self, page: Page) -> tuple[list[Candidate], str | None]:
        """One page of the list and the address of the next."""
        tree = liens.read(page)
        table = maybe(tree, "div.views-element-container table")
        if table is None or not table.xpath(".//td/a"):
            return list(empty_list(page, liens.NOTHING).candidates), None
        shown = table_rows(table, ("Entity ID", "Entity Name", "Type", "Status"))
        forward = [a for a in select(tree, "a.cgiPageLink") if text_of(a).casefold().startswith("next")]
        return [_candidate(row, page) for row in shown], page.link(forward[0].get("href")) if forward else None

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read a detail: pairs of cells, people under their headings."""
        tree = liens.read(page)
        heads = select(tree, _NAME)
        details = liens.details_of(tree)
        if not heads or not details:
            raise missing_result(page, "the entity's details")
        officers, rest = labeled_officers(details, _PERSON)
        rest, filings = _transactions(rest)
        labels = Labels(rest)
        labels.ignore(*_IGNORED)
        record = EntityRecord(
            entity_name=text_of(heads[0]),
            entity_id=self.check_id(must_show(labels, "Entity ID Number")),
            entity_type=joined(labels.one("Entity Type")),
            status=joined(labels.one("Status")),
            formation_date=joined(labels.maybe("Formation Date")) or joined(labels.maybe("Qualify Date")),
            jurisdiction=joined(labels.maybe("Place of Formation")),
            agent_name=joined(labels.maybe("Registered Agent Name")),
            agent_address=_place(labels.maybe("Registered Office Street Address")),
            principal_address=_place(labels.maybe("Principal Address")),
            mailing_address=_place(labels.maybe("Principal Mailing Address")),
            officers=officers,
            former_names=tuple(found[1] for item in filings if (found := _RENAMED.match(item.title))),
            filings=filings,
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    link = select(row["Entity Name"], "a", least=1)[0]
    status = text_of(row["Status"])
    url = page.link(link.get("href"))
    return Candidate(
        name=text_of(row["Entity Name"]),
        entity_id=re.sub(r"\D", "", text_of(row["Entity ID"])).zfill(9),
        status=status or None,
        entity_type=text_of(row["Type"]) or None,
        name_kind=_KINDS.get(status.casefold(), "legal"),
        handle={"url": url},
        sos_url=url,
    )


def _transactions(details: list[Pair]) -> tuple[list[Pair], tuple[Filing, ...]]:
    """Take the history out: after each "Transaction Date" the next row says what happened, and no later one does."""
    filings: list[Filing] = []
    rest = []
    date: str | None = None
    for label, lines in details:
        if fold(label) == "transaction date":
            date = joined(lines)
        elif date is not None:
            filings.append(Filing(date, f"{label}: {joined(lines)}" if lines else label))
            date = None
        else:
            rest.append((label, lines))
    return rest, tuple(filings)


def _place(lines: list[str] | None) -> Address:
    """Some principal addresses are a city and a state alone: "MOBILE, AL"."""
    alone = _CITY.match(lines[0]) if lines and len(lines) == 1 else None
    return Address(city=alone[1], state=alone[2]) if alone else addresses.from_lines(lines or ())
