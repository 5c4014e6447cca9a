"""Delaware: Division of Corporations, General Information Name Search (ASP.NET WebForms).

Evidence: the form's fields, the list's post-back links, the ids of a detail and "No Records Found." from several
public clients that agree (gathered 2026-11). Guessed: that a list of fifty rows is cut. The page's terms forbid
automated tools, so the state is off until an operator turns it on. Gaps: Delaware shows no status, no officers and no
address but the agent's for free.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, is_domestic, listed, note_unread, text
from scrapers.parsing.html import maybe, missing_result, table_rows, text_of
from scrapers.parsing.lists import result_list
from scrapers.parsing.webforms import WebForm, post_backs, spans
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search.terms import NameSearch
from scrapers.transport.pace import Pace
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_SEARCH = "https://icis.corp.delaware.gov/Ecorp/EntitySearch/NameSearch.aspx"
_FIELD = "ctl00_ContentPlaceHolder1_lbl"
_COLUMNS = ("File Number", "Entity Name")
_NOTHING = re.compile(r"(?<!if )\bno records found\b", re.I)


class Delaware(Portal):
    """Department of State, Division of Corporations."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="assumed",
        narrow="starts_with",
        cap=50,
        cap_basis="assumed",
        evidence="Public clients read one list without pages; begins-with and fifty rows are background knowledge.",
    )
    code = "DE"
    hosts = ("icis.corp.delaware.gov",)
    sources = (_SEARCH,)
    id_pattern = r"\d{5,8}"
    capabilities = Capabilities(status=False, agent=True)
    published = frozenset(listed("entity_type | formation_date | jurisdiction | agent_name | agent_address"))
    paywalled = frozenset({"status"})
    pace = Pace(seconds=5.0, concurrency=1)
    terms = Terms("forbidden", robots="not known", note="The page forbids automated tools; a reCAPTCHA follows use.")
    off_reason = "The portal's terms forbid automated search."
    would_change = "The Division's permission; its open data has licenses alone, no entities."
    estimated_seconds = 12

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that begin with the term."""
        return self._ask(session, {"frmEntityName": term})

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """The whole name with its legal form, when too many begin like it."""
        return self._ask(session, {"frmEntityName": name})

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this file number."""
        return self._ask(session, {"frmFileNumber": entity_id})

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Follow the row's post-back: it works only with the state of the list page it stands on."""
        form = WebForm(session.pages[int(candidate.handle["page"])])
        return self.record(form.post_back(session, candidate.handle["target"]), session)

    def _ask(self, session: PortalSession, values: dict[str, str]) -> ResultList:
        page = WebForm(session.get(_SEARCH)).press(session, "btnSubmit", values)
        table = maybe(page.html(), "#tblResults")
        rows = table_rows(table, _COLUMNS) if table is not None and table.xpath(".//a") else []
        index = str(len(session.pages) - 1)
        found = [_candidate(row, page, index) for row in rows]
        return result_list(page, found, facts=self.name_search, nothing=_NOTHING)

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read the detail: every value has an id of its own."""
        labels = Labels(spans(page.html(), _FIELD).items())
        if labels.maybe("EntityName") is None:
            raise missing_result(page, "the entity's details")
        labels.ignore("AgentCounty", "AgentPhone", "Message", "ErrorMessage")
        kind, further = text(labels.one("EntityKind")), text(labels.one("EntityType"))
        record = EntityRecord(
            entity_name=labels.one("EntityName"),
            entity_id=labels.one("FileNumber"),
            entity_type=f"{kind} ({further})" if kind and further and further.casefold() != "general" else kind,
            formation_date=text(labels.one("IncDate")),
            jurisdiction=text(labels.one("State")),
            domestic=is_domestic(text(labels.one("Residency"))),
            agent_name=text(labels.one("AgentName")),
            agent_address=addresses.from_parts(
                labels.one("AgentAddress1"),
                labels.maybe("AgentAddress2"),
                city=labels.one("AgentCity"),
                state=labels.one("AgentState"),
                zip=labels.one("AgentPostalCode"),
            ),
            sos_url=_SEARCH,
        )
        note_unread(labels.unread, session)
        return record


def _candidate(row: dict[str, HtmlElement], page: Page, index: str) -> Candidate:
    number, name = (row[heading] for heading in _COLUMNS)
    links = post_backs(name)
    if len(links) != 1:
        raise missing_result(page, "a name that leads to its entity")
    return Candidate(
        name=text_of(name),
        entity_id=text_of(number),
        handle={"page": index, "target": links[0][0]},
        sos_url=_SEARCH,
    )
