"""New York's "Active Corporations: Beginning 1800": the columns of the data set, asked live and held whole alike."""

from __future__ import annotations

from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need_text
from scrapers.records import Address, EntityRecord, Officer
from scrapers.transport.soda import Row, value

INQUIRY = "https://apps.dos.ny.gov/publicInquiry/"
_WHO = listed("registered_agent | location | dos_process | chairman")
_PARTS = listed("address_1 | address_2 | city | state | zip")
READ = (
    *listed(
        "current_entity_name | dos_id | entity_type | initial_dos_filing_date | jurisdiction | "
        "registered_agent_name | chairman_name"
    ),
    *(f"{who}_{part}" for who in _WHO for part in _PARTS),
)


def record(row: Row) -> EntityRecord:
    """One row is one entity; the process address is where the Department sends legal papers."""
    chairman = value(row, "chairman_name")
    chief = (Officer(chairman, "Chief Executive Officer", one_line(_address(row, "chairman"))),) if chairman else ()
    return EntityRecord(
        entity_name=need_text(row, "current_entity_name"),
        entity_id=need_text(row, "dos_id"),
        entity_type=value(row, "entity_type"),
        formation_date=value(row, "initial_dos_filing_date"),
        jurisdiction=value(row, "jurisdiction"),
        agent_name=value(row, "registered_agent_name"),
        agent_address=_address(row, "registered_agent"),
        principal_address=_address(row, "location"),
        mailing_address=_address(row, "dos_process"),
        officers=chief,
        sos_url=INQUIRY,
    )


def _address(row: Row, prefix: str) -> Address:
    street, more, city, state, zip_code = (value(row, f"{prefix}_{part}") for part in _PARTS)
    return addresses.from_parts(street, more, city=city, state=state, zip=zip_code)
