"""Iowa: Secretary of State, Business Entities: a form, a list with one row for each name, a page of small tables.

Evidence: a recorded row of the published file; of the live search ids of the form's controls, its button, the list's
columns, and the detail's layout (a row of headings above a row of values; the agent's and the office's tables follow a
heading of their own) from public clients of 2023 to 2026. Guessed: the words of an empty result, of a tab without
officers, and that a list longer than one page shows its further pages as links. Officers stand behind a tab, whose
address is taken from the page's own link.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from scrapers.bulk_data.layouts import iowa
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import Labels, listed, note_unread, text
from scrapers.parsing.html import maybe, missing_result, offers_next, select, table_rows, text_of, visible_text
from scrapers.parsing.webforms import WebForm
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, NameKind, Officer, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import StatusMeaning, meanings
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_SEARCH = "https://sos.iowa.gov/search/business/Search.aspx"
_NOTHING = re.compile(
    r"(?<!if )\bno (?:records?|results?|match(?:es)?|business(?:es)?) (?:(?:was|were) )?found\b", re.I
)
_NO_OFFICERS = re.compile(r"\bno officers?\b(?!.{0,40}\b(?:load|display|retriev|available))", re.I)
_KINDS: dict[str, NameKind] = {"legal": "legal", "fictitious": "assumed", "foreign": "foreign", "reserved": "reserved"}
_TOPICS = {"agent": "agent", "principal office": "office", "names": "names"}


class Iowa(Portal):
    """Secretary of State, Business Services."""

    code, bulk_data = "IA", iowa.BULK_DATA
    name_search = NameSearch(
        mode="unknown", evidence="The page does not say whether names begin with the text or hold it."
    )
    hosts = ("sos.iowa.gov", "idh-be.iowa.gov")
    sources = (_SEARCH, "https://data.iowa.gov/catalog/dataset/554")
    id_pattern = r"\d{1,7}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, former_names=True, assumed_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | officers"
        )
    )
    statuses = meanings("Active | Inactive")
    coverage, implied_status = "active_only", StatusMeaning("active", "listed_in_active_register")
    terms = Terms("unstated", robots="not known", note="The register is open data (CC BY 4.0); the search is walled.")
    verification = "recorded"
    off_reason = "The search stands behind a bot wall (Akamai) that refuses plain clients."
    would_change = "A loaded copy of the published register, which has active entities alone."
    estimated_seconds = 6

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that begin with, or hold, the term: the page does not say which."""
        return self._ask(session, radio="searchName", box="txtName", value=term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The entity with this business number."""
        return self._ask(session, radio="searchBiz", box="txtNumber", value=entity_id)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the summary, and the tab of officers when the page leads to one."""
        page = session.get(candidate.handle["url"], headers={"Referer": _SEARCH})
        tabs = [a for a in select(page.html(), "a") if text_of(a) == "Officers" or "officers.aspx" in a.get("href", "")]
        links = [page.link(a.get("href") or "") for a in tabs]
        officers = _read_officers(session.get(links[0], headers={"Referer": page.url})) if links else ()
        return self.record(page, session, officers=officers)

    def _ask(self, session: PortalSession, *, radio: str, box: str, value: str) -> ResultList:
        form = WebForm(session.get(_SEARCH))
        choice = maybe(form.tree, f"input#{radio}")
        if choice is None:
            raise PageChanged(f"{_SEARCH}: no choice {radio!r}")
        values = {choice.get("name"): choice.get("value") or "on", box: value}
        page = form.press(session, "btnNumber", values)
        return self.rows(page)

    def rows(self, page: Page) -> ResultList:
        """The list: one row for each name."""
        tree = page.html()
        tables = select(tree, "#mainArticle > table")
        if not tables:
            area = maybe(tree, "#mainArticle")
            if area is not None and _NOTHING.search(visible_text(area)):
                return ResultList(())
            raise missing_result(page, "the list of results")
        found = table_rows(tables[0], ("Business No.", "Name", "Status", "Type"))
        if not found:
            raise PageChanged(f"{page.url}: a list without rows, and no line that there are none")
        return ResultList(
            tuple(_candidate(row, page) for row in found),
            complete=self.name_search.whole(len(found)) and not offers_next(tree),
        )

    def record(self, page: Page, session: PortalSession, *, officers: tuple[Officer, ...] = ()) -> EntityRecord:
        """Read a summary."""
        sections = _sections(page.html())
        entity, agent, office = (sections.get(name, Labels(())) for name in ("entity", "agent", "office"))
        if not entity.maybe("Legal Name") or not entity.maybe("Status"):  # without one it would read as active
            raise missing_result(page, "the entity's summary")
        entity.ignore(*listed("Modified | Expiration Date | Effective Date | Chapter/Code | Chapter"))
        agent.ignore("Type", "Status")
        office.ignore("Type", "Status", "Full Name")
        names = sections.get("names", Labels(()))
        names.ignore("Modified")
        kinds, stands, shown = map(names.all, ("Type", "Status", "Name"))
        if not len(kinds) == len(stands) == len(shown):
            raise PageChanged(f"{len(shown)} names have {len(kinds)} types and {len(stands)} statuses")
        rows = zip(kinds, stands, shown, strict=True)
        further = [(_KINDS.get(kind.casefold()), status.casefold(), name) for kind, status, name in rows]
        record = EntityRecord(
            entity_name=entity.one("Legal Name"),
            entity_id=entity.one("Business No."),
            entity_type=text(entity.maybe("Type")),
            status=text(entity.one("Status")),
            formation_date=text(entity.maybe("Filing Date")),
            jurisdiction=text(entity.maybe("State of Inc.")),
            agent_name=text(agent.maybe("Full Name", "Name")),
            agent_address=_place(agent),
            principal_address=_place(office),
            officers=officers,
            former_names=tuple(n for kind, _, n in further if kind == "legal" and n and n != entity.one("Legal Name")),
            assumed_names=tuple(n for kind, status, n in further if kind == "assumed" and n and status != "inactive"),
            sos_url=_SEARCH,
        )
        strange = [f"a name that is {kind}" for kind in kinds if kind.casefold() not in _KINDS]
        note_unread([*strange, *(label for labels in sections.values() for label in labels.unread)], session)
        return record


def _read_officers(page: Page) -> tuple[Officer, ...]:
    """The tab of officers: a table, or a sentence that there are none; the links to it stand on every tab."""
    tree = page.html()
    if not (tables := select(tree, "#mainArticle table")):
        if not any(_NO_OFFICERS.search(visible_text(area)) for area in select(tree, "#mainArticle")):
            raise missing_result(page, "the tab of officers")
        return ()
    columns = ("Name", "Address1", "City", "State", "Zip", "Type")
    rows = table_rows(tables[-1], columns, optional=("Address2",))
    shown = [{heading: text_of(cell) for heading, cell in row.items()} for row in rows]
    return tuple(_officer(row) for row in shown if row["Name"])


def _officer(row: dict[str, str]) -> Officer:
    lines = (row["Address1"], row.get("Address2"))
    where = addresses.from_parts(*lines, city=row["City"], state=row["State"], zip=row["Zip"])
    return Officer(row["Name"], row["Type"] or None, one_line(where))


def _candidate(row: dict[str, HtmlElement], page: Page) -> Candidate:
    link = select(row["Business No."], "a", least=1)[0]
    href = link.get("href") or ""
    if "summary.aspx" not in href.casefold():
        raise PageChanged(f"{page.url}: a row leads to {href!r}")
    return Candidate(
        name=text_of(row["Name"]),
        entity_id=text_of(row["Business No."]),
        status=text_of(row["Status"]) or None,
        name_kind=_KINDS.get(text_of(row["Type"]).casefold(), "assumed"),  # only "Legal" is surely the legal name
        handle={"url": page.link(href)},
        sos_url=page.link(href),
    )


def _sections(tree: HtmlElement) -> dict[str, Labels]:
    """Headings above values, table by table, under the heading that stands before the table."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for table in select(tree, "#mainArticle table"):
        topic = _topic(table)
        heads: list[str] = []
        for row in table.xpath("./tr | ./*/tr"):
            if row.xpath("./th"):
                heads = [text_of(cell) for cell in row.xpath("./th | ./td")]
            elif len(row.xpath("./td")) == len(heads):
                pairs.setdefault(topic, []).extend(zip(heads, map(text_of, row.xpath("./td")), strict=True))
            elif text_of(row):
                raise PageChanged(f"values {text_of(row)[:60]!r} do not fit the headings {heads}")
    return {topic: Labels(found) for topic, found in pairs.items()}


def _topic(table: HtmlElement) -> str:
    before = table.xpath("./preceding::h2[1]")
    heading = text_of(before[0]).casefold() if before else ""
    return next((topic for mark, topic in _TOPICS.items() if mark in heading), "entity")


def _place(labels: Labels) -> Address:
    lines = (labels.maybe("Address"), labels.maybe("Address 2"), labels.maybe("City, State, Zip"))
    return addresses.from_lines(lines)
