"""Facts kept in columns: which columns of a row (open data, published files, JSON) hold an address, a name, a record.

A reader declares its columns once. What is declared is what is read, so a column beyond them can be noticed.
Several columns for one thing are written "first_name | last_name"; `names` are all that are declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scrapers.normalize import addresses
from scrapers.normalize.dates import to_iso
from scrapers.parsing.fields import is_domestic, listed, text
from scrapers.records import Address, EntityRecord, Filing, Officer

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlaceColumns:
    """The columns of an address; the street may fill several. Where `whole` is filled, it holds all in one text."""

    street: str
    city: str
    state: str
    zip: str
    country: str = ""
    whole: str = ""

    def read(self, row: Row) -> Address:
        """The address of a row; an empty one when all columns are."""
        return addresses.from_text(text(row.get(self.whole))) or addresses.from_parts(
            *(text(row.get(column)) for column in listed(self.street)),
            city=text(row.get(self.city)),
            state=text(row.get(self.state)),
            zip=text(row.get(self.zip)),
            country=text(row.get(self.country)),
        )

    @property
    def names(self) -> frozenset[str]:
        """Every column that is read."""
        parts = (self.street, self.city, self.state, self.zip, self.country, self.whole)
        return frozenset(listed(" | ".join(parts)))


@dataclass(frozen=True, slots=True)
class PartyColumns:
    """The columns of somebody's name, office and address: a business under one of several, or a person in parts.

    `family` is that of the person's columns which holds the family name.
    """

    business: str = ""
    person: str = ""
    family: str = ""
    title: str = ""
    place: PlaceColumns | None = None

    def name(self, row: Row) -> str | None:
        """The first business that is named, else a person: "JORDAN", "A", "SAMPLE" are "JORDAN A SAMPLE"."""
        parts = (text(row.get(column)) for column in listed(self.person))
        return _first(row, self.business) or " ".join(filter(None, parts)) or None

    def address(self, row: Row) -> Address:
        """The address of a row; an empty one where none is kept."""
        return self.place.read(row) if self.place else Address()

    def officer(self, row: Row, *, title: str | None = None) -> Officer | None:
        """The party as an officer, under this title or the one in its column; None for a row without a name."""
        name, family = self.name(row), text(row.get(self.family)) or ""
        if name is None:
            return None
        is_apart = " " in family and family != name and not _first(row, self.business)
        where = addresses.one_line(self.address(row))
        return Officer(name, title or text(row.get(self.title)), where, family=family if is_apart else None)

    @property
    def names(self) -> frozenset[str]:
        """Every column that is read."""
        own = listed(f"{self.business} | {self.person} | {self.title}")
        return frozenset(own) | (self.place.names if self.place else frozenset())


@dataclass(frozen=True, slots=True)
class FilingColumns:
    """The columns of a document on a company's file."""

    date: str
    title: str

    def read(self, rows: Iterable[Row]) -> tuple[Filing, ...]:
        """The documents, newest first; one without a title tells nothing, and is left out."""
        read = (Filing(text(row.get(self.date)), title) for row in rows if (title := _first(row, self.title)))
        return tuple(sorted(read, key=lambda filing: to_iso(filing.date) or "", reverse=True))


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """The columns of a record beside name and identifier; of several for one fact the first that is filled counts."""

    entity_type: str = ""
    status: str = ""
    standing: str = ""
    formation_date: str = ""
    jurisdiction: str = ""
    citizenship: str = ""  # "Domestic" or "Foreign"
    agent: PartyColumns = PartyColumns()
    principal: PlaceColumns | None = None
    mailing: PlaceColumns | None = None

    def read(self, row: Row, *, name: str, number: str, url: str) -> EntityRecord:
        """The record of a row whose name, identifier and page are known."""
        return EntityRecord(
            entity_name=name,
            entity_id=number,
            entity_type=_first(row, self.entity_type),
            status=_first(row, self.status),
            standing=_first(row, self.standing),
            formation_date=_first(row, self.formation_date),
            jurisdiction=_first(row, self.jurisdiction),
            domestic=is_domestic(_first(row, self.citizenship)),
            agent_name=self.agent.name(row),
            agent_address=self.agent.address(row),
            principal_address=self.principal.read(row) if self.principal else Address(),
            mailing_address=self.mailing.read(row) if self.mailing else Address(),
            sos_url=url,
        )

    @property
    def names(self) -> frozenset[str]:
        """Every column that is read."""
        own = (self.entity_type, self.status, self.standing, self.formation_date, self.jurisdiction, self.citizenship)
        parts = (part.names for part in (self.agent, self.principal, self.mailing) if part)
        return frozenset(listed(" | ".join(own))).union(*parts)


def _first(row: Row, columns: str) -> str | None:
    return next((found for column in listed(columns) if (found := text(row.get(column)))), None)
