"""A master data set with sets beside it: its companies' agents, principals, former names and filings.

They are asked for the one company that was chosen, by the key that the master's row has of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from scrapers.failures import PageChanged
from scrapers.parsing.columns import FilingColumns, PartyColumns
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.portal import SocrataPortal, need_columns, unknown
from scrapers.records import Address, Candidate, EntityRecord
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value


@dataclass(frozen=True, slots=True)
class RelatedSet:
    """A data set about the master's companies: the columns that may hold the master's key, and whom it names.

    `always`: the columns at least one row of an answer must hold; where one of several does: "type | filing_type".
    """

    dataset: str
    keys: str
    party: PartyColumns = field(default_factory=PartyColumns)
    always: tuple[str, ...] = ()

    def rows(self, session: PortalSession, *, domain: str, key: str) -> Sequence[Row]:
        """Rows about one company; where descriptions differ on the key's column, each is tried."""
        rows = self._rows_about(session, domain, key)
        need_columns(rows, self.always, dataset=self.dataset)
        return rows

    def _rows_about(self, session: PortalSession, domain: str, key: str) -> Sequence[Row]:
        *others, last = listed(self.keys)
        for column in others:
            try:
                return self._rows_by(session, domain, column, key)
            except soda.NoSuchColumn:
                continue
        return self._rows_by(session, domain, last, key)

    def _rows_by(self, session: PortalSession, domain: str, column: str, key: str) -> Sequence[Row]:
        where = f"{column}={conditions.quoted(key)}"
        rows = soda.ask_rows(session, domain=domain, dataset=self.dataset, where=where, order=":id", limit=1000)
        of = {value(row, column) for row in rows}
        if rows and of - {None} != {key}:
            raise PageChanged(f"{self.dataset}: asked for {key}, got rows of {list(of)[:3]}")
        return rows


class MasterPortal(SocrataPortal):
    """A master and the sets beside it; a state declares them."""

    key_column: ClassVar[str] = ""
    agents: ClassVar[RelatedSet]
    principals: ClassVar[RelatedSet]
    renamed: ClassVar[RelatedSet]
    filed: ClassVar[RelatedSet]
    filing: ClassVar[FilingColumns]

    def columns_read(self) -> frozenset[str]:
        """The key's too."""
        return super().columns_read() | {self.key_column}

    def handle(self, row: Row) -> Mapping[str, str]:
        """The key that the other data sets know the company by."""
        return {"key": value(row, self.key_column) or ""}

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The master's record with the agent, the principals, the former names and the filings."""
        record, key = super().detail(session, candidate), need_text(candidate.handle, "key")
        beside = (self.agents, self.principals, self.renamed, self.filed)
        agents, principals, renamed, filed = (each.rows(session, domain=self.domain, key=key) for each in beside)
        if not agents and record.status == "Active":
            unknown(["without an agent: do the sets still share their key?"], session, what="an active company")
        agent, former = self.agents.party, (self.renamed.party.name(row) for row in renamed)
        return replace(
            record,
            agent_name="; ".join(dict.fromkeys(filter(None, map(agent.name, agents)))) or None,
            agent_address=agent.address(agents[0]) if agents else Address(),
            officers=tuple(filter(None, (self.principals.party.officer(row) for row in principals))),
            former_names=tuple(dict.fromkeys(name for name in former if name and name != record.entity_name)),
            filings=self.filing.read(filed),
        )
