"""An installation that asks nobody: GLEIF's golden copy and EDGAR's list are loaded, as registers are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scrapers.bulk_data import copies, refresh
from scrapers.identities.edgar import EDGAR, Edgar
from scrapers.identities.gleif import GLEIF, Gleif
from scrapers.models import BulkCopy, BulkEntity
from tests.lookups.conftest import Customer
from tests.lookups.gleif_server import PlayedGleif, golden_copy, lei, record
from tests.lookups.identifiers.conftest import include

pytestmark = pytest.mark.django_db
DAY = datetime(2026, 11, 1, tzinfo=UTC)
ELSEWHERE = [
    record("Acme Corp.", authority="RA888888"),
    record("Acme Corp.", authority="RA777777"),
    record("Acme Corp.", authority="RA000602"),
    record("Acme GmbH", authority="RA000242"),
]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handful of lines is a whole copy here."""
    for publisher in (Gleif, Edgar):
        assert publisher.bulk_data is not None
        monkeypatch.setattr(publisher, "bulk_data", replace(publisher.bulk_data, least_rows=1))


def load_gleif(folder: Path, records: list[Any]) -> BulkCopy:
    file = golden_copy(folder / f"golden-{len(records)}.zip", records)
    return refresh.load(portal=GLEIF, file=file, as_of=DAY, now=DAY)


def load_edgar(folder: Path, text: str) -> BulkCopy:
    file = folder / "cik-lookup-data.txt"
    file.write_text(text, encoding="latin-1")
    return refresh.load(portal=EDGAR, file=file, as_of=DAY, now=DAY)


class TestAGoldenCopy:
    """Of GLEIF's, loaded."""

    def test_answers_and_no_request_leaves(self, customer: Customer, gleif: PlayedGleif, tmp_path: Path) -> None:
        copy = load_gleif(tmp_path, [record("ACME CORP.", registration="LAPSED"), *ELSEWHERE])
        told = include(customer).json()["identifiers"]["lei"]
        assert (told["status"], told["lei"], told["registrationStatus"]) == ("attached", lei(100001), "LAPSED")
        assert told["evidence"]["fromRegister"] is True
        assert told["evidence"]["retrievedAt"] == "2026-11-01T00:00:00.000Z"
        assert told["evidence"]["sha256"] == copy.sha256
        assert gleif.asked == []

    def test_keeps_lines_of_states_registries_alone(self, gleif: PlayedGleif, tmp_path: Path) -> None:
        copy = load_gleif(tmp_path, [record("Acme Corp."), *ELSEWHERE])
        assert (copy.rows_read, copy.entities) == (5, 2)
        keys = BulkEntity.objects.filter(copy=copy).values_list("entity_id", flat=True)
        assert sorted(keys) == ["RA000602/100001", "RA000628/100001"]

    def test_attaches_nothing_under_another_name(self, customer: Customer, gleif: PlayedGleif, tmp_path: Path) -> None:
        load_gleif(tmp_path, [record("Zenith Paper Mills Inc.")])
        assert include(customer).json()["identifiers"]["lei"]["status"] == "name_disagrees"

    def test_serves_where_gleif_may_not_be_asked(
        self, customer: Customer, gleif: PlayedGleif, tmp_path: Path, settings: Any
    ) -> None:
        settings.ASK_GLEIF = False
        load_gleif(tmp_path, [record("Acme Corp.")])
        assert include(customer).json()["identifiers"]["lei"]["status"] == "attached"

    def test_of_another_layout_is_refused_and_the_one_before_goes_on(self, gleif: PlayedGleif, tmp_path: Path) -> None:
        first = load_gleif(tmp_path, [record("Acme Corp.")])
        changed = golden_copy(tmp_path / "changed.zip", [record("Acme Corp.")], without="Entity.EntityStatus")
        with pytest.raises(copies.LoadRefused, match="layout has changed"):
            refresh.load(portal=GLEIF, file=changed, as_of=DAY, now=DAY)
        assert BulkCopy.objects.get(state="GLEIF", status="current") == first

    def test_is_loaded_by_the_command_that_loads_registers(
        self, gleif: PlayedGleif, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = golden_copy(tmp_path / "golden.zip", [record("Acme Corp.")])
        call_command("load_bulk_data", "gleif", file=file, as_of="2026-11-01")
        assert "GLEIF answers from its bulk data of 2026-11-01: 1 entities." in capsys.readouterr().out
        with pytest.raises(CommandError, match="publishes no bulk data"):
            call_command("load_bulk_data", "SEC")


class TestACik:
    """Has no state's number: the name alone speaks for it."""

    LIST = "ACME CORP:0000000101:\nACME CORP OF NEVADA:0000000102:\nZEBRA: STRIPES INC:0000000103:\n"

    def test_is_suggested_where_one_filer_has_just_this_name(
        self, customer: Customer, gleif: PlayedGleif, tmp_path: Path
    ) -> None:
        load_edgar(tmp_path, self.LIST)
        told = include(customer).json()["identifiers"]["cik"]
        assert (told["status"], told["cik"], told["name"]) == ("suggested", "0000000101", "ACME CORP")
        assert told["evidence"]["sourceUrl"] == "https://www.sec.gov/Archives/edgar/cik-lookup-data.txt"

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("ACME CORP:0000000101:\nAcme Corp.:0000000109:\n", "ambiguous"),
            ("ACME CORP:0000000101:\nAcme Corp.:0000000101:\n", "suggested"),
            ("ACME LLC:0000000104:\n", "not_found"),
            ("ACME:0000000105:\n", "not_found"),
        ],
    )
    def test_is_never_guessed(
        self, customer: Customer, gleif: PlayedGleif, tmp_path: Path, text: str, status: str
    ) -> None:
        load_edgar(tmp_path, text)
        told = include(customer).json()["identifiers"]["cik"]
        assert (told["status"], told["cik"] is not None) == (status, status == "suggested")

    def test_is_read_from_lines_of_one_form_alone(self, tmp_path: Path) -> None:
        with pytest.raises(copies.LoadRefused, match="line 2: no name with a number of ten digits"):
            load_edgar(tmp_path, "ACME CORP:0000000101:\n<html>Your request looks automated</html>\n")
