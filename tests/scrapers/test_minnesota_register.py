"""Minnesota's register as its office sells it: three kinds of rows in one table, in no promised order."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scrapers import discovery, gateway
from scrapers.bulk_data import copies, refresh
from scrapers.bulk_data.layouts.minnesota import _KINDS
from scrapers.failures import PageChanged
from scrapers.records import Filing, Officer, Query
from tests.scrapers.golden import NOW
from tests.scrapers.test_published_files import read, status_class

ONE, TWO, MARK, TRADE = (f"00000000-0000-4000-8000-00000000000{number}" for number in range(1, 5))


def row(kind: str, master: str, **cells: str) -> list[str]:
    """A row of this kind; what is not named is empty. Columns are named with underscores."""
    known = {"Master ID": master, "Record Type": kind, "Business Type Code": "44", "Original Filing Number": "1001"}
    given = known | {name.replace("_", " "): value for name, value in cells.items()}
    assert given.keys() <= set(_KINDS[kind]), given
    return [given.get(column, "") for column in _KINDS[kind]]


def place(kind: str, street: str, **cells: str) -> dict[str, str]:
    return {
        "Address_Type_Number": kind,
        "Street_Address_Line_1": street,
        "City_Name": "Duluth",
        "Region_Code": "MN",
        "Postal_Code": "55802",
        "Country_Name": "USA",
    } | cells


ROWS = [
    row("03", ONE, Name_Type_Number="4", Party_Name="JORDAN SAMPLE", **place("14", "18 Imaginary Rd")),
    row("02", ONE, Filing_Number="1001", Filing_Action="Original Filing", Filing_Date="03/04/2019"),
    row("03", ONE, Name_Type_Number="7", Party_Name="CASEY EXAMPLE", **place("14", "19 Imaginary Rd")),
    row("03", ONE, Name_Type_Number="13", Party_Name="RILEY DOE", **place("14", "20 Imaginary Rd")),
    row("03", ONE, **place("2", "100 Lantern Ave", Street_Address_Line_2="Suite 220", Postal_Code_Extension="1234")),
    row("03", ONE, **place("3", "7 Office St")),
    row("03", ONE, **place("11", "PO Box 7")),
    row(
        "01",
        ONE,
        Minnesota_Business_Name='LOON "LAKE" LANTERNS LLC',
        Business_Filing_Status="Active",
        Filing_Date="03/04/2019",
        Export_Date="11/01/2026",
    ),
    row("02", ONE, Filing_Number="1455", Filing_Action="Name Change", Filing_Date="01/09/2025"),
    row(
        "01",
        TWO,
        Business_Type_Code="43",
        Original_Filing_Number="J-160",
        Minnesota_Business_Name="IOWA LANTERNS INC",
        Business_Filing_Status="Inactive",
        Filing_Date="02/02/2010",
        Home_Jurisdiction="Iowa",
    ),
    row("01", MARK, Business_Type_Code="57", Minnesota_Business_Name="LOON", Business_Filing_Status="Active"),
    row("01", TRADE, Business_Type_Code="59", Minnesota_Business_Name="LOON WORKS", Business_Filing_Status="Active"),
]


def archive(path: Path, *rows: list[str]) -> Path:
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL).writerows(rows or ROWS)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("business_bulk_data.csv", table.getvalue())
    return path


class TestAnEntity:
    """Its rows stand anywhere in the table."""

    def test_is_read_whole(self, tmp_path: Path) -> None:
        first, _ = read("MN", archive(tmp_path / "mn.zip"))
        assert (first.entity_name, first.entity_id) == ('LOON "LAKE" LANTERNS LLC', "1001")
        assert (first.entity_type, first.formation_date, first.jurisdiction) == (
            "Limited Liability Company (Domestic)",
            "03/04/2019",
            "MN",
        )
        assert (first.agent_name, first.agent_address.street) == ("JORDAN SAMPLE", "18 Imaginary Rd")
        office = first.principal_address
        assert (office.street, office.city, office.zip) == ("100 Lantern Ave, Suite 220", "Duluth", "55802-1234")
        assert first.mailing_address.street == "PO Box 7"
        assert first.officers == (Officer("RILEY DOE", "Manager", "20 Imaginary Rd, Duluth, MN 55802, USA"),)
        assert first.filings == (Filing("01/09/2025", "Name Change"), Filing("03/04/2019", "Original Filing"))
        assert status_class("MN", first) == "active"

    def test_that_has_ended_or_is_from_elsewhere_says_so(self, tmp_path: Path) -> None:
        _, second = read("MN", archive(tmp_path / "mn.zip"))
        assert (second.entity_id, second.jurisdiction, status_class("MN", second)) == ("J-160", "Iowa", "inactive")
        assert (second.agent_name, second.filings) == (None, ())

    def test_has_no_former_names_which_is_known_of_the_copy(self) -> None:
        portal = discovery.find_portal("MN")
        assert portal is not None
        assert "former_names" in portal.list_lacking(from_copy=True)

    def test_has_the_registered_office_where_its_agent_has_no_address(self, tmp_path: Path) -> None:
        agent = row("03", ONE, Name_Type_Number="4", Party_Name="JORDAN SAMPLE")
        first, _ = read("MN", archive(tmp_path / "mn.zip", agent, *ROWS[1:]))
        assert (first.agent_name, first.agent_address.street) == ("JORDAN SAMPLE", "7 Office St")

    def test_is_no_trademark_and_no_name_alone(self, tmp_path: Path) -> None:
        assert [one.entity_id for one in read("MN", archive(tmp_path / "mn.zip"))] == ["1001", "J-160"]


class TestAStrangeFile:
    """Is refused with a reason."""

    @pytest.mark.parametrize(
        ("strange", "why"),
        [
            (row("01", ONE, Business_Type_Code="99", Minnesota_Business_Name="X"), "unknown type '99'"),
            ([*row("02", ONE, Filing_Action="Renewal"), "one more"], "10 cells in a row of the kind '02'"),
            ([ONE, "04", "44", "1001"], "4 cells in a row of the kind '04'"),
            ([ONE], "1 cells in a row of the kind ''"),
            (row("03", ONE, Name_Type_Number="77", Party_Name="PAT EXAMPLE"), "unknown kind .'77', ''"),
            (row("03", ONE, **place("888", "5 Nowhere Ave")), "unknown kind .'', '888'"),
            (row("01", MARK, Original_Filing_Number="", Minnesota_Business_Name="X"), "Original Filing Number"),
            (row("01", MARK), "Minnesota Business Name"),
        ],
    )
    def test_with_what_nobody_knows(self, tmp_path: Path, strange: list[str], why: str) -> None:
        with pytest.raises(PageChanged, match=why):
            read("MN", archive(tmp_path / "mn.zip", *ROWS, strange))

    def test_may_have_the_headings_that_are_known(self, tmp_path: Path) -> None:
        assert len(read("MN", archive(tmp_path / "mn.zip", list(_KINDS["01"]), *ROWS))) == 2

    def test_may_not_be_the_list_of_active_businesses(self, tmp_path: Path) -> None:
        head = ["Business Filing Type", "Business Name", "File Number", "Filing Date", "Status"]
        with pytest.raises(PageChanged, match="5 cells in a row of the kind 'Business Name'"):
            read("MN", archive(tmp_path / "mn.zip", head))


@pytest.mark.django_db
class TestTheOperator:
    """Brings the file."""

    def test_learns_that_it_cannot_be_fetched(self) -> None:
        with pytest.raises(CommandError, match="--file"):
            call_command("load_bulk_data", "MN", stdout=StringIO(), stderr=StringIO())

    def test_has_it_answer_once_it_is_loaded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        portal = discovery.find_portal("MN")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        file = archive(tmp_path / "mn.zip")
        call_command("load_bulk_data", "MN", "--file", str(file), stdout=StringIO(), stderr=StringIO())
        current = copies.find_current("MN")
        assert current is not None
        (found,), _ = current.list_by_name("loon lake lanterns", limit=5, wider=5)
        assert found.entity_id == "1001"
        assert list(tmp_path.iterdir()) == [file]

    def test_reads_that_reserved_names_are_not_seen_where_one_seems_free(
        self, switches: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reserved = row("01", MARK, Business_Type_Code="60", Minnesota_Business_Name="Grey Loon LLC")
        portal = discovery.find_portal("MN")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        file = archive(tmp_path / "mn.zip", *ROWS, reserved)
        call_command("load_bulk_data", "MN", "--file", str(file), stdout=StringIO(), stderr=StringIO())
        reply = gateway.fetch_name(Query("MN", "Grey Loon LLC"), now=NOW, budget_seconds=10, from_copy=True)
        assert reply.verdict.verdict == "free"
        assert "reserved names" in (reply.verdict.status_note or "")
