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
from scrapers.statuses import meanings

_TYPES = {"Corp.csv": "Corporation", "LLC.csv": "Limited Liability Company", "LP.csv": "Limited Partnership"}
# The files write a code where the portal writes a word.
STATUSES = meanings(
    "Active | Fee Delinquent | Dissolving | LLP Status Only | Pending Inactive | Inactive | Cancelled | Terminated | "
    "Revoked | Withdrawn | Merged | Surrendered | Converted | Void | Dissolved | Expired",
    active="00",
    not_in_good_standing="01",
    dissolving="14",
    inactive="67",
    revoked="30 | 31 | 32",
    involuntarily_dissolved="08 | 09 | 10 | 11 | 16 | 19 | 76",
    terminated="13",
    canceled="15 | 24 | 51",
    withdrawn="18 | 26 | 40",
    expired="12 | 23",
    merged="20 | 42",
    converted="22 | 43 | 44 | 45 | 46",
    domesticated="17 | 25",
    void="99",
    neutral="50 | 98",
)


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
