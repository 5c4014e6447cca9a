"""Virginia's register as published, weekly: one archive of eleven tables behind a cookie consent, without an account.

Known from two public projects that read the archive of August 2026: six tables of entities with 28 columns in common,
officers and other names beside them; UTF-8, each value padded with blanks, a tab before each EntityID, one cell more
than the header in each row, statuses as words, 9999-12-31 where there is no day. Fictitious names carry no day on which
they end. Mergers, amendments and reserved names are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scrapers.bulk_data.archives import unpacked
from scrapers.bulk_data.companions import Cells, companions
from scrapers.bulk_data.published import BulkData, Row
from scrapers.bulk_data.reading import find_members, table
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.officers import has_company_signs
from scrapers.parsing.fields import coded, listed, text
from scrapers.records import Address, EntityRecord, Officer
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession

_HOST = "https://cis.scc.virginia.gov"
_TYPES = coded(
    "Corp.csv: Corporation | LLC.csv: Limited Liability Company | LP.csv: Limited Partnership | "
    "GP.csv: General Partnership | BT.csv: Business Trust | PSA.csv: Professional Stock Association"
)
_STOCK = coded("S: Stock Corporation | N: Nonstock Corporation")
_OFFICER = listed("OfficerLastName | OfficerFirstName | OfficerMiddleName | OfficerTitle")
_FORMER, _FICTITIOUS = "70", "50"
_COLUMNS = frozenset(
    listed(
        "EntityID | Name | Status | StatusReason | IncorpDate | IncorpState | Street1 | Street2 | City | State | Zip | "
        "RA-Name | RA-Street1 | RA-Street2 | RA-City | RA-State | RA-Zip | RA-Status | StockInd"
    )
)
_NO_DAY = "9999-12-31"
# The file writes the portal's words, in capitals.
STATUSES = meanings(
    "Active | Fee Delinquent | Dissolving | LLP Status Only | Pending Inactive | Inactive | Cancelled | Terminated | "
    "Revoked | Withdrawn | Merged | Surrendered | Converted | Void | Dissolved | Expired"
)


def consent(session: PortalSession) -> None:
    """Answer the site's question about cookies; it wants a post without a body, and its length."""
    session.get(f"{_HOST}/Cookie/CookieConsent")
    session.post(f"{_HOST}/Cookie/StoreCookieConsent", headers={"X-Requested-With": "XMLHttpRequest"})


def _rows(path: Path) -> Iterator[Row]:
    """Every entity of the six tables, with its officers and its other names as JSON lists."""
    with unpacked(path) as archive:
        find_members(archive, (*_TYPES, "Officer.csv", "NameHistory.csv"))

        def cells(member: str, *columns: str) -> Iterator[tuple[str, Cells]]:
            for row in table(archive, member, frozenset(("EntityID", *columns)), encoding="utf-8"):
                yield row["EntityID"], tuple(row[column] for column in columns)

        beside = {
            "officers": cells("Officer.csv", *_OFFICER),
            "names": cells("NameHistory.csv", "NameStatus", "EntityName"),
        }
        with companions(path.parent, beside) as find:
            for member in _TYPES:
                for row in table(archive, member, _COLUMNS, encoding="utf-8"):
                    yield {**row, "_member": member, **find(row["EntityID"])}


def _record(row: Row) -> EntityRecord:
    """One entity; the state splits its addresses itself."""
    kind = _TYPES[row["_member"]]
    name, names = " ".join(row["Name"].split()), _names(row)
    resigned = row["RA-Status"].casefold() == "resigned"
    return EntityRecord(
        entity_name=name,
        entity_id=row["EntityID"],
        entity_type=_STOCK.get(row["StockInd"], kind) if row["_member"] == "Corp.csv" else kind,
        status=text(row["Status"]),
        standing=text(row["StatusReason"]),
        formation_date=None if row["IncorpDate"] == _NO_DAY else text(row["IncorpDate"]),
        jurisdiction=text(row["IncorpState"]),
        agent_name=None if resigned else text(row["RA-Name"]),
        agent_address=Address() if resigned else _place(row, "RA-"),
        principal_address=_place(row, ""),
        officers=tuple(_officer(*cells) for cells in json.loads(row["officers"]) if any(cells[:3])),
        former_names=tuple(dict.fromkeys(one for one in names[_FORMER] if one != name)),
        assumed_names=tuple(dict.fromkeys(names[_FICTITIOUS])),
        sos_url=f"{_HOST}/EntitySearch/Index",
    )


def _names(row: Row) -> dict[str, list[str]]:
    """Former and fictitious names by their code; PageChanged for another code, whose names would be neither."""
    names: dict[str, list[str]] = {_FORMER: [], _FICTITIOUS: []}
    for code, name in json.loads(row["names"]):
        if code not in names:
            raise PageChanged(f"{row['EntityID']}: a name of the unknown status {code!r}")
        names[code] += filter(None, [text(name)])
    return names


def _officer(last: str, first: str, middle: str, title: str) -> Officer:
    """A person's name stands in three cells; a company's in one, or spread over them."""
    given = " ".join(filter(None, (first, middle)))
    whole = " ".join(filter(None, (given, last)))
    if not given or has_company_signs(whole):
        return Officer(whole, text(title))
    return Officer(f"{last}, {given}", text(title), kind="person") if last else Officer(given, text(title))


def _place(row: Row, who: str) -> Address:
    return addresses.from_parts(
        row[f"{who}Street1"],
        row[f"{who}Street2"],
        city=row[f"{who}City"],
        state=row[f"{who}State"],
        zip=row[f"{who}Zip"],
    )


BULK_DATA = BulkData(
    f"{_HOST}/DataSales/DownloadBEDataSalesFile",
    "csv-zip",
    least_rows=500_000,
    record=_record,
    joined=_rows,
    asked_before=consent,
    walled=True,
    entities_alone=True,
)
