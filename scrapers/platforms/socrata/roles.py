"""Data sets with a row for each name associated with a business, where the row's role decides what it says.

The same columns hold the agent in one row, an office's address in the next and an officer in a third. A trade name is
a registration of its own, in which its owner is named by number. So who asks for one is told the company that has it,
and a company's trade names are asked for once more: one request each. What people registered stays a registration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from scrapers.failures import PageChanged
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.portal import ManyRowsPortal, need_columns, unknown
from scrapers.portal import Capabilities
from scrapers.records import Address, Candidate, EntityRecord, ResultList
from scrapers.search.signs import is_near
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value

_MOST_OWNED = 1_000  # rows
_MOST_OWNERS = 40  # companies that are looked up for one search


@dataclass(frozen=True, slots=True)
class Roles:
    """The words of one column, in capitals: which make a row the agent's, an office's, or an officer's."""

    column: str
    agent: str
    principal: str
    mailing: str
    officers: str
    owner: str  # whom a trade name belongs to; one of the officers
    owner_number: str  # the column with the number of whoever a row names, where it is registered itself

    @property
    def known(self) -> frozenset[str]:
        """Every word that is read."""
        return frozenset((self.agent, self.principal, self.mailing, *listed(self.officers)))


class RolesPortal(ManyRowsPortal):
    """A data set of this kind; a state declares its roles."""

    roles: ClassVar[Roles]
    capabilities = Capabilities(status=False, agent=True, officers=True, addresses=True, assumed_names=True)
    published = frozenset(listed("agent_name | agent_address | principal_address | mailing_address | officers"))

    def columns_read(self) -> frozenset[str]:
        """The role's too."""
        return super().columns_read() | {self.roles.column}

    def search(self, session: PortalSession, term: str) -> ResultList:
        """The list, in which a company's trade name is the company's."""
        return self._with_owners(session, super().search(session, term), term)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """The same for just this name."""
        return self._with_owners(session, super().narrow(session, name), name)

    def of_group(self, rows: Sequence[Row], session: PortalSession) -> Candidate:
        """With the number of its owner, where that is one company and nobody else."""
        found = super().of_group(rows, session)
        owners = [row for row in rows if need_text(row, self.roles.column).upper() == self.roles.owner]
        number = value(owners[0], self.roles.owner_number) if len(owners) == 1 else None
        return replace(found, handle={"owner": number}) if number and found.name_kind == "assumed" else found

    def _with_owners(self, session: PortalSession, found: ResultList, asked: str) -> ResultList:
        """The list with the owners of the trade names that could be the one asked for; an owner may have ended."""
        owned = {row.entity_id: row.handle["owner"] for row in found.candidates if "owner" in row.handle}
        near = [row.entity_id for row in found.candidates if row.entity_id in owned and is_near(asked, row.name)]
        numbers = list(dict.fromkeys(owned[number] for number in near))[:_MOST_OWNERS]
        if not numbers:
            return found
        listed_owners = self._listed(session, conditions.one_of(self.id_column, numbers)).candidates
        owners = {row.entity_id: row for row in listed_owners}
        if strange := owners.keys() - set(numbers):
            raise PageChanged(f"{self.dataset}: asked for {numbers}, got {sorted(strange)[:3]}")
        rows = (
            replace(owner, name=row.name, name_kind="assumed")
            if row.entity_id in near and (owner := owners.get(owned[row.entity_id])) is not None
            else row
            for row in found.candidates
        )
        return replace(found, candidates=tuple(rows))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The record, and the trade names that the company owns."""
        record = super().detail(session, candidate)
        if record.entity_type and self.name_kind(record) == "assumed":
            return record
        owned = (self.roles.owner_number, record.entity_id), (self.roles.column, self.roles.owner)
        rows = soda.ask_rows(
            session,
            domain=self.domain,
            dataset=self.dataset,
            where=" and ".join(f"{column}={conditions.quoted(text)}" for column, text in owned),
            order=self.name_column,
            limit=_MOST_OWNED,
        )
        need_columns(rows, self.always, dataset=self.dataset)
        if any(value(row, column) != text for row in rows for column, text in owned):
            raise PageChanged(f"{self.dataset}: asked for what {record.entity_id} registered, got somebody else's")
        named = (self.record(row) for row in rows)
        return replace(
            record,
            assumed_names=tuple(dict.fromkeys(one.entity_name for one in named if self.name_kind(one) == "assumed")),
        )

    def together(self, rows: Sequence[Row], session: PortalSession) -> EntityRecord:
        """All rows of one business, each in its place; operators hear of roles that are not declared."""
        roles, officers = self.roles, listed(self.roles.officers)
        by_role = [(need_text(row, roles.column).upper(), row) for row in rows]
        unknown((role for role, _ in by_role if role not in roles.known), session, what=roles.column.replace("_", " "))
        first = dict(reversed(by_role))  # the first row of a role counts
        places = {role: self.party.address(row) for role, row in first.items()}
        agents = (self.party.name(row) for role, row in by_role if role == roles.agent)
        named = (self.party.officer(row, title=role.title()) for role, row in by_role if role in officers)
        return replace(
            self.record(rows[0]),
            jurisdiction=next((found for row in rows if (found := value(row, self.columns.jurisdiction))), None),
            agent_name="; ".join(dict.fromkeys(filter(None, agents))) or None,
            agent_address=places.get(roles.agent, Address()),
            principal_address=places.get(roles.principal, Address()),
            mailing_address=places.get(roles.mailing, Address()),
            officers=tuple(filter(None, named)),
        )
