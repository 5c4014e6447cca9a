"""How New York's companies are found and read: the list of the active ones, and the histories of all beside it.

The list holds whole records, but only of active companies under their present names. So each name is asked for in the
history of names too; what fits there and is nobody's present name in the list is looked up by its number, in three
requests for all of them together, before anybody chooses. The chosen company costs two more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scrapers.failures import PageChanged
from scrapers.normalize import names
from scrapers.parsing.fields import need_text
from scrapers.platforms.socrata import new_york_history as history
from scrapers.platforms.socrata.portal import SocrataPortal
from scrapers.records import Candidate, EntityRecord, NameKind, ResultList
from scrapers.search.signs import is_near
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row

_MOST_NAMES = 2_000  # rows of a search in the history of names, which are short
_MOST_NUMBERS = 40  # companies that are looked up for one search
_LISTED = {"listed": "yes"}  # in a candidate's handle: its record is the list's
_NAMED = {"named": "yes"}  # its record has the former names already


class NewYorkRows(SocrataPortal):
    """The list and the histories together."""

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Companies that have, or had, a name with the words of the term in this order."""
        return self._with_history(session, super().search(session, term), conditions.name_fits("corp_name", term), term)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """The same for just this name, in every spelling of the legal form."""
        where = conditions.is_in("upper(corp_name)", names.spellings(name))
        found = self._with_history(session, super().narrow(session, name), where, name)
        return ResultList(found.candidates, complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The company of this DOS number; the filing of an assumed name with the same number is none."""
        listed = super().find(session, entity_id)
        if listed.candidates:
            return listed
        found = self._open(session, [entity_id], {})
        if not found and self._filings(session, entity_id)[0]:
            raise PageChanged(f"{entity_id} has filings and no name")
        return ResultList(tuple(found.values()))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The company with its filings, and what the list does not say of it."""
        number = candidate.entity_id
        opened = candidate if candidate.record else next(iter(self.find(session, number).candidates), candidate)
        if opened.record is None:
            raise PageChanged(f"{number} was listed, and there is no such company")
        filings, strange = self._filings(session, number)
        record = history.with_filings(opened.record, filings)
        if "named" not in opened.handle:
            named = history.ask(session, history.NAMES, [number]).get(number, ())
            record = history.with_names(record, history.without(named, strange))
        if "listed" not in opened.handle:
            placed = history.ask(session, history.ADDRESSES, [number]).get(number, ())
            record = history.with_addresses(record, history.without(placed, strange))
        if candidate.name not in (record.entity_name, *record.former_names, *record.assumed_names):
            raise PageChanged(f"{number} was listed as {candidate.name!r}, which is no name of that company")
        return record

    def check_id(self, entity_id: str) -> str:
        """The data write the number without leading zeros."""
        return super().check_id(entity_id).lstrip("0") or "0"

    def handle(self, row: Row) -> Mapping[str, str]:
        """A row of the list is known to be one."""
        return _LISTED

    def _with_history(self, session: PortalSession, listed: ResultList, where: str, asked: str) -> ResultList:
        """The list's rows, and the rows of the history of names that are nobody's present name in the list."""
        rows = soda.ask_rows(
            session, domain=self.domain, dataset=history.NAMES, where=where, order="corp_name", limit=_MOST_NAMES
        )
        history.note_columns(session, history.NAMES, rows)
        present = {row.entity_id: row for row in listed.candidates}
        pairs = dict.fromkeys((need_text(row, "corpid_num"), need_text(row, "corp_name")) for row in rows)
        older = [pair for pair in pairs if pair[0] not in present or present[pair[0]].name != pair[1]]
        near = tuple(dict.fromkeys(number for number, name in older if is_near(asked, name)))
        # A wider term is near no name, and whoever it lists may be chosen
        doubtful = () if any(is_near(asked, row.name) for row in listed.candidates) else (number for number, _ in older)
        numbers = tuple(dict.fromkeys((*near, *doubtful)))[:_MOST_NUMBERS]
        missing = [number for number in numbers if number not in present]
        opened = self._open(session, numbers, present | self._with_keys(session, self.id_column, missing))
        found = [opened.get(number, row) for number, row in present.items()]
        for number, name in older:
            if number not in numbers:
                found.append(Candidate(name, number, handle={}))
            elif number in opened:
                found += _named(name, opened[number])
        whole = listed.complete and len(rows) < _MOST_NAMES and len(near) <= _MOST_NUMBERS
        return ResultList(tuple(found), complete=whole)

    def _open(
        self, session: PortalSession, numbers: Sequence[str], listed: Mapping[str, Candidate]
    ) -> dict[str, Candidate]:
        """The companies of these numbers with all their names: those in the list, and those in the histories alone."""
        named = history.ask(session, history.NAMES, numbers) if numbers else {}
        statuses = history.ask(session, history.STATUSES, numbers) if named else {}
        found: dict[str, Candidate] = {}
        for number in numbers:
            every = statuses.get(number, ())
            strange = history.assumed_films(every)
            rows, own = history.without(named.get(number, ()), strange), history.without(every, strange)
            row = listed.get(number)
            if row is not None and row.record is not None:
                found[number] = replace(row, record=history.with_names(row.record, rows), handle=_LISTED | _NAMED)
            elif (record := history.ended(number, rows, own)) is not None:
                found[number] = Candidate.of(record, handle=_NAMED)
        return found

    def _filings(self, session: PortalSession, number: str) -> tuple[list[Row], frozenset[str]]:
        """A company's filings, newest first, and those under its number that are somebody else's."""
        every = history.ask(session, history.FILINGS, [number]).get(number, ())
        strange = history.assumed_films(every)
        return history.without(every, strange), strange


def _named(name: str, company: Candidate) -> list[Candidate]:
    """The row of a company under one of its names; none under a name that is somebody else's."""
    record = company.record
    if record is None or name == record.entity_name:
        return [company]
    kind: NameKind = "former" if name in record.former_names else "assumed"
    return [replace(company, name=name, name_kind=kind)] if name in record.former_names + record.assumed_names else []
