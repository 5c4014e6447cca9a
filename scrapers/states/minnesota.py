"""Minnesota: Secretary of State, Business and Lien System: two searches by GET (active, inactive), one page a record.

Evidence: labels and values of nine opened pages and their lists (2026-08-30), the markup of one summary (about 2022),
and public clients of the portal (element classes, the "no results" line). The list shows no file number: a row is told
apart by its key, and the number is on the opened page. Trademarks and name reservations are rows beside the companies.
Guessed: inactive status words beside "Inactive", and that a list of 500 is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.bulk_data.layouts import minnesota
from scrapers.failures import PageChanged
from scrapers.normalize import types
from scrapers.parsing.cells import address_in, must_show
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, table_rows, text_of
from scrapers.parsing.lists import empty_list
from scrapers.parsing.pairs import Pair, joined
from scrapers.parsing.people import agent_in, officer_in, refuse_unread
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Filing, NameKind, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOST = "https://mblsportal.sos.mn.gov"
_SEARCH = f"{_HOST}/Business/BusinessSearch"
_NONE = re.compile("no results match the criteria entered", re.IGNORECASE)
_NAMED = re.compile(r"(?!.*\b(?:consent|merger|exchange)\b).*?\(Business Name: (.+?)\)(?:$| \([A-Z ]+: )", re.I)
_NO_COMPANY = re.compile("name reservation|trademark|service mark", re.IGNORECASE)  # types that keep a name only
_OFFICERS = listed("Chief Executive Officer | Manager | President | Governor | Partner | General Partner")
_IGNORED = listed(
    "MN Statute | Renewal Due Date | Number of Shares | Mark Type | Home Business Name | Applicant | Renewal | "
    "Work Visa | Next Renewal Due Date | Comments | Last Renewal"
)


class Minnesota(Portal):
    """Secretary of State, Business and Lien System."""

    code, bulk_data = "MN", minnesota.BULK_DATA
    hosts, sources = ("mblsportal.sos.mn.gov",), (f"{_HOST}/Business/Search",)
    id_pattern = r"\d{12,13}|[0-9A-Z]{1,12}(-[0-9A-Z]{1,6})?"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, filings=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction | filings"
        )
    )
    statuses = meanings(
        "Active | Active / In Good Standing | Inactive | Dissolved | Administratively Terminated | "
        "Administratively Dissolved | Revoked | Withdrawn | Merged | Expired"
    )
    terms = Terms("unstated", note="Free form without captcha; one request a second was answered throughout.")
    verification, on_by_default = "documented", True
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        cap=500,
        cap_basis="assumed",
        evidence="Public clients, and lists of 2026-08: Type=BeginsWith, former names included.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Active and inactive filings are separate questions; both are asked, since either may be the one meant."""
        return self._both(session, {"BusinessName": term})

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The company with this number; a trademark or a reservation has one too, and is none."""
        found = self._both(session, {"FileNumber": entity_id})
        rows = (replace(row, entity_id=entity_id) for row in found.candidates if row.name_kind != "reserved")
        return ResultList(tuple(rows), found.complete)

    def _both(self, session: PortalSession, asked: dict[str, str]) -> ResultList:
        rows: list[Candidate] = []
        complete = True
        for status in ("Active", "Inactive"):
            page = session.get(
                _SEARCH, params={**asked, "IncludePriorNames": "True", "Status": status, "Type": "BeginsWith"}
            )
            found = _listed(page)
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
        filings, name = tuple(_history(tree)), text_of(one(tree, "div.business-name .navbar-brand"))
        called = [found[1] for filing in filings if (found := _NAMED.match(filing.title))]
        agents = [agent_in(lines)[0] for lines in labels.all("Registered Agent(s)") or labels.all("Registered Agent")]
        record = EntityRecord(
            entity_name=name,
            entity_id=must_show(labels, "File Number"),
            status=joined(labels.one("Status")),
            entity_type=joined(labels.one("Business Type")),
            formation_date=joined(labels.maybe("Filing Date")),
            jurisdiction=joined(labels.maybe("Home Jurisdiction")),
            agent_name="; ".join(filter(None, agents)) or None,
            agent_address=_address(labels, "Registered Office Address"),
            principal_address=_address(
                labels, "Principal Executive Office Address", "Principal Place of Business Address"
            ),
            mailing_address=_address(labels, "Mailing Address"),
            officers=tuple(_officers(labels)),
            former_names=tuple(dict.fromkeys(old for old in called if old != name)),
            filings=filings,
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _listed(page: Page) -> tuple[Candidate, ...]:
    table = maybe(page.html(), "table.table.selectable")
    rows = table.xpath(".//tr[.//strong]") if table is not None else []
    links = [a for row in rows for a in select(row, "a[href]", least=1) if "Details?filingGuid=" in a.get("href")]
    return tuple(_candidate(link, page) for link in links) or empty_list(page, _NONE).candidates


def _candidate(link: HtmlElement, page: Page) -> Candidate:
    row = next(link.iterancestors("tr"))
    facts = [text_of(span) for span in select(row, "small span") if text_of(span)]
    if len(facts) != 3:
        raise PageChanged(f"a row shows {facts}, expected status, type and kind of name")
    url = page.link(link.get("href") or "")
    return Candidate(
        name=text_of(one(row, "strong")),
        entity_id="",
        status=facts[0],
        entity_type=facts[1],
        name_kind="reserved" if _NO_COMPANY.search(facts[1]) else _kind(facts[2], facts[1]),
        handle={"url": url},
        sos_url=url,
    )


def _kind(shown: str, entity_type: str) -> NameKind:
    """The list says what a name is: "Minnesota Business Name", "Home Business Name", "Prior ...", "Assumed Name"."""
    word = shown.casefold()
    if word.startswith("prior"):
        return "former"
    if word.startswith("home"):
        return "foreign"
    own = types.name_kind(shown)  # an assumed name is a row of its own, of the type "Assumed Name"
    return own if own != "legal" else types.name_kind(entity_type)


def _pairs(summary: HtmlElement) -> Iterable[Pair]:
    """A term with each of its values: several agents or officers under one, each with its address in a further `dd`."""
    for group in select(summary, "dl", least=1):
        for term in group.xpath("./dt[1]"):
            values: list[list[str]] = []
            named = False
            for value in group.xpath("./dd"):
                places = value.xpath(".//address")
                where = [line for place in places for line in lines_of(place)]
                for place in places:
                    place.drop_tree()
                who = text_of(value)
                if where and named and not who:
                    values[-1] += where
                else:
                    values.append([who, *where])  # its address makes nobody's name
                named = bool(who) and not where
            yield from ((text_of(term), lines) for lines in values)


def _address(labels: Labels, *names: str) -> Address:
    return address_in(next((lines for name in names for lines in labels.all(name)), None))


def _officers(labels: Labels) -> Iterable[Officer]:
    return filter(None, (officer_in(lines, title) for title in _OFFICERS for lines in labels.all(title)))


def _history(tree: HtmlElement) -> Iterable[Filing]:
    tables = select(tree, "#tblOrderForm", most=1)
    refuse_unread((table for table in select(tree, "table") if table not in tables), "filing date", "effective date")
    for row in (row for table in tables for row in table_rows(table, ("Filing Date", "Filing"))):
        yield Filing(text_of(row["Filing Date"]) or None, text_of(row["Filing"]))
