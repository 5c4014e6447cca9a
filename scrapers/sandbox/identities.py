"""What GLEIF and EDGAR are played to have of the sandbox registry's companies. Nobody real has these numbers."""

from __future__ import annotations

from scrapers.identities.gleif import LeiRecord
from scrapers.records import EntityRecord

_LEI = ("984500SANDBOX0000190", "984500SANDBOX0000287")


def list_lei(authority: str, number: str) -> list[LeiRecord]:
    """The records of a number: one company has an LEI that has lapsed, another's is issued for somebody else."""
    named = {
        "SB-DE-000123": (_LEI[0], "Blue Heron Logistics LLC"),
        "SB-DE-000125": (_LEI[1], "Grey Heron Holdings LP"),
    }
    if number not in named:
        return []
    lei, name = named[number]
    return [LeiRecord(lei, name, authority, number, "ACTIVE", "LAPSED", "2026-01-31")]


def list_cik(name: str) -> list[EntityRecord]:
    """The filers of a name."""
    return [EntityRecord(entity_name=name, entity_id="0009999999")] if name == "BLUE HERON LOGISTICS LLC" else []
