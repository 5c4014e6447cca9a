"""North Carolina: Secretary of State, Business Registration.

Evidence: a recorded result list and the texts of two recorded profiles (2026-10). The request (a token from the search
page, one POST for the list, one GET for a profile) comes from public clients of the portal, the markup of a profile
(labels in bold spans, officials in a list) from their selectors. Guessed: the markup around the recorded texts, the way
to a second page (a list longer than one page counts as cut), and the words of the status table that neither recording
nor public client shows.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.normalize.placeholders import stated
from scrapers.parsing.blocks import pairs_and_addresses
from scrapers.parsing.fields import Labels, is_domestic, listed, note_unread
from scrapers.parsing.html import form_token, lines_of, maybe, missing_result, select, text_of, visible_text
from scrapers.parsing.lists import counted_none, find_count
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://www.sosnc.gov"
_SERVICES = "/online_services/search"
_FORM = f"{_HOME}{_SERVICES}/by_title/search_Business_Registration"
_RESULTS = f"{_HOME}{_SERVICES}/Business_Registration_Results"
_PROFILE = f"{_SERVICES}/Business_Registration_profile/"
_QUESTION = {
    "EntityType": "ORGANIZATION",
    "Words": "STARTING",
    "IndividualsSurname": "",
    "FirstPersonalName": "",
    "AdditionalNamesInitials": "",
}
_FOUND = re.compile(r"Records Found:\s*([\d,]+)")
_ADDRESSES = listed("mailing | principal office | registered office | registered mailing | reg office | reg mailing")
_LABELS = listed(
    "legal name | prev legal name | status | citizenship | state of incorporation | date formed | fiscal month | "
    "annual report due date | annual report status | registered agent | class | shares | par value"
)
_HEADINGS = listed("return to top | addresses | officials | company officials | officers | stock")
_IGNORED = listed(
    "Fiscal month | Annual report due date | Annual report status | Class | Shares | Par value | No par value"
)


class NorthCarolina(Portal):
    """Secretary of State, Business Registration."""

    code = "NC"
    hosts = ("www.sosnc.gov",)
    sources = (f"{_HOME}{_SERVICES}/by_title/_Business_Registration",)
    id_pattern = r"\d{1,7}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction"
        )
    )
    statuses = meanings(
        "Current-Active | Current - Active | Active/Failure to Pay Fee | Dissolved | Admin. Dissolved | "
        "Auto Dissolve | Revoked | Suspended | Withdrawn | Merged | Converted | Cancelled | Expired | Multiple | "
        "Pending | Reserved"
    )
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="recorded",
        says_total=True,
        evidence="Recorded: the result page says Starting With and counts its records; one page is read.",
    )
    pace, estimated_seconds = Pace(seconds=5.0, concurrency=1), 15
    terms = Terms("forbidden", robots="not found (404)", note="Automated or scripted searches are not permitted.")
    verification, on_by_default = "recorded", False
    off_reason = "The portal's terms forbid automated search."
    would_change = "The office's permission, or its Data Subscription with its layout."

    def check_id(self, entity_id: str) -> str:
        """Seven digits: "0000021" is the registry's own, of which callers leave the leading zeros out."""
        return super().check_id(entity_id).zfill(7)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose legal or previous name starts with the term."""
        return self._ask(session, "CORPORATION", term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row with this Secretary of State identification number."""
        return self._ask(session, "SOSID", entity_id)

    def _ask(self, session: PortalSession, kind: str, text: str) -> ResultList:
        page = session.get(_FORM)
        question = form_token(page) | _QUESTION | {"CorpSearchType": kind, "SearchCriteria": text}
        return self.rows(session.post(_RESULTS, form=question, headers={"Origin": _HOME, "Referer": page.url}), session)

    def rows(self, page: Page, session: PortalSession) -> ResultList:
        """Read a result page; the portal says how many it found, so a cut list is known to be one."""
        tree = page.html()
        count = find_count(_FOUND, visible_text(tree))
        if count is None:
            raise missing_result(page, "the number of records found")
        if count == 0:
            return counted_none(page, "#resultsSection div.searchAccordion__content")
        section = maybe(tree, "#resultsSection")
        if section is None:
            raise missing_result(page, "the list of results")
        boxes = select(section, "div.searchAccordion__content", least=1)
        candidates = [row for box in boxes for row in _candidates(box, page, session)]
        return ResultList(tuple(candidates), complete=len(boxes) == count)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the profile; the type stands only in the list."""
        page = session.get(candidate.handle["profile"])
        sections = select(page.html(), "section.usa-section--singleEntry")
        if not sections:
            raise missing_result(page, "the profile")
        return self.profile(sections, url=page.url, entity_type=candidate.entity_type, session=session)

    def profile(
        self, sections: list[HtmlElement], *, url: str, entity_type: str | None, session: PortalSession
    ) -> EntityRecord:
        """Read a profile: labelled lines, address blocks under their headings, officials in a list."""
        sections = [deepcopy(section) for section in sections]
        officers = tuple(officer for section in sections for officer in _officials(section))
        lines = [line for section in sections for line in lines_of(section)]
        labels, blocks = pairs_and_addresses(lines, labels=_LABELS, addressed=_ADDRESSES, headings=_HEADINGS)
        labels.ignore(*_IGNORED)
        record = EntityRecord(
            entity_name=labels.one("Legal name"),
            entity_id=labels.one("Secretary of State Identification Number (SOSID)", "Sosid"),
            status=labels.one("Status"),
            entity_type=entity_type,
            formation_date=labels.maybe("Date formed"),
            agent_name=stated(labels.maybe("Registered agent")),
            agent_address=blocks.get("registered office") or blocks.get("reg office") or Address(),
            principal_address=blocks.get("principal office", Address()),
            mailing_address=blocks.get("mailing", Address()),
            officers=officers,
            jurisdiction=labels.maybe("State of Incorporation"),
            domestic=is_domestic(labels.maybe("Citizenship")),
            former_names=tuple(filter(None, labels.all("Prev Legal name"))),
            sos_url=url,
        )
        note_unread(labels.unread, session)
        return record


def _candidates(box: HtmlElement, page: Page, session: PortalSession) -> list[Candidate]:
    """One row for the legal name, and one for each previous name the list shows."""
    pairs = [text_of(line).partition(":")[::2] for line in select(box, "div.para-small") if select(line, ".boldSpan")]
    labels = Labels((label, value.strip()) for label, value in pairs)
    labels.ignore("Date formed", "Citizenship", "State of Incorporation")
    links = [a.get("href") or "" for a in select(box, "a") if (a.get("href") or "").startswith(_PROFILE)]
    if not links:
        raise PageChanged(f"a row of {page.url} has no link to its profile")
    url = page.link(links[0])
    row = Candidate(
        name=labels.one("Legal name"),
        entity_id=labels.one("Sosid"),
        status=labels.maybe("Status"),
        entity_type=labels.maybe("Business type"),
        handle={"profile": url},
        sos_url=url,
    )
    former = [replace(row, name=name, name_kind="former") for name in labels.all("Prev Legal name") if name]
    note_unread(labels.unread, session)
    return [row, *former]


def _officials(section: HtmlElement) -> list[Officer]:
    """Take the officials out of the section, so that their addresses are not read as the company's."""
    found = []
    for item in section.xpath(".//ul/li[.//span[contains(@class, 'boldSpan')]]"):
        name = maybe(item, "a")
        if name is None:
            raise PageChanged(f"an official without a name: {text_of(item)[:80]!r}")
        where = [line for box in select(item, "div.para-small") for line in lines_of(box)]
        if not where and any(sign.isdigit() for line in lines_of(item)[1:] for sign in line):
            raise PageChanged(f"an official's address stands otherwise: {text_of(item)[:80]!r}")
        title = text_of(select(item, "span.boldSpan", least=1)[0]).rstrip(" :")
        found.append(Officer(text_of(name), title or None, one_line(addresses.from_lines(where))))
        item.getparent().remove(item)
    return found
