"""Virginia's companies as published: one archive with a table each for corporations, LLCs and partnerships.

Known from a public description: the archive's address, its members, and most column names; the agent's columns
("RA-Name" …) follow the same description. Whether it may still be fetched without an account in 2026 is open. Officers
are in a table of their own that is not joined here: a gap, told by `officers` being absent.
"""

from __future__ import annotations

from scrapers.bulk_data.published import BulkData, Row
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed
from scrapers.records import EntityRecord
from scrapers.statuses import StatusMeaning, meanings

_TYPES = {"Corp.csv": "Corporation", "LLC.csv": "Limited Liability Company", "LP.csv": "Limited Partnership"}
# The files write a code where the portal writes a word.
STATUSES = meanings(
    active="Active | 00",
    neutral="Fee Delinquent | Dissolving | LLP Status Only | Pending Inactive | 50 | 98",
    inactive="Inactive | Cancelled | Terminated | Revoked | Withdrawn | Merged | Surrendered | Converted | Void | "
    "Dissolved | Expired | 08 | 09 | 10 | 11 | 12 | 13 | 15 | 16 | 17 | 18 | 19 | 20 | 22 | 23 | 24 | 25 | 26 | 30 | "
    "31 | 32 | 40 | 42 | 43 | 44 | 45 | 46 | 51 | 67 | 76 | 99",
) | {"01": StatusMeaning("neutral", "fee_delinquent"), "14": StatusMeaning("neutral", "dissolving")}


def _record(row: Row) -> EntityRecord:
    """One row; the street lines and the agent's address are split by the state itself."""
    return EntityRecord(
        entity_name=row["Name"].strip(),
        entity_id=row["EntityID"].strip(),
        entity_type=_TYPES[row["_member"]],
        status=row["Status"].strip() or None,
        formation_date=row["IncorpDate"].strip() or None,
        jurisdiction=row["IncorpState"].strip() or None,
        agent_name=row["RA-Name"].strip() or None,
        agent_address=addresses.from_parts(
            row.get("RA-Street1"),
            row.get("RA-Street2"),
            city=row.get("RA-City"),
            state=row.get("RA-State"),
            zip=row.get("RA-Zip"),
        ),
        principal_address=addresses.from_parts(
            row["Street1"], row.get("Street2"), city=row["City"], state=row["State"], zip=row["Zip"]
        ),
    )


BULK_DATA = BulkData(
    "https://cis.scc.virginia.gov/DataSales/DownloadBEDataSalesFile",
    "csv-zip",
    least_rows=500_000,
    record=_record,
    columns=frozenset(
        listed("EntityID | Name | Status | IncorpDate | IncorpState | Street1 | City | State | Zip | RA-Name")
    ),
    members=("Corp.csv", "LLC.csv", "LP.csv"),
    encoding="cp1252",
    walled=True,
)
