"""Illinois: Secretary of State, Business Entity Search (JSP).

Evidence: the form's fields, the rows' transaction ids, the detail's labels and the walls (a reset connection; a page
titled "Challenge Validation") from public descriptions (2026). Guessed: the list's heading words, the words of an empty
result, and that a detail's label stands in bold before its value. Gaps: the tables of officers, managers and earlier
names have unknown columns, so they are not read. The database's terms allow individual searches, not bulk use.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.bulk_data.layouts import illinois
from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import (
    lines_of,
    maybe,
    missing_result,
    offers_next,
    select,
    table_rows,
    text_of,
    visible_text,
)
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_HOME = "https://apps.ilsos.gov/businessentitysearch/"
_ACTION = f"{_HOME}businessentitysearch"
_LONGEST = 30
_NOTHING = re.compile(  # not "no results can be found at this time", which a page says that is being maintained
    r"(?<!if )\bno (?:records?|results?|match(?:es)?|entit(?:y|ies))\b(?:(?!\b(?:can|could)\b)[^.]){0,30}\bfound\b",
    re.I,
)
_TABLES = listed("#sortManagers | #officers | #fileHistory | #sortAssumed | #sortOldLlcNames | #oldCorpName")
_EMPTY = {"", "not applicable", "n/a", "none"}
_IGNORED = listed(
    "Agent Change Date | Annual Report Filing Date | For Year | Duration | Duration Date | Type of Corp | Type of LLC"
)


class Illinois(Portal):
    """Secretary of State, Department of Business Services."""

    code, bulk_data = "IL", illinois.BULK_DATA
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="public",
        longest=30,
        longest_basis="documented",
        evidence=(
            "Public clients: the form takes thirty characters; guides name keyword and partial searches "
            "beside this one."
        ),
    )
    hosts = ("apps.ilsos.gov", "www.ilsos.gov")
    sources = (_HOME,)
    id_pattern = r"\d{8}|S\d{6}"
    capabilities = Capabilities(agent=True, addresses=True)
    published = frozenset(
        listed("entity_type | status | formation_date | jurisdiction | agent_name | agent_address | principal_address")
    )
    statuses = meanings(
        "Active | Goodstanding | Good Standing | Reinstated | Intent to Dissolve | Not Good Standing | NGS | "
        "Delinquent | Unacceptable Payment | Agent Vacated | Involuntary Dissolution | Voluntary Dissolution | "
        "Voluntary Dissolution/Terminated | Dissolved | Administratively Dissolved | Merged | Consolidated | "
        "Merged/Consolidated | Converted | Domesticated | Redomesticated | Revoked | Withdrawn | Expired | Suspended | "
        "Void | Registered Name Expiration | Registered Name Cancellation | Bankruptcy | Special Act Corporation | "
        "Ag-Coop | Hold"
    )
    terms = Terms("unstated", robots="not known", note="Open to individual searches; bulk use is forbidden.")
    off_reason = "The search stands behind a bot wall (Akamai) that refuses plain clients."
    would_change = "A loaded copy of the published files, once the office has agreed to their use in bulk."
    estimated_seconds = 5

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that begin with the term, of which the form takes thirty characters."""
        return self._ask(session, method="s", value=term[:_LONGEST])

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this file number."""
        found = self._ask(session, method="f", value=entity_id)
        return found.only(entity_id.__eq__)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the row by its transaction id."""
        form = {
            "command": "entitySearch",
            "method": "getDetails",
            "transId": candidate.handle["transId"],
            "resultspage": "",
            "searchValue": "",
            "sortTable_length": "100",
        }
        return self.record(session.post(_ACTION, form=form, headers={"Referer": _ACTION}), session)

    def _ask(self, session: PortalSession, *, method: str, value: str) -> ResultList:
        session.get(_HOME)
        form = {
            "command": "entitySearch",
            "method": "search",
            "searchMethod": method,
            "searchValue": value,
            "maLastName": "",
            "maFirstName": "",
            "maMiddleIni": "",
            "maBusinessName": "",
            "btnSearch": "Submit",
        }
        page = session.post(_ACTION, form=form, headers={"Referer": _HOME})
        tree = page.html()
        table = maybe(tree, "#sortTable")
        found = table_rows(table, ("File Number", "Entity Name", "Status")) if table is not None else []
        if not found:
            if _NOTHING.search(visible_text(tree)):
                return ResultList(())
            raise missing_result(page, "the list of results")
        return ResultList(
            tuple(_candidate(row, page) for row in found),
            complete=self.name_search.whole(len(found)) and not offers_next(tree),
        )

    def record(self, page: Page, session: PortalSession) -> EntityRecord:
        """Read a detail; what stands in tables is told as unread."""
        tree = page.html()
        labels = Labels(_pairs(tree))
        if labels.maybe("Entity Name") is None:
            raise missing_result(page, "the entity's details")
        labels.ignore(*_IGNORED)
        agent = labels.maybe("Agent Information") or []
        record = EntityRecord(
            entity_name=_line(labels.one("Entity Name")) or "",
            entity_id=_line(labels.one("File Number")) or "",
            entity_type=_line(labels.maybe("Entity Type")),
            status=_line(labels.one("Status")),
            formation_date=_line(labels.maybe("Org. Date/Admission Date", "Incorporation Date", "Org. Date")),
            jurisdiction=_line(labels.maybe("Jurisdiction", "State")),
            agent_name=agent[0] if agent else None,
            agent_address=addresses.from_lines(agent[1:]),
            principal_address=addresses.from_lines(labels.maybe("Principal Office", "Principal Address") or ()),
            sos_url=_HOME,
        )
        tables = [f"table {css}" for css in _TABLES if select(tree, f"{css} td")]
        note_unread([*labels.unread, *tables], session)
        return record


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    keys = [str(cell.get("id")) for cell in row.values() if cell.get("id")]
    if len(keys) != 1:
        raise missing_result(page, "a row's transaction id")
    return Candidate(
        name=text_of(row["Entity Name"]),
        entity_id=text_of(row["File Number"]),
        status=text_of(row["Status"]) or None,
        handle={"transId": keys[0]},
        sos_url=_HOME,
    )


def _pairs(tree: HtmlElement) -> list[tuple[str, list[str]]]:
    """Label in bold, value in the column after it."""
    found = []
    for column in select(tree, "div.display-details div[class*='col-']"):
        value = column.getnext()
        if column.xpath("./b") and value is not None:
            found.append((text_of(column), [line for line in lines_of(value) if line.casefold() not in _EMPTY]))
    return found


def _line(lines: list[str] | None) -> str | None:
    return " ".join(lines) if lines else None
