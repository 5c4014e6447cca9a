"""sosnc.gov: a token from the search page, one POST for the list, one GET for a profile.

Source: a recorded result list and the recorded texts of two profiles (2026-10). The request fields come from public
clients of the portal; the markup of a profile (labels in bold spans, officials in a list) from their selectors.
"""

from __future__ import annotations

import re
from copy import deepcopy

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import hidden_inputs, lines_of, maybe, missing_result, select, text_of, visible_text
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

HOME = "https://www.sosnc.gov"
_FORM = f"{HOME}/online_services/search/by_title/search_Business_Registration"
_RESULTS = f"{HOME}/online_services/search/Business_Registration_Results"
_PROFILE = "/online_services/search/Business_Registration_profile/"
_FOUND = re.compile(r"Records Found:\s*([\d,]+)")
_ADDRESSES = ("mailing", "principal office", "registered office", "registered mailing", "reg office", "reg mailing")
_LABELS = frozenset(
    listed(
    "legal name | prev legal name | status | citizenship | state of incorporation | date formed | "
    "fiscal month | annual report due date | annual report status | registered agent | class | shares | "
    "par value"
)
)  # fmt: skip
_HEADINGS = ("return to top", "addresses", "officials", "company officials", "officers", "stock")
_NOTHING = {"not listed", "none", "n/a"}


class SosncPortal(Portal):
    """The search of business registrations."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="recorded",
        total_told=True,
        evidence="Recorded: the result page says Starting With and counts its records; one page is read.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose legal or previous name starts with the term."""
        return self._ask(session, kind="CORPORATION", text=term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row with this Secretary of State identification number."""
        return self._ask(session, kind="SOSID", text=entity_id)

    def _ask(self, session: PortalSession, *, kind: str, text: str) -> ResultList:
        page = session.get(_FORM)
        form = page.html()
        tokens = [box for box in select(form, "form") if "__RequestVerificationToken" in hidden_inputs(box)]
        if not tokens:
            raise missing_result(page, "the search form's token")
        answer = session.post(
            _RESULTS,
            form={
                "__RequestVerificationToken": hidden_inputs(tokens[0])["__RequestVerificationToken"],
                "CorpSearchType": kind, "EntityType": "ORGANIZATION", "Words": "STARTING", "SearchCriteria": text,
                "IndividualsSurname": "", "FirstPersonalName": "", "AdditionalNamesInitials": "",
            },
            headers={"Origin": HOME, "Referer": page.url},
        )  # fmt: skip
        return self.rows(answer, session)

    def rows(self, page: Page, session: PortalSession) -> ResultList:
        """Read a result page; the portal says how many it found, so a cut list is known to be one."""
        tree = page.html()
        found = _FOUND.search(visible_text(tree))
        if not found:
            raise missing_result(page, "the number of records found")
        count = int(found[1].replace(",", ""))
        if count == 0:
            return ResultList(())
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
        officers: list[Officer] = []
        lines: list[str] = []
        for section in sections:
            rest = deepcopy(section)
            officers += _officials(rest)
            lines += lines_of(rest)
        labels, blocks = _sorted_lines(lines)
        labels.ignore("Fiscal month", "Annual report due date", "Annual report status")
        labels.ignore("Class", "Shares", "Par value", "No par value")
        agent = labels.maybe("Registered agent")
        former = labels.all("Prev Legal name")
        record = EntityRecord(
            entity_name=labels.one("Legal name"),
            entity_id=labels.one("Secretary of State Identification Number (SOSID)", "Sosid"),
            status=labels.one("Status"),
            entity_type=entity_type,
            formation_date=labels.maybe("Date formed"),
            agent_name=None if (agent or "").casefold() in _NOTHING else agent,
            agent_address=blocks.get("registered office") or blocks.get("reg office") or Address(),
            principal_address=blocks.get("principal office", Address()),
            mailing_address=blocks.get("mailing", Address()),
            officers=tuple(officers),
            jurisdiction=labels.maybe("State of Incorporation"),
            domestic={"domestic": True, "foreign": False}.get(str(labels.maybe("Citizenship")).casefold()),
            former_names=tuple(former),
            sos_url=url,
        )
        note_unread(labels.unread, session)
        return record


def _candidates(box: HtmlElement, page: Page, session: PortalSession) -> list[Candidate]:
    """One row for the legal name, and one for each previous name the list shows."""
    pairs = [text_of(line).partition(":")[::2] for line in select(box, "div.para-small") if line.cssselect(".boldSpan")]
    labels = Labels((label, value.strip()) for label, value in pairs)
    labels.ignore("Date formed", "Citizenship")
    links = [a.get("href") or "" for a in select(box, "a") if (a.get("href") or "").startswith(_PROFILE)]
    if not links:
        raise PageChanged(f"a row of {page.url} has no link to its profile")
    entity_id, status = labels.one("Sosid"), labels.maybe("Status")
    url = page.link(links[0])
    names = [(labels.one("Legal name"), "legal"), *((name, "former") for name in labels.all("Prev Legal name"))]
    entity_type = labels.maybe("Business type")
    note_unread(labels.unread, session)
    return [
        Candidate(
            name=name, entity_id=entity_id, status=status, entity_type=entity_type,
            name_kind="former" if kind == "former" else "legal", handle={"profile": url}, sos_url=url,
        )
        for name, kind in names
    ]  # fmt: skip


def _officials(section: HtmlElement) -> list[Officer]:
    """Take the officials out of the section, so that their addresses are not read as the company's."""
    found = []
    for item in section.xpath(".//ul/li[.//span[contains(@class, 'boldSpan')]]"):
        name = maybe(item, "a")
        if name is None:
            raise PageChanged(f"an official without a name: {text_of(item)[:80]!r}")
        where = [line for box in select(item, "div.para-small") for line in lines_of(box)]
        title = text_of(select(item, "span.boldSpan", least=1)[0]).rstrip(" :")
        found.append(Officer(text_of(name), title or None, one_line(addresses.from_lines(where))))
        item.getparent().remove(item)
    return found


def _sorted_lines(lines: list[str]) -> tuple[Labels, dict[str, Address]]:
    """Tell "Label: value" lines from the address blocks, which follow a heading without colon."""
    pairs: list[tuple[str, str]] = []
    blocks: dict[str, list[str]] = {}
    block: list[str] | None = None
    for line in lines:
        heading = re.sub(r"\s*address$", "", line.casefold().rstrip(" :"))
        label, colon, value = line.partition(":")
        if heading in _ADDRESSES:
            block = blocks.setdefault(heading, [])
        elif colon and (block is None or label.casefold() in _LABELS):  # "ATTN: ..." stays a line of its address
            block = None
            pairs.append((label, value.strip()))
        elif heading in _HEADINGS:
            block = None
        elif block is not None:
            block.append(line)
        else:
            pairs.append((line, line))
    return Labels(pairs), {name: addresses.from_lines(rows) for name, rows in blocks.items()}
