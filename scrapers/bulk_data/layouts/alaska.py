"""Alaska's corporations as published: one CSV file of 35 columns, checked by several public clients.

It holds what lives and nothing that has ended (87,824 rows of 2022 have no status that says so), so an absence from it
is told with a note. Officers stand in a second file that is not joined: a gap.
"""

from __future__ import annotations

from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed, text
from scrapers.records import Address, EntityRecord

_FILE = "https://www.commerce.alaska.gov/cbp/main/DbDownload/CorporationsDownload"
DETAIL = "https://www.commerce.alaska.gov/cbp/main/Search/EntityDetail/"
_PARTS = listed("ADDRESS1 | ADDRESS2 | CITY | STATEPROVINCE | ZIP | COUNTRY")
_KINDS = listed("ENTITYMAILING | ENTITYPHYS | REGISTEREDPHYS | REGISTEREDMAIL")
_PLACES = [f"{kind}{part}" for kind in _KINDS for part in _PARTS]
_COLUMNS = listed(
    "CORPTYPE | ENTITYNUMBER | LEGALNAME | ASSUMEDNAME | STATUS | AKFORMEDDATE | HOMESTATE | HOMECOUNTRY | "
    "REGISTEREDAGENT"
)
_NO_ENTITIES = listed("business name registration | foreign corporate name registration | name reservation")


def _record(row: Row) -> EntityRecord | None:
    """One row of the CSV; registered and reserved names are no entities."""
    if row["CORPTYPE"].strip().casefold() in _NO_ENTITIES:
        return None
    home = row["HOMESTATE"].strip()
    return EntityRecord(
        entity_name=_needed(row, "LEGALNAME"),
        entity_id=_needed(row, "ENTITYNUMBER"),
        entity_type=text(row["CORPTYPE"]),
        status=text(row["STATUS"]),
        formation_date=text(row["AKFORMEDDATE"]),
        jurisdiction=text(home) or text(row["HOMECOUNTRY"]),
        domestic=home.casefold() == "alaska" if home else None,
        agent_name=text(row["REGISTEREDAGENT"]),
        agent_address=_place(row, "REGISTEREDPHYS") or _place(row, "REGISTEREDMAIL"),
        principal_address=_place(row, "ENTITYPHYS"),
        mailing_address=_place(row, "ENTITYMAILING"),
        assumed_names=tuple(filter(None, (text(row["ASSUMEDNAME"]),))),
        sos_url=DETAIL + row["ENTITYNUMBER"].strip(),
    )


def _needed(row: Row, column: str) -> str:
    value = text(row[column])
    if value is None:
        raise PageChanged(f"a row has no {column}")
    return value


def _place(row: Row, kind: str) -> Address:
    street, more, *rest = (row[f"{kind}{part}"] for part in _PARTS)
    return addresses.from_parts(street, more, **dict(zip(("city", "state", "zip", "country"), rest, strict=True)))


BULK_DATA = BulkData(
    _FILE,
    "csv",
    least_rows=60_000,
    record=_record,
    columns=frozenset((*_COLUMNS, *_PLACES)),
    walled=True,
    active_only=True,
)
