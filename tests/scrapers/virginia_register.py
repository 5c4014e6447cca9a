"""Virginia's weekly archive in small, byte for byte in the form the site serves: padded, tabbed, a cell too many."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from scrapers.parsing.fields import listed

HEAD = listed(
    "EntityID | Name | Status | StatusReason | Status Date | Duration | IncorpDate | IncorpState | IndustryCode | "
    "Street1 | Street2 | City | State | Zip | PrinOffEffDate | RA-Name | RA-Street1 | RA-Street2 | RA-City | "
    "RA-State | RA-Zip | RA-EffDate | RA-Status | RA-Loc | StockInd | TotalShares | MergerInd | AssessInd"
)
HEADS = {
    "Corp.csv": [*HEAD, "Stock1"],
    "LLC.csv": [*HEAD, "Is Series LLC", "Is Protected Series", "Series LLC ID"],
    "LP.csv": HEAD,
    "GP.csv": HEAD,
    "BT.csv": HEAD,
    "PSA.csv": HEAD,
    "Officer.csv": ["EntityID", "OfficerLastName", "OfficerFirstName", "OfficerMiddleName", "OfficerTitle"],
    "NameHistory.csv": ["EntityID", "NameStatus", "NameEffDate", "EntityName"],
    "ReservedName.csv": listed("ResNumber | Type | Status | Name | ExpireDate"),
    "Merger.csv": ["EntityID", "MergerType", "EffDate", "SurvivorID", "ForeignName"],
    "Amendment.csv": ["EntityID", "AmendDate"],
}
LLC = {
    "EntityID": "11004293",
    "Name": "Blue Heron Logistics, LLC",
    "Status": "ACTIVE",
    "StatusReason": "Active and In Good Standing",
    "Status Date": "2020-01-02",
    "Duration": "9999-12-31",
    "IncorpDate": "2020-01-02",
    "IncorpState": "VA",
    "Street1": "1 Example St",
    "Street2": "Ste 5",
    "City": "Richmond",
    "State": "Virginia",
    "Zip": "23219-0000",
    "RA-Name": "JORDAN SAMPLE",
    "RA-Street1": "2 Example St",
    "RA-City": "Richmond",
    "RA-State": "Virginia",
    "RA-Zip": "23220-1234",
    "RA-Status": "Active",
    "TotalShares": "0.0",
}
CORPORATION = {
    "EntityID": "F0012345",
    "Name": "Café Granite Peak Corp",
    "Status": "INACTIVE",
    "StatusReason": "Void - Office Correct",
    "Duration": "9999-12-31",
    "IncorpDate": "9999-12-31",
    "IncorpState": "DE",
    "Street1": "9 Pine Rd",
    "City": "Reno",
    "State": "Nevada",
    "Zip": "89501",
    "RA-Name": "OLD HARBOR AGENTS",
    "RA-Street1": "7 Left Ln",
    "RA-City": "Norfolk",
    "RA-State": "Virginia",
    "RA-Zip": "23510",
    "RA-Status": "Resigned",
    "StockInd": "S",
    "TotalShares": "5000.0",
    "Stock1": "Class A",
}
NEXT_TO_THEM = {
    # Nobody promises that the tables are in one order.
    "Officer.csv": [
        ("F0012345", "SAMPLE", "RILEY", "", "PRESIDENT"),
        ("11004293", "DE LA MUESTRA", "MARIA", "ELENA", "MANAGER"),
        ("F0012345", "HARBOR HOLDINGS LLC", "", "", "DIRECTOR"),
    ],
    "NameHistory.csv": [
        ("11004293", "70", "2021-03-04", "Grey Heron Logistics, LLC"),
        ("11004293", "50", "2022-05-06", "Heron Express"),
        ("F0012345", "70", "2001-01-01", "Sandstone Corp"),
    ],
}


def archive(
    path: Path,
    tables: Mapping[str, Sequence[Mapping[str, str]]] | None = None,
    *,
    beside: Mapping[str, Sequence[Sequence[str]]] | None = None,
    heads: Mapping[str, Sequence[str]] | None = None,
    without: tuple[str, ...] = (),
) -> Path:
    """The archive at a path: entities by table, rows of the tables beside them; the usual two companies unless told."""
    entities = {"Corp.csv": [CORPORATION], "LLC.csv": [LLC]} if tables is None else tables
    more = NEXT_TO_THEM if beside is None else beside
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, usual in HEADS.items():
            head = (heads or {}).get(member, usual)
            rows = [[row.get(column, "") for column in head] for row in entities.get(member, ())]
            rows += [list(row) for row in more.get(member, ())]
            if member not in without:
                packed.writestr(member, _table(head, rows))
    return path


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        number, *cells = (cell.ljust(10) for cell in row)
        writer.writerow([f"\t{number}", *cells, ""])
    return out.getvalue().encode()
