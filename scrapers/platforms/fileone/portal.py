"""FileOne, first generation: POST a name, get all rows at once as an object, open one by its internal id.

Source: recorded answers of North Dakota (2024), Idaho and California (2026), and what clients of these states send.
Every row is an entity of its own, assumed names included. The list has no pages; a cap of 500 rows is assumed (not
seen), so a list that long counts as cut. A name that fits nothing is answered with an empty `rows` object alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from scrapers.failures import PageChanged
from scrapers.normalize import dates, types
from scrapers.parsing.fields import (
    Labels,
    fold,
    listed,
    need,
    need_list,
    need_number,
    need_object,
    need_text,
    note_unread,
    refuse_renamed,
    text,
)
from scrapers.platforms.fileone import drawer, history, questions
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Filing, Officer, ResultList, check_names
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search.terms import NameSearch
from scrapers.transport.session import PortalSession

Row = Mapping[str, Any]
_COLUMNS = frozenset(listed("SORT_INDEX | TITLE | ID | FILING_DATE | RECORD_NUM | STATUS | STANDING | AGENT | ALERT"))
_TITLE = re.compile(r"(?P<name>.+?)\s*\((?P<number>[A-Z]{0,2}\d{4,13})\)")
_TOKEN = re.compile(r"\d{48}")  # what California writes in the place of a record's number since 2026: no number
_DBA = re.compile(r"(?P<legal>.+?)\s*\(\s*d/?b/?a\s+(?P<assumed>.+?)\s*\)", re.IGNORECASE)


class FileOnePortal(Portal):
    """One state's host. A state adds the body its search wants and the labels its drawer shows beyond these."""

    name_search = NameSearch(
        mode="contains",
        mode_basis="documented",
        narrow="starts_with",
        cap=500,
        cap_basis="assumed",
        evidence=(
            "Public clients: a switch tells contains from starts-with; the whole list comes at once, no cap was seen."
        ),
    )
    host: ClassVar[str] = ""
    primed: ClassVar[bool] = False  # whether a host wants its page opened first, for the cookies
    published: ClassVar[frozenset[str]] = frozenset(
        listed(
            "status | entity_type | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | jurisdiction"
        )
    )
    columns: ClassVar[frozenset[str]] = frozenset()  # columns of this state beside the platform's
    ignored: ClassVar[tuple[str, ...]] = ()  # labels of the drawer that are known and not wanted
    agent_kinds: ClassVar[frozenset[str]] = frozenset({"commercial", "noncommercial", "non-commercial"})
    type_labels: ClassVar[tuple[str, ...]] = ("Filing Type",)
    status_labels: ClassVar[tuple[str, ...]] = ("Status",)
    standing_labels: ClassVar[tuple[str, ...]] = ()  # each with one office that may find something owed
    agent_labels: ClassVar[tuple[str, ...]] = ("Registered Agent", "Commercial Registered Agent")
    former_labels: ClassVar[tuple[str, ...]] = ()
    assumed_labels: ClassVar[tuple[str, ...]] = ()
    numbered: ClassVar[bool] = False  # whether a row's name is followed by its number: "ACME, LLC (5577637)"
    headed_agent: ClassVar[bool] = False  # whether an agent's block always begins with its kind: "Individual"
    twice: ClassVar[Mapping[str, str]] = {}  # columns of the list by the labels under which the drawer says the same
    type_key: ClassVar[str] = ""  # the column of the entity type, where it does not stand under the name
    status_key: ClassVar[str] = "STATUS"
    standing_key: ClassVar[str] = "STANDING"

    # The state's differences

    def question(self, term: str, *, starts_with: bool) -> dict[str, Any]:
        """The body of a search; other states want more keys."""
        return questions.switch(term, starts_with=starts_with)

    def officers(self, labels: Labels) -> tuple[Officer, ...]:
        """The people a drawer shows; most states show none."""
        return ()

    # The three moves

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Entities with the term anywhere in the name."""
        return self._list(session, self.question(term, starts_with=False))

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Names that begin with just this one."""
        return self._list(session, self.question(name, starts_with=True))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The search box takes numbers too, and then may list names that hold the number."""
        found = self._list(session, self.question(entity_id, starts_with=False))
        found = found.only(lambda shown: self._is_number(shown, entity_id))
        if not found.candidates and not found.complete:
            raise QueryRefused(Refusal.TOO_MANY_NUMBERS)
        return replace(found, complete=True)

    def _is_number(self, shown: str, wanted: str) -> bool:
        try:
            return self.check_id(shown) == wanted
        except QueryRefused:
            return False  # a row of another kind of registration

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """Open the drawer of a row; the name stands in the row only."""
        labels = self.open(session, candidate)
        record = self.record(candidate, labels)
        self.refuse_another(candidate, record, labels)
        note_unread(labels.unread, session)
        return replace(record, filings=self.filed(session, record)) if self.capabilities.filings else record

    def refuse_another(self, row: Candidate, record: EntityRecord, labels: Labels) -> None:
        """PageChanged where a drawer, which does not say whose it is, contradicts the row that it was opened from."""
        shown = [(row.handle[label], drawer.line(labels.maybe(label))) for label in self.twice]
        unlike = [pair for pair in shown if len({dates.to_iso(word) or fold(word) for word in pair if word}) > 1]
        if unlike or self.contradictions(row, record):
            raise PageChanged(f"opened {row.name!r}, the portal showed the drawer of another company: {unlike}")

    def filed(self, session: PortalSession, record: EntityRecord) -> tuple[Filing, ...]:
        """The documents on a company's file (one request)."""
        asked = {"host": self.host, "section": "business", "number": record.entity_id}
        return history.filings(history.ask(session, headers=self.headers("business"), **asked))

    def open(self, session: PortalSession, candidate: Candidate) -> Labels:
        """The drawer of one row."""
        return drawer.read(
            session.get(
                f"https://{self.host}/api/FilingDetail/business/{candidate.handle['id']}/false",
                headers=self.headers("business"),
            )
        )

    def record(self, row: Candidate, labels: Labels) -> EntityRecord:
        """Read the drawer; what it does not show stays None."""
        agent, agent_address = self.agent(labels)
        labels.ignore(*self.ignored)
        standings = [drawer.line(labels.maybe(label)) for label in self.standing_labels]
        assumed = [row.handle["assumed"], *(name for label in self.assumed_labels for name in _lines(labels, label))]
        return EntityRecord(
            entity_name=row.handle["name"],
            entity_id=row.entity_id,
            entity_type=drawer.line(labels.one(*self.type_labels)),
            status=drawer.line(labels.one(*self.status_labels)),
            standing=self.worst_standing(list(filter(None, (row.handle.get("standing"), *standings)))),
            formation_date=drawer.line(labels.maybe("Initial Filing Date", "Registration Date")),
            jurisdiction=drawer.line(labels.maybe("Formed In", "Jurisdiction")),
            agent_name=agent,
            agent_address=agent_address,
            principal_address=drawer.address(drawer.lines(labels.maybe("Principal Address"))),
            mailing_address=drawer.address(drawer.lines(labels.maybe("Mailing Address"))),
            officers=self.officers(labels),
            former_names=tuple(name for label in self.former_labels for name in _lines(labels, label)),
            assumed_names=tuple(name for name in assumed if name),
            sos_url=f"https://{self.host}/search/business",
        )

    def agent(self, labels: Labels) -> tuple[str | None, Address]:
        """The agent, under the first of its labels that has a value."""
        values = [labels.maybe(label) for label in self.agent_labels]
        block = next((value for value in values if value not in (None, "")), None)
        return drawer.party(block, kinds=self.agent_kinds, headed=self.headed_agent)

    # The protocol

    def headers(self, section: str) -> dict[str, str]:
        """What the page's own script sends; "undefined" is its word for "nobody is signed in"."""
        return {
            "Accept": "application/json",
            "Origin": f"https://{self.host}",
            "Referer": f"https://{self.host}/search/{section}",
            "authorization": "undefined",
        }

    def prime(self, session: PortalSession, section: str) -> None:
        """Open the search page once, where the host wants its cookies back."""
        if self.primed and not session.pages:
            session.get(f"https://{self.host}/search/{section}", headers={"Accept": "text/html"})

    def _list(self, session: PortalSession, question: dict[str, Any]) -> ResultList:
        self.prime(session, "business")
        page = session.post(
            f"https://{self.host}/api/Records/businesssearch", json=question, headers=self.headers("business")
        )
        return self.results(session, page.json())

    def results(self, session: PortalSession, answer: Any) -> ResultList:
        """Candidates of a search answer, in the portal's order."""
        rows = rows_of(answer)
        note_unread({name for row in rows for name in row if not _known(name)} - self.columns, session)
        candidates = tuple(found for row in rows for found in self.candidates(row))
        return ResultList(candidates, complete=self.name_search.whole(len(rows)))

    def candidates(self, row: Row) -> list[Candidate]:
        """A row as one candidate, and a second one for a name in brackets: "ACME, LLC (dba ZENITH)"."""
        title = [text(part) for part in need_list(need(row, "TITLE"), "TITLE")]
        known = {name for name in row if _known(name)} | self.columns
        refuse_renamed(row, ("RECORD_NUM", self.standing_key), known=known)
        own = text(row.get("RECORD_NUM"))
        own = None if own and _TOKEN.fullmatch(own) else own
        shown, number = split_title(title[0] if title else None, own, numbered=self.numbered)
        entity_type = self._row_type(row, title)
        check_names(shown)  # before it is taken apart, which takes the square of its length
        also = _DBA.fullmatch(shown)
        name, assumed = (also["legal"], also["assumed"]) if also else (shown, self.row_assumed(title))
        handle = {"id": str(need_number(need(row, "ID"), "ID")), "name": name, "assumed": assumed}
        handle["standing"] = text(row.get(self.standing_key)) or ""
        handle |= {label: text(need(row, column)) or "" for label, column in self.twice.items()}
        found = Candidate(
            name=name,
            entity_id=number,
            status=need_text(row, self.status_key),
            entity_type=entity_type,
            name_kind=types.name_kind(entity_type),
            handle=handle,
            sos_url=f"https://{self.host}/search/business",
        )
        if not assumed:
            return [found]
        return [found, replace(found, name=assumed, name_kind="assumed")]

    def _row_type(self, row: Row, title: list[str | None]) -> str | None:
        """The entity type, in a column of its own or under the name."""
        if self.type_key:
            return text(row.get(self.type_key))
        return title[1] if len(title) > 1 else None

    def row_assumed(self, title: list[str | None]) -> str:
        """The second line of a title is the type here; in the second generation it is an assumed name."""
        return ""


def rows_of(answer: Any) -> list[Row]:
    """The rows of an answer by their SORT_INDEX; PageChanged when `rows` is no object of objects."""
    rows = [need_object(row, "a row") for row in need_object(need(answer, "rows"), "`rows`").values()]
    return sorted(rows, key=lambda row: need_number(row.get("SORT_INDEX", 0), "SORT_INDEX"))


def split_title(shown: str | None, record_number: str | None, *, numbered: bool = False) -> tuple[str, str]:
    """Name and number of a row. "ACME, LLC (5577637)" holds both; other brackets belong to the name.

    Where names are `numbered`, a number in brackets must be the row's own.
    """
    if not shown:
        raise PageChanged("a row has no name")
    found = _TITLE.fullmatch(shown)
    if found and (record_number is None or found["number"].lstrip("0") == record_number.lstrip("0")):
        return found["name"], record_number or found["number"]
    if record_number is None or (numbered and found):
        raise PageChanged(f"the row {shown!r} has the number {record_number!r}")
    return shown, record_number


def _lines(labels: Labels, label: str) -> list[str]:
    return drawer.lines(labels.maybe(label))


def _known(column: str) -> bool:
    return column.startswith("CAN_") or column in _COLUMNS
