"""SEC EDGAR: the numbers (CIK) of those who file with it, from its list of all names, `cik-lookup-data.txt`.

The list has one `NAME:CIK:` a line, names from before among them, and no number of any state: a name alone is what a
CIK can be found by, so it is only ever suggested. EDGAR's search by state of incorporation answers people; its terms
ask programs for at most ten requests a second under a declared name, and the list needs one a week instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scrapers.bulk_data.archives import Lines
from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged
from scrapers.portal import Portal
from scrapers.records import LONGEST_NAME, EntityRecord
from scrapers.transport.pace import Pace


def _rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="latin-1", newline="") as file:
        for number, line in enumerate(Lines(file, path.name), start=1):
            name, _, cik = line.strip().removesuffix(":").rpartition(":")  # a name may have colons of its own
            if not line.strip():
                continue
            if len(cik) != 10 or not (cik.isascii() and cik.isdigit()):
                raise PageChanged(f"{path.name}, line {number}: no name with a number of ten digits")
            yield {"name": name.strip(), "cik": cik}


def _record(row: Row) -> EntityRecord | None:
    name = row["name"]
    return EntityRecord(entity_name=name, entity_id=row["cik"]) if 0 < len(name) <= LONGEST_NAME else None


NAMES = BulkData(
    "https://www.sec.gov/Archives/edgar/cik-lookup-data.txt", "csv", least_rows=300_000, record=_record, joined=_rows
)


class Edgar(Portal):
    """The SEC's register of those who file with it."""

    code = "EDGAR"
    hosts = ("www.sec.gov",)
    pace = Pace(1.0, 1)
    bulk_data = NAMES


EDGAR = Edgar()
