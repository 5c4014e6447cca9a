"""New York's "Active Corporations: Beginning 1800": the columns of the data set, asked live and held whole alike.

It has no column for a status: "Active" is the title's word for all who are in it.

Few companies have a registered agent, whose columns may say "Registered Agent Revoked". Legal papers go to the
Secretary of State, who sends them on to the one named under `dos_process`: no agent, but whom they reach.
"""

from __future__ import annotations

from scrapers.normalize import addresses, names
from scrapers.normalize.addresses import one_line
from scrapers.parsing.fields import listed, need_text
from scrapers.records import Address, EntityRecord, Officer
from scrapers.transport.soda import Row, value

INQUIRY = "https://apps.dos.ny.gov/publicInquiry/"
_WHO = listed("registered_agent | location | dos_process | chairman")
_PARTS = listed("name | address_1 | address_2 | city | state | zip")
READ = (
    *listed("current_entity_name | dos_id | entity_type | initial_dos_filing_date | jurisdiction"),
    *(f"{who}_{part}" for who in _WHO for part in _PARTS),
)


def record(row: Row) -> EntityRecord:
    """One row is one entity."""
    chairman = value(row, "chairman_name")
    chief = (Officer(chairman, "Chief Executive Officer", one_line(_address(row, "chairman"))),) if chairman else ()
    return EntityRecord(
        entity_name=need_text(row, "current_entity_name"),
        entity_id=need_text(row, "dos_id"),
        status="Active",
        entity_type=value(row, "entity_type"),
        formation_date=value(row, "initial_dos_filing_date"),
        jurisdiction=value(row, "jurisdiction"),
        agent_name=value(row, "registered_agent_name"),
        agent_address=_address(row, "registered_agent"),
        process_name=value(row, "dos_process_name"),
        principal_address=_address(row, "location"),
        mailing_address=_address(row, "dos_process"),
        officers=chief,
        sos_url=INQUIRY,
    )


def _address(row: Row, prefix: str) -> Address:
    """The address of one of them; its lines may begin with the name once more."""
    name, *lines, city, state, zip_code = (value(row, f"{prefix}_{part}") for part in _PARTS)
    if not any((*lines, city, state, zip_code)):
        return Address()  # as most are: of the four, few companies have more than one
    own = _words(name)
    street = (line for line in lines if line and _words(line) != own)
    return addresses.from_parts(*street, city=city, state=state, zip=zip_code)


def _words(name: str | None) -> list[str]:
    """For "SAMPLE, JORDAN" and "JORDAN SAMPLE" the same."""
    return sorted(names.plain(name or "").split())
