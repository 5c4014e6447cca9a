"""Alaska: Division of Corporations, Business and Professional Licensing.

Evidence: the published file's columns; of the live search its box, that rows link to "EntityDetail/<number>", and the
names its labels are `for` (public clients of 2020 to 2025). Guessed: the headings of the live list, how its addresses
break, and the words of an empty result. The live search asks for a reCAPTCHA, and the host turns many addresses away
(DataDome), the file's too. Gap: the live page's agent is not described.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.bulk_data.layouts import alaska
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, listed, note_unread, text
from scrapers.parsing.html import hidden_inputs, missing_result, offers_next, select, text_of, visible_text
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOST = "https://www.commerce.alaska.gov"
_SEARCH = f"{_HOST}/cbp/main/search/entities"
_NUMBER = re.compile(r"/EntityDetail/(\d{2,8}[A-Z]?)\b", re.I)
_NOTHING = re.compile(r"(?<!if )\bno (?:records?|results?|entities|matches) (?:(?:was|were) )?found\b", re.I)
_NAMES = ("Legal Name", "Entity Name", "Name")
_OTHER = re.compile(r"\b(?:assumed|previous|former)\b", re.I)


class Alaska(Portal):
    """Division of Corporations, Business and Professional Licensing."""

    code, bulk_data = "AK", alaska.BULK_DATA
    name_search = NameSearch(mode="unknown", evidence="Only the search box is known, from public clients.")
    hosts = ("www.commerce.alaska.gov",)
    sources = (_SEARCH, alaska.BULK_DATA.url)
    id_pattern = r"\d{2,8}[A-Z]?"
    capabilities = Capabilities(agent=True, addresses=True, assumed_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address"
        )
    )
    statuses = meanings(
        "Good Standing | Active - Non Compliant | Non-Compliant | Non Compliant | Involuntarily Dissolved | "
        "Voluntarily Dissolved | Withdrawn | Revoked | Merged | Converted | Consolidated | Expired | Dissolved | "
        "Active Name | Reserved | Active Name/Reserved"
    )
    terms = Terms("unstated", robots="answers 403", note="The register is published as a file for anybody.")
    off_reason = "The search asks for a captcha (reCAPTCHA) behind a bot wall (DataDome)."
    would_change = (
        "A loaded copy of the published register: its host turns some addresses away, so another may have to fetch it."
    )
    estimated_seconds = 5

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Fill the search page's own form in."""
        page = session.get(_SEARCH)
        forms = [form for form in select(page.html(), "form") if select(form, "#EntityName")]
        if len(forms) != 1:
            raise missing_result(page, "the search form")
        box = select(forms[0], "#EntityName", least=1, most=1)[0].get("name") or "EntityName"
        sent = hidden_inputs(forms[0]) | {box: term}
        url, headers = page.link(forms[0].get("action") or _SEARCH), {"Referer": page.url}
        if (forms[0].get("method") or "get").casefold() == "post":
            return self.rows(session.post(url, form=sent, headers=headers))
        return self.rows(session.get(url, params=sent, headers=headers))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity's page, opened by its number."""
        record = self.record(session.get(alaska.DETAIL + entity_id, headers={"Referer": _SEARCH}), session)
        return ResultList((Candidate.of(record),))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Follow the row's link."""
        if candidate.record is not None:
            return candidate.record
        return self.record(session.get(candidate.handle["url"], headers={"Referer": _SEARCH}), session)

    def rows(self, page: Page) -> ResultList:
        """The list: each row holds a link to its entity, and cells named by `data-th`."""
        tree = page.html()
        rows = [row for row in select(tree, "table.deptGridView tr") if row.xpath("./td")]
        if not rows:
            if _NOTHING.search(visible_text(tree)):
                return ResultList(())
            raise missing_result(page, "the list of results")
        return ResultList(
            tuple(_candidate(row, page) for row in rows),
            complete=self.name_search.whole(len(rows)) and not offers_next(tree),
        )

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read an entity's page: `dt` labels named by what they are for, names in a table."""
        tree = page.html()
        labels = Labels(
            (label.get("for"), text_of(value))
            for label in select(tree, "dt label[for]")
            if (value := label.getparent().getnext()) is not None and value.tag == "dd"
        )
        names = [text_of(cell) for cell in select(tree, "table.deptGridView td[data-th='Name']")]
        if not names or labels.maybe("EntityNumber") is None:
            raise missing_result(page, "the entity's details")
        if _OTHER.search(" ".join(map(text_of, select(tree, "table.deptGridView td[data-th='Type']")[:1]))):
            raise PageChanged(f"{page.url}: no legal name stands before {names[0]!r}")
        labels.ignore("DurationExpirationDate", "HomeCountry", "NextBrDueDate")
        record = EntityRecord(
            entity_name=names[0],
            entity_id=labels.one("EntityNumber"),
            entity_type=text(labels.maybe("EntityType")),
            status=text(labels.one("Status")),
            formation_date=text(labels.maybe("AkFormedDate")),
            jurisdiction=text(labels.maybe("HomeState")),
            principal_address=addresses.from_text(labels.maybe("EntityPhysicalAddress")),
            mailing_address=addresses.from_text(labels.maybe("EntityMailingAddress")),
            assumed_names=tuple(names[1:]),
            sos_url=page.url,
        )
        note_unread(labels.unread, session)
        return record


def _candidate(row: HtmlElement, page: Page) -> Candidate:
    cells = {cell.get("data-th") or "": text_of(cell) for cell in row.xpath("./td")}
    links = [a for a in select(row, "a[href]") if _NUMBER.search(a.get("href") or "")]
    if not links:
        raise PageChanged(f"{page.url}: a row leads to no entity")
    found = _NUMBER.search(links[0].get("href") or "")
    assert found is not None
    named = [cells[heading] for heading in _NAMES if cells.get(heading)]
    if not named:
        raise PageChanged(f"{page.url}: a row has no name among {sorted(cells)}")
    url = page.link(links[0].get("href"))
    return Candidate(
        name=named[0],
        entity_id=found[1].upper(),
        status=cells.get("Status") or None,
        entity_type=cells.get("Entity Type") or None,
        handle={"url": url},
        sos_url=url,
    )
