"""Vermont's register as its office hands it out every week to holders of an account (free in 2025): one table.

Known from public descriptions of the table (2026-11): the names of its columns, those of addresses by their beginnings
alone. Guessed: that it is a CSV file in UTF-8. A column that is neither named nor of a known family refuses the file.
An operator brings it: `load_bulk_data VT --file`.
"""

from __future__ import annotations

import re

from scrapers.bulk_data.published import BulkData, Row
from scrapers.normalize import addresses, types
from scrapers.parsing.fields import listed, need_text, text
from scrapers.records import Address, EntityRecord

PAGE = "https://bizfilings.vermont.gov/business/businesssearch"
_COLUMNS = listed(
    "BUSINESS ID | BUSINESS NAME | BUSINESS STATUS | BUSINESS TYPE | PLACE OF FORMATION | BUSINESS ORIGIN DATE | "
    "REGISTERED AGENT"
)
_KNOWN = re.compile(
    r"(?:PRINCIPAL OFFICE|MAILING|FOREIGN|AGENT|REGISTERED AGENT) .+"
    r"|(?:DISSOLVED|TERMINATION|WITHDRAWAL|CANCELLATION|MERGED|CESSATION|LAST ANNUAL REPORT) DATE"
    r"|FILE NO|CORPORATION (?:SUB)?TYPE|FISCAL YEAR MONTH|NAICS (?:SUB)?CODE|BUSINESS DESCRIPTION"
)


def _record(row: Row) -> EntityRecord | None:
    """One row; trade names and reserved names are no entities."""
    kind = text(row["BUSINESS TYPE"])
    if types.name_kind(kind) != "legal":
        return None
    return EntityRecord(
        entity_name=need_text(row, "BUSINESS NAME"),
        entity_id=need_text(row, "BUSINESS ID"),
        entity_type=kind,
        status=text(row["BUSINESS STATUS"]),
        formation_date=text(row["BUSINESS ORIGIN DATE"]),
        jurisdiction=text(row["PLACE OF FORMATION"]),
        agent_name=text(row["REGISTERED AGENT"]),
        agent_address=_place(row, "AGENT "),
        principal_address=_place(row, "PRINCIPAL OFFICE "),
        mailing_address=_place(row, "MAILING "),
        sos_url=PAGE,
    )


def _place(row: Row, family: str) -> Address:
    """An address from the columns that begin alike: each says at its end what it holds."""
    found = {name: value for name, value in row.items() if name.startswith(family)}
    parts = {
        part: next((value for name, value in found.items() if name.endswith(part.upper())), None)
        for part in ("city", "state", "zip", "country")
    }
    street = (value for name, value in found.items() if re.search(r"\bADDRESS(?: ?LINE)?(?: ?\d)?$", name))
    return addresses.from_parts(*street, **parts)


BULK_DATA = BulkData(
    PAGE,
    "csv",
    least_rows=50_000,
    record=_record,
    columns=frozenset(_COLUMNS),
    known=_KNOWN,
    supplied=True,
    walled=True,
    entities_alone=True,
)
