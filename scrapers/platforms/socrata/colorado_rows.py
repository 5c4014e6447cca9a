"""Colorado's companies with what two sets beside the master say of them: trade names u7sb-g482, history casm-dbbj.

Evidence: the columns are documented, and that `entityid` of a trade name is its owner's number by two public readers.
What the history's column `name` holds (the new name, the old one, or a trade name) nobody says, so former names are
not read from it. A trade name takes nobody's name away: one may have several owners, so name checks leave them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scrapers.bulk_data.layouts import colorado
from scrapers.parsing.columns import FilingColumns
from scrapers.platforms.socrata.portal import OtherNames, SocrataPortal, need_columns
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value

_TRADE_NAMES, _HISTORY = "u7sb-g482", "casm-dbbj"
_EVENT = FilingColumns("receiveddate", "historydes")
_MOST = 1_000  # rows of one company


class ColoradoRows(SocrataPortal):
    """The master with trade names and history."""

    other_names = OtherNames(_TRADE_NAMES, "tradenamedescription", "entityid", "entityid", "assumed")

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The master's record with its trade names and its events."""
        record = super().detail(session, candidate)
        named = self._beside(session, _TRADE_NAMES, record.entity_id, order="tradenamedescription")
        events = self._beside(session, _HISTORY, record.entity_id, order="receiveddate desc,transactionid desc")
        need_columns(events, (_EVENT.title,), dataset=_HISTORY)
        trade_names = dict.fromkeys(name for row in named if (name := value(row, "tradenamedescription")))
        return replace(record, assumed_names=tuple(trade_names), filings=_EVENT.read(events))

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """Names of entities alone."""
        found = super().names_taken(session, name)
        return replace(found, candidates=tuple(row for row in found.candidates if row.name_kind != "assumed"))

    def has_left_name(self, row: Candidate) -> bool:
        """Also one whose name carries an event on record: "ACME LLC, Delinquent May 1, 2022" leaves "ACME LLC" free."""
        return super().has_left_name(row) or bool(row.record and row.record.standing)

    def just_this(self, name: str) -> str:
        """Also the names that carry an event."""
        return " or ".join(filter(None, (super().just_this(name), colorado.with_an_event(name))))

    def _beside(self, session: PortalSession, dataset: str, number: str, *, order: str) -> Sequence[Row]:
        """Rows about one company."""
        where = f"entityid={conditions.quoted(number)}"
        return soda.ask_rows(session, domain=self.domain, dataset=dataset, where=where, order=order, limit=_MOST)
