"""Socrata: a name search on a state's open data, live, without a key. The rows hold the whole record.

Source: the platform's published API (`scrapers.transport.soda`). One request answers most questions; a second, looser
one is asked before the answer is "not found", because registries write `O'NEIL'S` and `A.B.C.` where callers do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from scrapers.failures import PageChanged
from scrapers.normalize import names
from scrapers.parsing.columns import PartyColumns, RecordColumns
from scrapers.parsing.fields import listed, need_text, note_unread
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, NameKind, ResultList
from scrapers.search import signs
from scrapers.search.signs import is_near
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.transport import conditions, soda
from scrapers.transport.conditions import quoted
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row


@dataclass(frozen=True, slots=True)
class OtherNames:
    """A data set of further names of a master's companies: its columns, and what kind of names they are.

    `keys`: the columns of which one holds what the master has in `master_key`. A name without a key is nobody's that
    the master knows: trade names of people, for instance.
    """

    dataset: str
    name: str
    keys: str
    master_key: str
    kind: NameKind
    most_rows: ClassVar[int] = 500
    most_companies: ClassVar[int] = 40

    def key(self, row: Row) -> str | None:
        """The master's key in a row."""
        return next((found for column in listed(self.keys) if (found := soda.value(row, column))), None)


class SocrataPortal(Portal):
    """One data set on one domain, one row an entity. A state declares its columns, or reads them in `record`."""

    domain: ClassVar[str] = ""
    dataset: ClassVar[str] = ""
    name_column: ClassVar[str] = ""
    id_column: ClassVar[str] = ""
    columns: ClassVar[RecordColumns] = RecordColumns()  # what the row holds beside name and identifier
    read: ClassVar[tuple[str, ...]] = ()  # columns that are read beside the declared ones
    ignored: ClassVar[frozenset[str]] = frozenset()  # columns that are known and not wanted
    trade_name: ClassVar[str] = ""  # what the type of such a registration says, in lower case
    other_names: ClassVar[OtherNames | None] = None  # asked where no name of the data set itself comes near
    always: ClassVar[tuple[str, ...]] = ()  # columns at least one row of an answer must hold: else they were renamed
    pace: ClassVar[Pace] = Pace(seconds=0.5, concurrency=4)
    name_search = NameSearch(
        mode="word_pattern",
        mode_basis="documented",
        narrow="spellings",
        shortest=1,
        shortest_basis="documented",
        ignores_signs=True,
        cap=500,
        cap_basis="documented",
        evidence="The platform's published API: our own condition over the name column; we ask for `$limit` rows.",
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name holds the words of the term in this order, whatever stands between them."""
        found = self._listed(session, conditions.name_fits(self.name_column, term))
        if self.other_names is None or any(is_near(term, row.name) for row in found.candidates):
            return found
        more = self._by_other_name(session, term, self.other_names)
        return ResultList(found.candidates + more.candidates, complete=found.complete and more.complete)

    def _by_other_name(self, session: PortalSession, term: str, others: OtherNames) -> ResultList:
        """Companies that have another name which could be the one asked for."""
        where = conditions.name_fits(others.name, term)
        rows = soda.ask_rows(
            session,
            domain=self.domain,
            dataset=others.dataset,
            where=where,
            order=others.name,
            limit=others.most_rows,
        )
        near = [
            (key, name)
            for row in rows
            if is_near(term, name := need_text(row, others.name)) and (key := others.key(row))
        ]
        keys = list(dict.fromkeys(key for key, _ in near))
        owners = self._with_keys(session, others.master_key, keys[: others.most_companies])
        found = [replace(owners[key], name=name, name_kind=others.kind) for key, name in near if key in owners]
        whole = len(rows) < others.most_rows and len(keys) <= others.most_companies
        return ResultList(tuple(found), complete=whole)

    def _with_keys(self, session: PortalSession, column: str, keys: Sequence[str]) -> dict[str, Candidate]:
        """The master's companies with these keys; one row each."""
        if not keys:
            return {}
        rows = soda.ask_rows(
            session,
            domain=self.domain,
            dataset=self.dataset,
            where=conditions.one_of(column, keys),
            order=self.order,
            limit=len(keys) + 1,
        )
        return dict(zip((need_text(row, column) for row in rows), self.candidates(session, rows), strict=True))

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The usual terms, then one with room for the signs that callers leave out."""
        return signs.plan(name, self.name_search)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Rows with just this name, in every spelling of the legal form: for names too common to list."""
        found = self._listed(session, self.just_this(name))
        return ResultList(found.candidates, complete=False)

    def just_this(self, name: str) -> str:
        """The condition of the narrow search."""
        return conditions.is_in(f"upper({self.name_column})", names.spellings(name))

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row, or rows, with this identifier."""
        return self._listed(session, f"{self.id_column}={quoted(entity_id)}")

    def _listed(self, session: PortalSession, where: str) -> ResultList:
        rows = soda.ask_rows(
            session,
            domain=self.domain,
            dataset=self.dataset,
            where=where,
            order=self.order,
            limit=self.name_search.cap or 1,
        )
        return ResultList(self.candidates(session, rows), complete=self.name_search.whole(len(rows)))

    @property
    def order(self) -> str:
        """Rows by name; the same list every time."""
        return self.name_column

    def candidates(self, session: PortalSession, rows: Sequence[Row]) -> tuple[Candidate, ...]:
        """One candidate a row; states with several rows an entity group them."""
        self.check_columns(session, rows)
        return tuple(self.candidate(self.record(row), row) for row in rows)

    def check_columns(self, session: PortalSession, rows: Sequence[Row]) -> None:
        """Tell operators of columns nobody reads; PageChanged when one that is always there is in no row."""
        read = self.columns_read()
        note_columns(session, rows, read=read, known=read | self.ignored, dataset=self.dataset)
        need_columns(rows, self.always, dataset=self.dataset)

    def columns_read(self) -> frozenset[str]:
        """Every column a record is read from."""
        return self.columns.names | {self.name_column, self.id_column, *self.read}

    def candidate(self, record: EntityRecord, row: Row) -> Candidate:
        """A row that already is the whole record."""
        return Candidate.of(record, name_kind=self.name_kind(record), handle=self.handle(row))

    def handle(self, row: Row) -> Mapping[str, str]:
        """What opening a row of the list needs to know of it."""
        return {}

    def name_kind(self, record: EntityRecord) -> NameKind:
        """Legal names, but where a data set also lists trade names: a name without its type may be one of these."""
        kind = (record.entity_type or self.trade_name).casefold()
        return "assumed" if self.trade_name and self.trade_name in kind else "legal"

    def record(self, row: Row) -> EntityRecord:
        """Read one row by the declared columns; the second of the sources is the page for people."""
        name, number = need_text(row, self.name_column), need_text(row, self.id_column)
        return self.columns.read(row, name=name, number=number, url=self.sources[1])

    def data_as_of(self, session: PortalSession) -> datetime | None:
        """When the data was last changed: it is a copy that the registry publishes daily, or monthly.

        Of several sets the one that was changed longest ago: the answer rests on it, too.
        """
        return min(filter(None, map(soda.modified, session.pages)), default=None)


class ManyRowsPortal(SocrataPortal):
    """A data set with several rows an entity: one for each party, the entity itself repeated."""

    party: ClassVar[PartyColumns] = PartyColumns()
    name_search = replace(SocrataPortal.name_search, cap=1500)  # rows, of which an entity has several

    @property
    def order(self) -> str:
        """Rows of one entity stand together."""
        return f"{self.name_column},{self.id_column}"

    def candidates(self, session: PortalSession, rows: Sequence[Row]) -> tuple[Candidate, ...]:
        """One candidate an entity. The last one of a cut list may lack rows: it is asked for again when chosen."""
        self.check_columns(session, rows)
        groups: dict[str, list[Row]] = {}
        for row in rows:
            groups.setdefault(need_text(row, self.id_column), []).append(row)
        found = [self.of_group(group, session) for group in groups.values()]
        if found and not self.name_search.whole(len(rows)):
            last = found.pop()
            found.append(Candidate(last.name, last.entity_id, last.status, last.entity_type, last.name_kind))
        return tuple(found)

    def of_group(self, rows: Sequence[Row], session: PortalSession) -> Candidate:
        """All rows of one entity as a row of the list."""
        return self.candidate(self.together(rows, session), rows[0])

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The record, read from all rows of the entity."""
        if candidate.record is not None:
            return candidate.record
        again = self.find(session, candidate.entity_id).candidates
        if len(again) != 1 or again[0].record is None:
            raise PageChanged(f"{candidate.entity_id} was listed, and then had {len(again)} entities")
        return again[0].record

    def columns_read(self) -> frozenset[str]:
        """Those of the entity and those of the party."""
        return super().columns_read() | self.party.names

    def together(self, rows: Sequence[Row], session: PortalSession) -> EntityRecord:
        """The entity as its first row has it, and the party of each row as an officer."""
        officers = (self.party.officer(row) for row in rows)
        return replace(self.record(rows[0]), officers=tuple(dict.fromkeys(filter(None, officers))))


def note_columns(
    session: PortalSession, rows: Sequence[Row], *, read: frozenset[str], known: frozenset[str], dataset: str
) -> None:
    """Tell operators of columns nobody knows in the answer just given; PageChanged where one that is read may be it.

    An empty column is in no row, and read as nothing: whether it is there the answer's header says, where it does.
    """
    there = soda.list_columns(session.pages[-1]) if session.pages else frozenset()
    strange = {name for row in rows for name in row if not name.startswith(":")} | there
    strange -= known
    missing = read - there if there else frozenset()
    if missing and strange:
        raise PageChanged(f"{dataset}: {sorted(missing)} may have been renamed to one of {sorted(strange)}")
    note_unread(strange, session)


def need_columns(rows: Sequence[Row], columns: Iterable[str], *, dataset: str) -> None:
    """PageChanged when a column is in none of the rows: it was renamed. Of "type | filing_type" one is enough."""
    shown = {name for row in rows for name in row}
    missing = [column for column in columns if rows and shown.isdisjoint(listed(column))]
    if missing:
        raise PageChanged(f"{dataset}: no row has {missing}")


def unknown(words: Iterable[str], session: PortalSession, *, what: str) -> None:
    """Tell operators of words that are in no table of the state."""
    note_unread((f"{what} {word}" for word in dict.fromkeys(words)), session)
