"""Where an answer comes from: the portal itself, or the loaded copy of what its registry publishes.

Which of them answers is decided here alone (`choose_source`). A source belongs to one conversation; it knows its
portal, whose rules hold for a copy too, and leaves what it was told in the session's pages, as evidence.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from scrapers.bulk_data.published import BulkData
from scrapers.bulk_data.stored_form import to_plain
from scrapers.name_rules.forms import spelled_out, split
from scrapers.name_rules.rules import RULES
from scrapers.name_rules.same_names import same_names
from scrapers.normalize import names, types
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search import neighbors, shortlist
from scrapers.search.terms import SearchPlan
from scrapers.search.widening import Widening
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_NEAR_MISSES = 25  # worth telling


class Copy(Protocol):
    """The current copy of one state's bulk data; the database is behind it."""

    @property
    def as_of(self) -> datetime:
        """The day the data is from."""

    @property
    def sha256(self) -> str:
        """That of the file it was loaded from; empty where it is not known."""

    def list_by_name(self, key: str, *, limit: int, wider: int) -> tuple[list[EntityRecord], list[EntityRecord]]:
        """Entities with just this comparison key (at most `limit`), and those whose key goes on with more words."""

    def list_by_keys(self, keys: Collection[str], *, limit: int) -> list[EntityRecord]:
        """Entities with one of these keys."""

    def list_beginning(self, start: str, *, most: int) -> list[EntityRecord] | None:
        """Entities whose comparison key begins with these letters; None where there are more than `most`."""

    def list_by_other_name(self, key: str, *, limit: int) -> list[Candidate]:
        """Entities with this key under a former or an assumed name, each as a row under that name."""

    def list_by_id(self, entity_id: str) -> list[EntityRecord]:
        """The entity with this identifier, or nothing."""


class LoadedCopy:
    """Answers from the copy: it compares normalized names, and what it holds is the whole record."""

    def __init__(self, portal: Portal, session: PortalSession, bulk_data: BulkData, copy: Copy) -> None:
        self.portal, self.session = portal, session
        self._bulk_data, self._copy = bulk_data, copy
        self.was_read = False

    @property
    def from_copy(self) -> bool:
        """Whether the answer rests on the copy."""
        return self.was_read

    @property
    def copy_as_of(self) -> datetime | None:
        """The day of the copy that was read; None where none was."""
        return self._copy.as_of if self.was_read else None

    @property
    def active_only(self) -> bool:
        """Whether entities that have ended are not in it."""
        return self._bulk_data.active_only or self.portal.coverage == "active_only"

    @property
    def entities_alone(self) -> bool:
        """Whether names that are reserved, or on record without an entity, are not in it."""
        return self._bulk_data.entities_alone

    @property
    def narrow_proves(self) -> bool:
        """There is no narrower search."""
        return False

    @property
    def data_as_of(self) -> datetime | None:
        """The day of the copy."""
        return self._copy.as_of

    @property
    def finds_words(self) -> bool:
        """It finds whole names and beginnings of names."""
        return False

    def plan(self, name: str) -> SearchPlan:
        """The name as it is given finds all spellings of it; who writes it otherwise may mean a neighbor."""
        if not names.key(name):
            raise QueryRefused(Refusal.NO_LETTERS)
        return SearchPlan((name,), wider=Widening(name))

    def search(self, term: str) -> ResultList:
        """Entities that have or had this name, and some whose name goes on after it."""
        beside, most, key = self._bulk_data.beside_live, self._bulk_data.most_rows, names.key(term)
        wider = most if beside else _NEAR_MISSES
        own, longer = self._copy.list_by_name(key, limit=most, wider=wider)
        others = self._copy.list_by_other_name(key, limit=most)
        # Longer names are near misses (a word more is another company), so they need not all be there; but beside a
        # live list they stand for the rest of it.
        whole = max(len(own), len(others)) < most and (len(longer) < wider or not beside)
        return ResultList(self._rows((*map(_row, own + longer), *others)), complete=whole)

    def search_wider(self, term: str) -> ResultList:
        """Entities whose names begin nearly so, those that are worth a comparison."""
        slips = self._copy.list_by_keys(neighbors.one_letter_off(names.key(term)), limit=neighbors.MOST)
        found = {(record.entity_id, record.entity_name): record for record in slips}  # two may have one number
        others: list[Candidate] = []
        whole = len(slips) < neighbors.MOST
        for key in neighbors.spellings(term):
            lists = (self._copy.list_beginning(start, most=neighbors.MOST) for start in neighbors.beginnings(key))
            near = next((records for records in lists if records is not None), None)
            whole = whole and near is not None
            found |= {(record.entity_id, record.entity_name): record for record in near or ()}
            others += self._copy.list_by_other_name(key, limit=self._bulk_data.most_rows)
        records = list(found.values())
        nearest = [records[at] for at in shortlist.choose(term, [record.entity_name for record in records])]
        return ResultList(self._rows((*map(_row, nearest), *others)), complete=whole)

    def narrow(self, name: str) -> ResultList | None:
        """None: the search itself is for just this name."""
        return None

    def find(self, entity_id: str) -> ResultList:
        """The entity with this identifier."""
        return ResultList(self._rows(tuple(map(Candidate.of, self._copy.list_by_id(entity_id)))))

    def open(self, row: Candidate) -> EntityRecord:
        """The record the row already is."""
        assert row.record is not None
        return row.record

    def names_taken(self, name: str) -> ResultList:
        """Every name of the copy that the state's rule may call the same."""
        self.plan(name)
        rule = RULES.get(self.portal.code)
        same = same_names(name, rule) if rule else ()
        found = [self.search(one) for one in dict.fromkeys((split(name)[0], *same))]
        # a copy is asked for whole names: "BLUE HERON PS" need not be among the longer ones told with "BLUE HERON"
        keys, most = sorted({names.key(one) for one in spelled_out(name)}), self._bulk_data.most_rows
        further = [row for key in keys for row in self._with_key(key, most)]
        rows = tuple(row for results in found for row in results.candidates) + (self._rows(further) if further else ())
        complete, wider = all(results.complete for results in found), rule is not None and rule.is_wider_than_text
        return ResultList(rows, complete=complete, all_spellings=not wider)

    def _with_key(self, key: str, most: int) -> Iterator[Candidate]:
        """Those with just this key, whichever of their names it is of."""
        yield from map(_row, self._copy.list_by_name(key, limit=most, wider=0)[0])
        yield from self._copy.list_by_other_name(key, limit=most)

    def _rows(self, rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """The rows. Their records are kept as the evidence of the answer: they are all that was read."""
        self.was_read = True
        read = [to_plain(row.record) for row in rows if row.record is not None]
        body = json.dumps(read, ensure_ascii=False, sort_keys=True).encode()
        page = Page(self._bulk_data.url, 200, {"content-type": "application/json"}, body)
        as_of = self._copy.as_of.date().isoformat()
        self.session.read_from_file(page, file={"sha256": self._copy.sha256 or None, "asOf": as_of})
        return tuple(rows)


def _row(record: EntityRecord) -> Candidate:
    """The record as a row; a name that is registered or reserved alone is no company's, in a copy as in a list."""
    return Candidate.of(record, name_kind="reserved" if types.name_kind(record.entity_type) == "reserved" else "legal")


class LivePortal:
    """Answers from the portal; where its list is cut, a copy that is kept `beside` it is searched for just the name."""

    def __init__(self, portal: Portal, session: PortalSession, beside: LoadedCopy | None = None) -> None:
        self.portal, self.session = portal, session
        self._beside = beside

    @property
    def from_copy(self) -> bool:
        """Whether the answer rests on a copy, too."""
        return self._beside is not None and self._beside.was_read

    @property
    def copy_as_of(self) -> datetime | None:
        """The day of the copy that was read; None where none was."""
        return self._beside.copy_as_of if self._beside else None

    @property
    def active_only(self) -> bool:
        """Whether the portal does not list entities that have ended."""
        return self.portal.coverage == "active_only"

    @property
    def entities_alone(self) -> bool:
        """Whether it lists no names but those of entities; of no portal is that known."""
        return False

    @property
    def narrow_proves(self) -> bool:
        """Whether a whole list of the narrow search holds every spelling of the name."""
        return self.portal.narrow_proves or self._beside is not None

    @property
    def finds_words(self) -> bool:
        """Whether a whole list for one word shows everybody whose name has it."""
        return self.portal.name_search.finds_words

    @property
    def data_as_of(self) -> datetime | None:
        """The day the portal says its data is from, where it is a copy itself."""
        return self.portal.data_as_of(self.session)

    def plan(self, name: str) -> SearchPlan:
        """The terms to try for the name."""
        return self.portal.search_plan(self.session, name)

    def search(self, term: str) -> ResultList:
        """The portal's list for the term."""
        return self.portal.search(self.session, term).numbered()

    def search_wider(self, term: str) -> ResultList:
        """The same, for another term than the name's own."""
        return self.search(term)

    def narrow(self, name: str) -> ResultList | None:
        """A list for just this name; None where there is none."""
        return self.portal.ask_narrowly(self.session, name, self._beside.search if self._beside else None)

    def find(self, entity_id: str) -> ResultList:
        """The portal's list for the identifier."""
        return self.portal.find(self.session, entity_id).numbered()

    def open(self, row: Candidate) -> EntityRecord:
        """The page behind the row."""
        return self.portal.detail(self.session, row)

    def names_taken(self, name: str) -> ResultList:
        """All names of the registry that could be the same name."""
        return self.portal.names_taken(self.session, name)


Source = LivePortal | LoadedCopy


def answers_alone(portal: Portal, copy: Copy | None) -> bool:
    """Whether the loaded copy answers in the portal's place, so that nobody is asked for a company."""
    return copy is not None and portal.bulk_data is not None and not portal.bulk_data.beside_live


def choose_source(portal: Portal, session: PortalSession, copy: Copy | None) -> Source:
    """Who answers: the loaded copy where there is one, but for data that is only kept beside the live search."""
    if portal.bulk_data is None or copy is None:
        return LivePortal(portal, session)
    loaded = LoadedCopy(portal, session, portal.bulk_data, copy)
    if answers_alone(portal, copy):
        return loaded
    return LivePortal(portal, session, beside=None if portal.bulk_data.active_only else loaded)


def read_copy(portal: Portal, session: PortalSession, copy: Copy | None) -> LoadedCopy:
    """The loaded copy, whatever the portal may say; QueryRefused where none is kept."""
    if portal.bulk_data is None or copy is None:
        raise QueryRefused(Refusal.NO_COPY)
    return LoadedCopy(portal, session, portal.bulk_data, copy)
