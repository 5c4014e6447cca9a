"""Alaska's published file, down to the last column."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scrapers.bulk_data import reading
from scrapers.bulk_data.layouts.alaska import BULK_DATA
from scrapers.failures import PageChanged
from scrapers.records import Address, EntityRecord

HEAD = [
    "CORPTYPE",
    "ENTITYNUMBER",
    "LEGALNAME",
    "ASSUMEDNAME",
    "STATUS",
    "AKFORMEDDATE",
    "DURATIONEXPIRATIONDATE",
    "HOMESTATE",
    "HOMECOUNTRY",
    "NEXTBRDUEDATE",
    "REGISTEREDAGENT",
    *(
        f"{kind}{part}"
        for kind in ("ENTITYMAILING", "ENTITYPHYS", "REGISTEREDMAIL", "REGISTEREDPHYS")
        for part in ("ADDRESS1", "ADDRESS2", "CITY", "STATEPROVINCE", "ZIP", "COUNTRY")
    ),
]
HERON = {
    "CORPTYPE": "Limited Liability Company",
    "ENTITYNUMBER": "10140911",
    "LEGALNAME": "Blue Heron Logistics, LLC",
    "ASSUMEDNAME": "Heron Freight",
    "STATUS": "Good Standing",
    "AKFORMEDDATE": "01/02/2020",
    "HOMESTATE": "ALASKA",
    "HOMECOUNTRY": "UNITED STATES",
    "REGISTEREDAGENT": "Riley Sample",
    "ENTITYMAILINGADDRESS1": "PO BOX 7",
    "ENTITYMAILINGCITY": "NOME",
    "ENTITYMAILINGSTATEPROVINCE": "AK",
    "ENTITYMAILINGZIP": "99762",
    "ENTITYPHYSADDRESS1": "1 FRONT ST",
    "ENTITYPHYSADDRESS2": "STE 3",
    "ENTITYPHYSCITY": "NOME",
    "ENTITYPHYSSTATEPROVINCE": "AK",
    "ENTITYPHYSZIP": "997621234",
    "REGISTEREDPHYSADDRESS1": "2 FRONT ST",
    "REGISTEREDPHYSCITY": "NOME",
    "REGISTEREDPHYSSTATEPROVINCE": "AK",
    "REGISTEREDPHYSZIP": "99762",
}


def read(path: Path, *rows: dict[str, str], head: list[str] = HEAD) -> list[EntityRecord]:
    """What the state makes of a file with these rows."""
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, head, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return [record for row in reading.rows(path, BULK_DATA) if (record := BULK_DATA.record(row)) is not None]


class TestAlaskasFile:
    """A CSV of every corporation, company and partnership."""

    def test_is_read_down_to_the_agent(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path / "all.csv", HERON)
        assert (record.entity_name, record.entity_id) == ("Blue Heron Logistics, LLC", "10140911")
        assert (record.status, record.formation_date, record.domestic) == ("Good Standing", "01/02/2020", True)
        assert record.principal_address == Address("1 FRONT ST, STE 3", "NOME", "AK", "99762-1234")
        assert record.mailing_address == Address("PO BOX 7", "NOME", "AK", "99762")
        assert record.agent_address == Address("2 FRONT ST", "NOME", "AK", "99762")
        assert (record.agent_name, record.assumed_names) == ("Riley Sample", ("Heron Freight",))

    @pytest.mark.parametrize(
        "kind", ["Business Name Registration", "Foreign Corporate Name Registration", "Name Reservation"]
    )
    def test_holds_names_that_are_no_entities(self, tmp_path: Path, kind: str) -> None:
        assert read(tmp_path / "all.csv", HERON | {"CORPTYPE": kind}) == []

    def test_has_an_agent_who_gave_a_mailing_address_alone(self, tmp_path: Path) -> None:
        mailing = {name.replace("PHYS", "MAIL"): text for name, text in HERON.items() if name.startswith("REGISTEREDP")}
        row = {name: text for name, text in HERON.items() if not name.startswith("REGISTEREDP")} | mailing
        (record,) = read(tmp_path / "all.csv", row | {"REGISTEREDMAILADDRESS1": "PO BOX 2"})
        assert record.agent_address == Address("PO BOX 2", "NOME", "AK", "99762")

    def test_names_a_foreign_home(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path / "all.csv", HERON | {"HOMESTATE": "DELAWARE", "ENTITYNUMBER": "1127F"})
        assert (record.jurisdiction, record.domestic, record.entity_id) == ("DELAWARE", False, "1127F")

    def test_is_refused_without_a_column(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="REGISTEREDAGENT"):
            read(tmp_path / "all.csv", HERON, head=[name for name in HEAD if name != "REGISTEREDAGENT"])

    def test_is_refused_when_a_row_has_no_name(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="LEGALNAME"):
            read(tmp_path / "all.csv", HERON | {"LEGALNAME": " "})
