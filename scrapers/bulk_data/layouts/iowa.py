"""Iowa's active entities as published: data set 554 of the state's data hub, renewed monthly.

Known from one recorded row. The address leads to a cloud store whose own address is not known here: an operator fetches
the file by hand and loads it with `--file`.
"""

from __future__ import annotations

from scrapers.bulk_data.published import BulkData, Row
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed, need_text, text
from scrapers.records import Address, EntityRecord


def _record(row: Row) -> EntityRecord:
    """One active entity; empty columns may be left out."""
    return EntityRecord(
        entity_name=need_text(row, "legal_name"),
        entity_id=need_text(row, "corp_number"),
        entity_type=text(row["corporation_type"]),
        formation_date=text(row["effective_date"]),
        agent_name=text(row.get("registered_agent")),
        agent_address=_place(row, "ra"),
        principal_address=_place(row, "ho"),
        sos_url="https://sos.iowa.gov/search/business/Search.aspx",
    )


def _place(row: Row, who: str) -> Address:
    """The agent's (`ra`) or the home office's (`ho`) address."""
    parts = {part: row.get(f"{who}_{part}") for part in ("city", "state", "zip", "country")}
    lines = (row.get(f"{who}_address_1"), row.get(f"{who}_address_2"))
    return addresses.from_parts(*lines, **parts)


BULK_DATA = BulkData(
    "https://idh-be.iowa.gov/api/v1/datasets/554/rows.json",
    "ndjson-zip",
    least_rows=250_000,
    record=_record,
    supplied=True,
    columns=frozenset(listed("corp_number | legal_name | corporation_type | effective_date")),
    walled=True,
    lacks=frozenset(listed("status | jurisdiction | officers | former_names | assumed_names")),
)
