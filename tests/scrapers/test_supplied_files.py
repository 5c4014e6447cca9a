"""Registers that an operator brings: read as far as they are known, refused with a reason where they are not."""

from __future__ import annotations

import csv
import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from subprocess import run

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from scrapers import discovery
from scrapers.bulk_data import copies, refresh
from scrapers.failures import PageChanged
from scrapers.models import BulkCopy
from scrapers.records import EntityRecord
from tests.scrapers.test_published_files import read, status_class


def write(path: Path, *rows: dict[str, str], without: str = "", more: str = "") -> Path:
    head = [name for name in rows[0] if name != without] + ([more] if more else [])
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, head, extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


class TestVermont:
    """One table, weekly."""

    ROW = {
        "BUSINESS ID": "0373126",
        "FILE NO": "",
        "BUSINESS NAME": "Maple Lantern Works, LLC",
        "BUSINESS STATUS": "Active",
        "BUSINESS TYPE": "Domestic Limited Liability Company",
        "CORPORATION TYPE": "",
        "PLACE OF FORMATION": "VERMONT",
        "BUSINESS ORIGIN DATE": "02/03/2019",
        "TERMINATION DATE": "",
        "NAICS CODE": "332",
        "BUSINESS DESCRIPTION": "Lanterns",
        "PRINCIPAL OFFICE ADDRESS 1": "5 Mill St",
        "PRINCIPAL OFFICE ADDRESS 2": "Unit 2",
        "PRINCIPAL OFFICE CITY": "Montpelier",
        "PRINCIPAL OFFICE STATE": "VT",
        "PRINCIPAL OFFICE ZIP": "05602",
        "MAILING ADDRESS 1": "PO Box 7",
        "MAILING CITY": "Barre",
        "MAILING STATE": "VT",
        "MAILING ZIP": "05641",
        "REGISTERED AGENT": "JORDAN SAMPLE",
        "AGENT ADDRESS 1": "9 Pine Rd",
        "AGENT CITY": "Burlington",
        "AGENT STATE": "VT",
        "AGENT ZIP": "05401",
    }

    def test_is_read_whole(self, tmp_path: Path) -> None:
        trade = self.ROW | {"BUSINESS TYPE": "Trade Name", "BUSINESS ID": "0373127"}
        gone = self.ROW | {"BUSINESS STATUS": "Terminated", "BUSINESS ID": "0373128"}
        first, second = read("VT", write(tmp_path / "vt.csv", self.ROW, trade, gone))
        assert (first.entity_name, first.entity_id, first.formation_date) == (
            "Maple Lantern Works, LLC",
            "0373126",
            "02/03/2019",
        )
        assert (first.principal_address.street, first.principal_address.zip) == ("5 Mill St, Unit 2", "05602")
        assert (first.mailing_address.street, first.mailing_address.city) == ("PO Box 7", "Barre")
        assert (first.agent_name, first.agent_address.city) == ("JORDAN SAMPLE", "Burlington")
        assert (status_class("VT", first), status_class("VT", second)) == ("active", "inactive")

    def test_is_refused_with_a_column_that_nobody_knows(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match=r"\['OWNER SSN'\] are unknown"):
            read("VT", write(tmp_path / "vt.csv", self.ROW, more="OWNER SSN"))

    def test_is_refused_without_a_column_that_it_needs(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="BUSINESS STATUS"):
            read("VT", write(tmp_path / "vt.csv", self.ROW, without="BUSINESS STATUS"))

    def test_is_refused_where_a_row_has_no_number(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="BUSINESS ID"):
            read("VT", write(tmp_path / "vt.csv", self.ROW | {"BUSINESS ID": ""}))

    def test_is_brought_by_the_operator(self, tmp_path: Path, settings) -> None:
        settings.VAR_DIR = tmp_path
        with pytest.raises(copies.LoadRefused, match="--file"):
            refresh.fetch(portal=discovery.find_portal("VT"), now=datetime(2026, 11, 22, tzinfo=UTC))

    @pytest.mark.django_db
    def test_answers_once_it_is_loaded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        portal = discovery.find_portal("VT")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        file = write(tmp_path / "vt.csv", self.ROW)
        call_command("load_bulk_data", "VT", "--file", str(file), stdout=StringIO(), stderr=StringIO())
        current = copies.find_current("VT")
        assert current is not None
        (found,), _ = current.list_by_name("maple lantern works", limit=5, wider=5)
        assert found.entity_id == "0373126"

    @pytest.mark.django_db
    def test_is_smaller_than_before_only_where_an_operator_says_so(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        portal = discovery.find_portal("VT")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        large = write(tmp_path / "large.csv", *(self.ROW | {"BUSINESS ID": f"037312{n}"} for n in range(4)))
        small = write(tmp_path / "small.csv", self.ROW)
        loads = {"stdout": StringIO(), "stderr": StringIO()}
        call_command("load_bulk_data", "VT", "--file", str(large), **loads)
        with pytest.raises(CommandError, match="only 1 entities where at least 3 were expected"):
            call_command("load_bulk_data", "VT", "--file", str(small), **loads)
        assert BulkCopy.objects.get(status="current").entities == 4
        call_command("load_bulk_data", "VT", "--file", str(small), "--smaller", **loads)
        assert BulkCopy.objects.get(status="current").entities == 1

    @pytest.mark.django_db
    def test_is_of_no_day_that_is_still_to_come(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        portal = discovery.find_portal("VT")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        file = write(tmp_path / "vt.csv", self.ROW)
        os.utime(file, (2_500_000_000, 2_500_000_000))
        call_command("load_bulk_data", "VT", "--file", str(file), stdout=StringIO(), stderr=StringIO())
        current = copies.find_current("VT")
        assert current is not None
        assert current.as_of <= timezone.now()

    @pytest.mark.django_db
    def test_tells_the_operator_why_it_is_refused(self, tmp_path: Path) -> None:
        file = write(tmp_path / "vt.csv", self.ROW, more="OWNER SSN")
        with pytest.raises(CommandError, match="OWNER SSN"):
            call_command("load_bulk_data", "VT", "--file", str(file), stdout=StringIO(), stderr=StringIO())

    @pytest.mark.django_db
    def test_tells_the_operator_that_it_is_no_folder(self, tmp_path: Path) -> None:
        write(tmp_path / "vt.csv", self.ROW)
        with pytest.raises(CommandError, match=r"Nothing has changed: .*Is a directory"):
            call_command("load_bulk_data", "VT", "--file", str(tmp_path), stdout=StringIO(), stderr=StringIO())

    @pytest.mark.django_db
    def test_tells_the_operator_that_there_is_no_room_for_one(self, tmp_path: Path, settings) -> None:
        settings.VAR_DIR = tmp_path
        (tmp_path / "bulk_data").write_text("no folder, and nowhere for a file to go")
        with pytest.raises(CommandError, match=r"Nothing has changed: .*bulk_data"):
            call_command("load_bulk_data", "AK", stdout=StringIO(), stderr=StringIO())

    @pytest.mark.django_db
    def test_is_of_a_state_that_is_named(self, tmp_path: Path) -> None:
        file = write(tmp_path / "vt.csv", self.ROW)
        with pytest.raises(CommandError, match="name the state"):
            call_command("load_bulk_data", "--file", str(file), stdout=StringIO(), stderr=StringIO())

    @pytest.mark.django_db
    @pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "2062-11-22", "0001-01-01T00:00+14:00"])
    def test_is_of_a_day_that_there_was(self, tmp_path: Path, day: str) -> None:
        file = write(tmp_path / "vt.csv", self.ROW)
        with pytest.raises(CommandError, match="--as-of"):
            call_command("load_bulk_data", "VT", "--file", str(file), "--as-of", day, stderr=StringIO())


class TestMassachusetts:
    """A folder of tables with headers, joined by the office's own number."""

    ROW = {
        "DataID": "123456",
        "FEIN": "001234567",
        "EntityName": "COD LANTERN WORKS, INC.",
        "EntityTypeDescriptor": "Domestic Profit Corporation",
        "DateOfOrganization": "02/03/1999 00:00:00",
        "JurisdictionState": "",
        "InactiveDate": "",
        "InactiveType": "",
        "Addr1": "5 MILL ST",
        "Addr2": "",
        "City": "BOSTON",
        "State": "MA",
        "PostalCode": "02110",
        "FiscalMonth": "12",
    }
    NAMES = {"DataID": "123456", "OldEntityName": "HADDOCK LANTERNS, INC.", "NameChangeDate": "2004-05-06"}

    def records(self, tmp_path: Path, *rows: dict[str, str], without: str = "") -> list[EntityRecord]:
        write(tmp_path / "CorpData.txt", *rows, without=without)
        write(tmp_path / "CorpNameChange.txt", self.NAMES)
        return read("MA", tmp_path)

    def test_is_joined_by_number_with_its_former_names(self, tmp_path: Path) -> None:
        other = self.ROW | {"DataID": "123457", "FEIN": "", "InactiveDate": "01/02/2010", "InactiveType": "I"}
        first, second = self.records(tmp_path, self.ROW, other)
        assert (first.entity_id, first.entity_name, first.former_names) == (
            "001234567",
            "COD LANTERN WORKS, INC.",
            ("HADDOCK LANTERNS, INC.",),
        )
        assert (first.status, first.jurisdiction, first.formation_date) == ("Active", "MA", "02/03/1999")
        assert (second.entity_id, second.status, second.former_names) == (
            "123457",
            "Inactive: Involuntary Dissolution",
            (),
        )
        assert (status_class("MA", first), status_class("MA", second)) == ("active", "inactive")

    @pytest.mark.parametrize("kind", ["Foreign Corporation", "Limited Liability Company", ""])
    def test_has_no_home_where_the_file_names_none(self, tmp_path: Path, kind: str) -> None:
        (found,) = self.records(tmp_path, self.ROW | {"EntityTypeDescriptor": kind})
        assert found.jurisdiction is None

    @pytest.mark.parametrize(("flag", "status"), [("Y", "Active"), ("A", "Active"), ("N", "Inactive: Merger")])
    def test_is_active_where_the_flag_says_so_for_one_that_was_revived(
        self, tmp_path: Path, flag: str, status: str
    ) -> None:
        ended = {"InactiveDate": "01/02/2010", "InactiveType": "M", "ActiveFlag": flag, "RevivalDate": "03/04/2012"}
        (found,) = self.records(tmp_path, self.ROW | ended)
        assert found.status == status

    def test_is_not_active_where_the_flag_says_so_without_a_day(self, tmp_path: Path) -> None:
        (found,) = self.records(tmp_path, self.ROW | {"ActiveFlag": "N"})
        assert (found.status, status_class("MA", found)) == ("Inactive", "inactive")

    @pytest.mark.parametrize(("kind", "home"), [("Foreign Corporation", None), ("Domestic Profit Corporation", "MA")])
    def test_has_no_home_in_the_sign_that_stands_for_none(self, tmp_path: Path, kind: str, home: str | None) -> None:
        (found,) = self.records(tmp_path, self.ROW | {"EntityTypeDescriptor": kind, "JurisdictionState": "FF"})
        assert found.jurisdiction == home

    def test_is_refused_where_an_entity_ended_in_a_way_that_nobody_knows(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="unknown kind 'Z'"):
            self.records(tmp_path, self.ROW | {"InactiveType": "Z"})

    def test_is_refused_without_a_column(self, tmp_path: Path) -> None:
        with pytest.raises(PageChanged, match="inactivetype"):
            self.records(tmp_path, self.ROW, without="InactiveType")

    def test_is_refused_without_a_table(self, tmp_path: Path) -> None:
        write(tmp_path / "CorpData.txt", self.ROW)
        with pytest.raises(PageChanged, match=r"no CorpNameChange\.txt"):
            read("MA", tmp_path)

    @pytest.mark.django_db
    def test_answers_once_its_folder_is_loaded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        portal = discovery.find_portal("MA")
        assert portal is not None
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        self.records(tmp_path, self.ROW)
        call_command("load_bulk_data", "MA", "--file", str(tmp_path), stdout=StringIO(), stderr=StringIO())
        current = copies.find_current("MA")
        assert current is not None
        (found,), _ = current.list_by_name("cod lantern works", limit=5, wider=5)
        assert found.entity_id == "001234567"
        listed = run(["sh", "-c", "LC_ALL=C sha256sum *"], cwd=tmp_path, capture_output=True, check=True)
        assert current.sha256 == hashlib.sha256(listed.stdout).hexdigest()
