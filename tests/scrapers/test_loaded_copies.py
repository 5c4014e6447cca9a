"""A state whose search is walled answers from a copy of its bulk data, and never from half of one."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from jurisdictions import services
from scrapers import discovery, gateway
from scrapers.bulk_data import copies, refresh
from scrapers.bulk_data.published import BulkData, Row
from scrapers.bulk_data.reading import rows
from scrapers.bulk_data.stored_form import from_plain, to_plain
from scrapers.failures import PageChanged, PortalDisabled, PortalUnavailable
from scrapers.models import BulkCopy, BulkEntity
from scrapers.normalize.addresses import from_parts
from scrapers.portal import Capabilities, Portal
from scrapers.records import EntityRecord, Found, FoundFilings, NotFound, Officer, Query
from scrapers.search import neighbors
from scrapers.search.pipeline import ask
from scrapers.search.sources import Source, choose_source
from scrapers.statuses import meanings
from scrapers.transport.recording import load_steps
from scrapers.transport.session import PortalSession, Trace, TransportSettings
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER
from tests.scrapers.states.test_alaska import HEAD as ALASKAN
from tests.scrapers.states.test_alaska import HERON

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HEAD = ["NUMBER", "NAME", "STATE OF IT", "CITY"]


def _record(row: Row) -> EntityRecord | None:
    if row["STATE OF IT"] == "Reserved":
        return None
    return EntityRecord(
        entity_name=row["NAME"],
        entity_id=row["NUMBER"],
        status=row["STATE OF IT"],
        principal_address=from_parts(city=row["CITY"]),
    )


class Northland(Portal):
    """A fictional state that publishes a CSV file, and has no search."""

    code = "ZZ"
    hosts = ("files.example.test",)
    bulk_data = BulkData(
        "https://files.example.test/all.csv", "csv", least_rows=2, record=_record, columns=frozenset(HEAD), walled=True
    )
    capabilities = Capabilities(addresses=True)
    published = frozenset({"status", "principal_address"})
    statuses = meanings(active="Good Standing", inactive="Dissolved")
    id_pattern = r"\d{1,9}"


def write_csv(path: Path, lines: list[list[str]], head: list[str] = HEAD) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *lines])
    return path


LINES = [
    ["1", "Blue Heron Logistics, LLC", "Good Standing", "Nome"],
    ["2", "Blue Heron Logistics Alaska Inc.", "Dissolved", "Sitka"],
    ["3", "Zebra Crossing Ltd", "Good Standing", ""],
    ["4", "Put Aside Name", "Reserved", ""],
]


def put(question: Query, trace: Trace | None = None) -> Found | NotFound:
    session = PortalSession(
        portal="ZZ",
        hosts=Northland.hosts,
        settings=TransportSettings(user_agent="test"),
        deadline=time.monotonic() + 60,
        trace=trace,
    )
    copy = copies.find_current("ZZ")
    return ask(Northland(), session, question, now=NOW, threshold=0.92, copy=copy)  # type: ignore[return-value]


def published(kind: Any, *columns: str) -> BulkData:
    """A file somewhere, of which nothing but its layout matters."""
    return BulkData("https://x", kind, 1, _record, frozenset(columns))


def load(file: Path, as_of: datetime = NOW) -> BulkCopy:
    return refresh.load(portal=Northland(), file=file, as_of=as_of, now=NOW)


@pytest.mark.django_db
class TestALoadedCopy:
    """The state's file, in our database."""

    def test_answers_with_the_company_and_the_day_of_the_copy(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", LINES), as_of=NOW - timedelta(days=3))
        answer = put(Query("ZZ", name="BLUE HERON LOGISTICS L.L.C."))
        assert isinstance(answer, Found)
        assert (answer.record.entity_id, answer.match.kind) == ("1", "exact")
        assert answer.as_of == NOW - timedelta(days=3)

    def test_answers_by_identifier(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", LINES))
        answer = put(Query("ZZ", entity_id="3"))
        assert isinstance(answer, Found)
        assert answer.record.entity_name == "Zebra Crossing Ltd"

    def test_chooses_nobody_where_two_have_the_number(self, tmp_path: Path) -> None:
        owners = [["7", "First Owner LLC", "Good Standing", "Nome"], ["7", "Second Owner LLC", "Dissolved", "Sitka"]]
        load(write_csv(tmp_path / "all.csv", [*owners, *LINES]))
        for name in (None, "Second Owner LLC"):
            answer = put(Query("ZZ", entity_id="7", name=name))
            assert isinstance(answer, NotFound)
            assert answer.ambiguous
            assert {one.name for one in answer.suggestions} == {"First Owner LLC", "Second Owner LLC"}
        answer = put(Query("ZZ", name="Second Owner LLC"))
        assert isinstance(answer, Found)
        assert answer.record.status == "Dissolved"

    def test_takes_a_row_that_stands_twice_for_one(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", [*LINES, *LINES]))
        answer = put(Query("ZZ", entity_id="3"))
        assert isinstance(answer, Found)

    def test_has_a_name_that_is_longer_once_it_is_spelled_out(self, tmp_path: Path) -> None:
        """Of 33 partners: what they are compared by has 259 characters. It is taken, and was free."""
        partners = " & ".join(f"{one}{two}x" for one in "abcdefg" for two in "aeiou")[:195]
        load(write_csv(tmp_path / "all.csv", [*LINES, ["77", f"{partners} LLP", "Good Standing", ""]]))
        talk = PortalSession(
            portal="ZZ", hosts=Northland.hosts, settings=TransportSettings(user_agent="test"), deadline=time.monotonic()
        )
        held = choose_source(Northland(), talk, copies.find_current("ZZ")).names_taken(partners.upper())
        assert {row.entity_id for row in held.candidates} == {"77"}

    def test_says_not_found_for_a_name_that_is_not_in_it(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", LINES))
        assert isinstance(put(Query("ZZ", name="Nobody Knows Inc")), NotFound)

    def test_leaves_out_rows_that_are_no_entity(self, tmp_path: Path) -> None:
        copy = load(write_csv(tmp_path / "all.csv", LINES))
        assert (copy.rows_read, copy.entities) == (4, 3)

    def test_is_replaced_at_once_by_the_next_one(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        load(write_csv(tmp_path / "new.csv", [*LINES, ["5", "Fresh Start LLC", "Good Standing", ""]]))
        assert isinstance(put(Query("ZZ", name="Fresh Start LLC")), Found)
        assert BulkCopy.objects.filter(status="current").count() == 1
        assert BulkEntity.objects.exclude(copy__status="current").count() == 0

    @pytest.mark.parametrize("asked", [{"name": "Zebra Crossing Ltd"}, {"entity_id": "3"}], ids=["by name", "by id"])
    def test_that_is_replaced_while_it_is_read_is_no_not_found(self, asked: dict[str, str], tmp_path: Path) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))

        def replace_once_asked(execute: Any, sql: str, *more: Any) -> Any:
            if not waiting or "scrapers_bulkentity" not in sql:
                return execute(sql, *more)
            waiting.clear()
            load(write_csv(tmp_path / "new.csv", [*LINES, ["5", "Fresh Start LLC", "Good Standing", ""]]))
            return execute(sql, *more)

        waiting = [True]
        with connection.execute_wrapper(replace_once_asked), pytest.raises(PortalUnavailable):
            put(Query("ZZ", **asked))
        assert isinstance(put(Query("ZZ", **asked)), Found)

    def test_tells_of_no_other_file_than_it_was_loaded_from(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        known = copies.find_current("ZZ")
        load(write_csv(tmp_path / "new.csv", [*LINES, ["5", "Fresh Start LLC", "Good Standing", ""]]))
        assert known is not None
        with pytest.raises(PortalUnavailable):
            known.list_by_id("5")


NEIGHBORS = [
    ["11", "Emmy The Tailor LLC", "Good Standing", ""],
    ["12", "International Lantern Works, Inc.", "Good Standing", ""],
    ["13", "Sarah Gaudette LLC", "Good Standing", ""],
    ["14", "Stick and Rudder LLC", "Good Standing", ""],
    ["15", "Julieth Multiservices LLC", "Good Standing", ""],
    ["16", "Quiet Pond Services LLC", "Good Standing", ""],
]


@pytest.mark.django_db
class TestANameThatPeopleWriteOtherwise:
    """Than the register, so that its words are not the same: the company stands a few lines away."""

    @pytest.mark.parametrize(
        ("asked", "number"),
        [
            ("Emmy Tailor LLC", "11"),
            ("Intl Lantern Works", "12"),
            ("Gaudette, Sarah", "13"),
            ("Stick Andrudder L.L.C.", "14"),
        ],
    )
    def test_finds_the_company_where_a_live_search_would(self, asked: str, number: str, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", NEIGHBORS))
        answer = put(Query("ZZ", name=asked))
        assert isinstance(answer, Found)
        assert answer.record.entity_id == number
        assert answer.match.kind == "close"

    @pytest.mark.parametrize(("asked", "number"), [("Juleeth Multiservices", "15"), ("Quiet Pond Service LLC", "16")])
    def test_is_never_a_flat_not_found_beside_a_near_one(self, asked: str, number: str, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", NEIGHBORS))
        answer = put(Query("ZZ", name=asked))
        assert isinstance(answer, NotFound)
        assert number in [near.entity_id for near in answer.suggestions]

    def test_finds_the_company_beside_another_of_its_number(self, tmp_path: Path) -> None:
        two = [["7", "Quill Harbor Freight LLC", "Good Standing", ""], ["7", "Quiet Lagoon LLC", "Good Standing", ""]]
        load(write_csv(tmp_path / "all.csv", [*LINES, *two]))
        answer = put(Query("ZZ", name="Quil Harbour Freight"))
        assert isinstance(answer, NotFound)
        assert [near.name for near in answer.suggestions] == ["Quill Harbor Freight LLC"]

    def test_is_suggested_only_where_more_begin_so_than_are_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(neighbors, "MOST", 3)
        lines = [[str(n), f"Emmy The Tailor {n} LLC", "Good Standing", ""] for n in range(20, 30)]
        load(write_csv(tmp_path / "all.csv", [*NEIGHBORS, *lines]))
        assert isinstance(put(Query("ZZ", name="Emmy Tailor LLC")), NotFound)


@pytest.mark.django_db
class TestALien:
    """Of a state whose companies are loaded: the registry of liens is asked, and no file holds them."""

    def test_is_not_of_the_day_of_the_companies_file(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", LINES), as_of=NOW - timedelta(days=90))
        talk = Conversation("FL", *load_steps(FOLDER / "FL" / "ucc-debtor"))
        question = Query("FL", "Mangrove Lantern Charters LLC", kind="ucc")
        copy = copies.find_current("ZZ")
        answer = ask(talk.portal, talk.session, question, now=NOW, threshold=0.92, copy=copy)
        assert isinstance(answer, FoundFilings)
        assert (answer.evidence.from_copy, answer.as_of) == (False, None)


@pytest.mark.django_db
class TestABrokenFile:
    """A download that is not what it was."""

    def test_with_other_columns_is_refused_and_the_old_copy_answers(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        with pytest.raises(copies.LoadRefused, match="layout"):
            load(write_csv(tmp_path / "new.csv", LINES, head=["NUMBER", "TITLE", "STATE OF IT", "CITY"]))
        assert isinstance(put(Query("ZZ", name="Zebra Crossing")), Found)

    def test_at_a_place_too_long_to_be_kept_is_refused(self, tmp_path: Path) -> None:
        folder = tmp_path / ("f" * 200) / ("g" * 200)
        folder.mkdir(parents=True)
        with pytest.raises(copies.LoadRefused, match="its path has more than 300 characters"):
            load(write_csv(folder / "all.csv", LINES))

    def test_with_a_column_twice_is_refused(self, tmp_path: Path) -> None:
        twice = write_csv(tmp_path / "all.csv", [[*line, "Dissolved"] for line in LINES], head=[*HEAD, "STATE OF IT"])
        with pytest.raises(copies.LoadRefused, match="each of them once"):
            load(twice)

    def test_with_a_company_without_a_number_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(copies.LoadRefused, match="'Nobody Knows LLC' has no number"):
            load(write_csv(tmp_path / "all.csv", [*LINES, ["", "Nobody Knows LLC", "Good Standing", ""]]))

    def test_with_a_shifted_row_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(copies.LoadRefused, match="cells"):
            load(write_csv(tmp_path / "new.csv", [*LINES, ["6", "Broken, Inc", "Good Standing", "Nome", "extra"]]))

    @pytest.mark.parametrize(
        ("opened", "closed"),
        [
            ('8,"Quiet Pond LLC,Good Standing,JUNEAU', '9,Loud Pond 5",Good Standing,NOME'),
            ('"8,Quiet Pond LLC,Good Standing,JUNEAU', '9",Loud Pond LLC,Good Standing,NOME'),
            ('8,Quiet Pond LLC,Good Standing,"JUNEAU', '9,Loud Pond LLC,Good Standing,NOME"'),
            ('8,"Quiet Pond LLC,Good Standing,JUNEAU', '9,"Loud Pond LLC",Good Standing,NOME'),
            ('8,Quiet Pond LLC,Good Standing,"JUNEAU', "9,Loud Pond LLC,Good Standing,NOME"),
        ],
    )
    def test_with_a_stray_quote_loses_no_companies_in_one_cell(self, opened: str, closed: str, tmp_path: Path) -> None:
        file = write_csv(tmp_path / "stray.csv", LINES)
        whole = file.read_text()
        for between in ("", "7,Between Them LLC,Good Standing,SITKA\n"):
            file.write_text(f"{whole}{opened}\n{between}{closed}\n")
            with pytest.raises(copies.LoadRefused, match="a quote holds several rows"):
                load(file)

    def test_with_a_cell_that_the_reader_trips_over_is_refused_and_the_old_copy_answers(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It was "loading" for a week, and nobody was told why."""
        load(write_csv(tmp_path / "old.csv", LINES))
        odd = replace(Northland.bulk_data, record=lambda row: _record({**row, "NUMBER": str(int(row["NUMBER"]))}))
        monkeypatch.setattr(Northland, "bulk_data", odd)
        with pytest.raises(copies.LoadRefused, match="ValueError: invalid literal"):
            load(write_csv(tmp_path / "new.csv", [["five", *LINES[0][1:]]]))
        assert "ValueError" in BulkCopy.objects.get(status="refused").detail
        assert isinstance(put(Query("ZZ", name="Zebra Crossing")), Found)

    def test_that_ends_within_its_last_cell_is_refused(self, tmp_path: Path) -> None:
        file = write_csv(tmp_path / "cut.csv", LINES)
        file.write_text(f'{file.read_text()}8,Quiet Pond LLC,Good Standing,"JUNE')
        with pytest.raises(copies.LoadRefused, match="ends within a quoted cell"):
            load(file)

    def test_may_have_lines_in_a_cell(self, tmp_path: Path) -> None:
        lines = ["8", "Quiet Pond,\nLoud Pond, LLC", "Good Standing", "A\nB, C"]
        load(write_csv(tmp_path / "lines.csv", [*LINES, lines]))
        assert BulkEntity.objects.filter(entity_id="8").exists()

    def test_that_lost_most_of_its_rows_is_refused(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        with pytest.raises(copies.LoadRefused, match="expected"):
            load(write_csv(tmp_path / "new.csv", LINES[:1]))
        assert isinstance(put(Query("ZZ", name="Zebra Crossing")), Found)

    def test_that_ends_early_by_a_little_is_refused_and_one_that_lost_as_many_here_and_there_is_not(
        self, tmp_path: Path
    ) -> None:
        lines = [[str(number), f"Company {number} LLC", "Good Standing", ""] for number in range(1, 2001)]
        load(write_csv(tmp_path / "old.csv", lines))
        with pytest.raises(copies.LoadRefused, match=r"100 of the last 100 entities .* are missing"):
            load(write_csv(tmp_path / "cut.csv", lines[:-100]))
        assert isinstance(put(Query("ZZ", name="Company 2000")), Found)
        grown = [["3000", "Company 3000 LLC", "Good Standing", ""]]
        assert load(write_csv(tmp_path / "purged.csv", [*lines[::20], *lines[100:], *grown])).status == "current"

    def test_that_holds_its_rows_twice_keeps_no_whole_one_from_coming_next(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "twice.csv", LINES * 2))
        assert isinstance(put(Query("ZZ", name="Zebra Crossing")), Found)
        assert load(write_csv(tmp_path / "new.csv", LINES)).status == "current"

    def test_that_holds_a_third_of_the_rows_thrice_is_refused(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        with pytest.raises(copies.LoadRefused, match="only 1 entities"):
            load(write_csv(tmp_path / "third.csv", LINES[:1] * 3))

    def test_that_is_no_archive_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "x.zip"
        path.write_bytes(b"<html>Just a moment...</html>")
        with pytest.raises(PageChanged, match="no zip"):
            next(rows(path, published("ndjson-zip")))


@pytest.mark.django_db
class TestAFileInWindowsLetters:
    """Where UTF-8 is expected: nobody says in which the offices write."""

    def test_keeps_every_name(self, tmp_path: Path) -> None:
        file = write_csv(tmp_path / "all.csv", [*LINES, ["7", "Ni\u00f1o\u2019s Pe\u00f1a LLC", "Good Standing", ""]])
        file.write_bytes(file.read_text(encoding="utf-8").encode("cp1252"))
        load(file)
        answer = put(Query("ZZ", name="NINO'S PENA, LLC"))
        assert isinstance(answer, Found)
        assert answer.record.entity_name == "Ni\u00f1o\u2019s Pe\u00f1a LLC"

    def test_may_stand_in_an_archive(self, tmp_path: Path) -> None:
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", "A\nPe\u00f1a\n".encode("cp1252") + "Pe\u00f1a\n".encode())
        assert [row["A"] for row in rows(path, published("csv-zip", "A"))] == ["Pe\u00f1a", "Pe\u00f1a"]


@pytest.mark.django_db
class TestALoadThatWasKilled:
    """A worker that died in the middle."""

    def test_goes_on_where_it_stopped_and_loads_nothing_twice(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(copies, "BATCH", 10)
        lines = [[str(number), f"Company {number} LLC", "Good Standing", ""] for number in range(1, 96)]
        file = write_csv(tmp_path / "all.csv", lines)

        def die(copy: BulkCopy) -> None:
            if copy.rows_read >= 40:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            refresh.load(portal=Northland(), file=file, as_of=NOW, now=NOW, progress=die)
        assert BulkCopy.objects.get().status == "loading"
        copy = load(file)
        assert (copy.entities, BulkCopy.objects.count()) == (95, 1)
        numbers = BulkEntity.objects.values_list("entity_id", flat=True)
        assert sorted(map(int, numbers)) == list(range(1, 96))

    def test_begins_anew_where_another_file_has_its_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(copies, "BATCH", 10)
        old = [[str(number), f"Old Company {number} LLC", "Good Standing", ""] for number in range(1, 41)]

        def die(copy: BulkCopy) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            refresh.load(
                portal=Northland(), file=write_csv(tmp_path / "all.csv", old), as_of=NOW, now=NOW, progress=die
            )
        new = [[str(number), f"New Company {number} LLC", "Good Standing", ""] for number in range(1, 41)]
        file = write_csv(tmp_path / "all.csv", new)
        copy = load(file)
        assert (copy.entities, copy.sha256) == (40, hashlib.sha256(file.read_bytes()).hexdigest())
        keys = BulkEntity.objects.values_list("name_key", flat=True)
        assert {key.split()[0] for key in keys} == {"new"}

    def test_is_never_loaded_by_two_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(copies, "BATCH", 10)
        file = write_csv(tmp_path / "all.csv", [[str(n), f"Company {n} LLC", "Good Standing", ""] for n in range(40)])

        def overtake(copy: BulkCopy) -> None:
            if copy.rows_read == 20:
                BulkCopy.objects.filter(pk=copy.pk).update(rows_read=30)

        with pytest.raises(copies.OtherLoad):
            refresh.load(portal=Northland(), file=file, as_of=NOW, now=NOW, progress=overtake)
        assert BulkEntity.objects.count() == 20
        assert BulkCopy.objects.get().status == "loading"

    def begun(self, file: Path) -> BulkCopy:
        """A load of which all rows are read, and that is not yet switched to."""
        source = refresh.get_bulk_data(Northland())
        copy = copies.begin(state="ZZ", bulk_data=source, file=file, as_of=NOW, now=NOW)
        copies.load(copy=copy, bulk_data=source)
        return copy

    def test_never_answers_once_another_has_taken_its_place(self, tmp_path: Path) -> None:
        source = refresh.get_bulk_data(Northland())
        load(write_csv(tmp_path / "old.csv", LINES))
        first = self.begun(write_csv(tmp_path / "first.csv", LINES))
        self.begun(write_csv(tmp_path / "second.csv", LINES))
        with pytest.raises(copies.OtherLoad):  # its rows are being removed
            copies.switch(copy=first, bulk_data=source, now=NOW)
        copies.prune()
        assert isinstance(put(Query("ZZ", entity_id="3")), Found)

    def test_goes_on_answering_where_somebody_gives_it_up_too_late(self, tmp_path: Path) -> None:
        copy = self.begun(write_csv(tmp_path / "all.csv", LINES))
        seen = BulkCopy.objects.get()
        copies.switch(copy=copy, bulk_data=refresh.get_bulk_data(Northland()), now=NOW)
        copies.refuse(copy=seen, why="replaced by a newer load", now=NOW)
        copies.prune()
        assert isinstance(put(Query("ZZ", entity_id="3")), Found)

    def test_is_not_begun_beside_another(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun(write_csv(tmp_path / "first.csv", LINES))
        monkeypatch.setattr(copies, "refuse", lambda **_: None)  # the other one began after the look for one
        with pytest.raises(copies.OtherLoad):
            self.begun(write_csv(tmp_path / "second.csv", LINES))


@pytest.mark.django_db
class TestAStateWithoutItsCopy:
    """Nothing loaded yet."""

    def test_says_so_and_never_not_found(self) -> None:
        with pytest.raises(PortalDisabled, match="No copy of this state's bulk data is loaded"):
            put(Query("ZZ", name="Anything LLC"))


class TestAFile:
    """The kinds of files states publish."""

    def test_is_read_line_by_line_from_json_in_an_archive(self, tmp_path: Path) -> None:
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.ndjson", "\n".join(json.dumps({"id": n, "name": None}) for n in range(3)))
        found = list(rows(path, published("ndjson-zip", "id")))
        assert [row["id"] for row in found] == ["0", "1", "2"]
        assert found[0]["name"] == ""

    def test_is_read_by_position_where_it_has_a_fixed_width(self, tmp_path: Path) -> None:
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.txt", "0001ACME\r\n0002ZETA\r\n")
        found = [row["line"] for row in rows(path, replace(published("fixed-zip"), width=8))]
        assert found == ["0001ACME", "0002ZETA"]

    def test_may_end_its_rows_with_empty_cells(self, tmp_path: Path) -> None:
        path = tmp_path / "x.csv"
        path.write_text("A,B\r\n1,2,,\r\n")
        assert list(rows(path, published("csv", "A"))) == [{"A": "1", "B": "2"}]


class TestARecord:
    """Its short form in the database."""

    def test_comes_back_as_it_went_in(self) -> None:
        record = EntityRecord(
            entity_name="Zoë & Søn, Inc.",
            entity_id="7",
            agent_address=from_parts("1 Main St", city="Nome", state="AK", zip="99762"),
            officers=(Officer("JORDAN SAMPLE", "President"),),
            former_names=("Old Name Inc.",),
        )
        assert from_plain(json.loads(json.dumps(to_plain(record)))) == record


@pytest.mark.postgres
@pytest.mark.django_db
class TestANameSearch:
    """Five million rows would be read for ever without the index."""

    def test_uses_the_index(self, on_postgres: None, tmp_path: Path) -> None:
        lines = [[str(number), f"Company {number:05d} LLC", "Good Standing", ""] for number in range(3000)]
        copy = load(write_csv(tmp_path / "all.csv", lines))
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE scrapers_bulkentity")
            cursor.execute(
                "EXPLAIN SELECT record FROM scrapers_bulkentity WHERE copy_id = %s AND name_key LIKE %s",
                [copy.pk, "company 00042%"],
            )
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "bulk_entity_name" in plan
        assert connection.vendor == "postgresql"


def test_the_reader_keeps_one_row_in_memory(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "x.zip"
    line = json.dumps({"id": 1, "name": "x" * 300}) + "\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a", "w") as raw:
        out = io.TextIOWrapper(raw, encoding="utf-8")
        for _ in range(50_000):
            out.write(line)
        out.close()
    tracemalloc.start()
    count = sum(1 for _ in rows(path, published("ndjson-zip", "id")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 50_000
    assert peak < 3_000_000, f"16 MB of rows took {peak} bytes"


@pytest.mark.django_db
class TestTheEvidence:
    """What proves an answer from a copy."""

    def test_is_the_file_and_what_stood_in_it(self, tmp_path: Path) -> None:
        load(write_csv(tmp_path / "all.csv", LINES))
        trace = Trace()
        answer = put(Query("ZZ", entity_id="1"), trace=trace)
        assert answer.evidence.source_url == Northland.bulk_data.url
        [read] = trace.exchanges
        assert (read.method, read.url) == ("COPY", Northland.bulk_data.url)
        written = hashlib.sha256((tmp_path / "all.csv").read_bytes()).hexdigest()
        assert read.file == {"sha256": written, "asOf": NOW.date().isoformat()}
        [row] = json.loads(read.body)
        assert row["entity_id"] == "1"


@pytest.mark.django_db
class TestAnOpenDataSetHeldWhole:
    """Loaded beside the live search: live questions stay live, names too common to list are seen all at once."""

    def test_is_loaded_from_the_platforms_export(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        portal = discovery.find_portal("NY")
        assert portal is not None
        assert portal.bulk_data is not None
        assert portal.bulk_data.url.startswith("https://data.ny.gov/resource/n9v6-gdp6.csv")
        head = ["dos_id", "current_entity_name", "initial_dos_filing_date", "entity_type", "chairman_name"]
        lines = [["1", "ACME CORP.", "2012-06-28T00:00:00", "DOMESTIC BUSINESS CORPORATION", ""]]
        file = write_csv(tmp_path / "ny.csv", lines, head=head)
        monkeypatch.setattr(type(portal), "bulk_data", replace(portal.bulk_data, least_rows=1))
        refresh.load(portal=portal, file=file, as_of=NOW, now=NOW)
        current = copies.find_current("NY")
        assert current is not None
        found, _ = current.list_by_name("acme", limit=10, wider=10)
        assert [(record.entity_id, record.formation_date) for record in found] == [("1", "2012-06-28T00:00:00")]

    def test_shows_names_that_a_cut_list_hides(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        head = ["entityid", "entityname", "entitystatus", "entitytype", "entityformdate"]
        rest = ["Good Standing", "DLLC", "2012-06-28T00:00:00.000"]
        lines = [*([str(n), f"ACME {n} LLC", *rest] for n in range(600)), ["999", "ACME", *rest]]
        source = load_beside("CO", write_csv(tmp_path / "co.csv", lines, head=head), monkeypatch)
        narrow = source.narrow("Acme LLC")
        assert narrow is not None
        assert (len(narrow.candidates), narrow.complete, source.narrow_proves) == (601, True, True)
        assert source.from_copy

    def test_proves_nothing_where_it_lacks_the_ended_ones(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        head = ["dos_id", "current_entity_name", "initial_dos_filing_date", "entity_type"]
        lines = [["1", "ACME LLC", "2012-06-28T00:00:00", "DOMESTIC LLC"]]
        source = load_beside("NY", write_csv(tmp_path / "ny.csv", lines, head=head), monkeypatch)
        assert not source.narrow_proves
        assert not source.from_copy


class TestACopyOfWhatLivesAlone:
    """Alaska's file: what has ended is not in it, and may well be on the register."""

    @pytest.fixture(autouse=True)
    def _loaded(self, switches: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        portal = discovery.find_portal("AK")
        assert portal is not None
        services.enable(code="AK")
        file = write_csv(tmp_path / "ak.csv", [[HERON.get(name, "") for name in ALASKAN]], head=ALASKAN)
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        refresh.load(portal=portal, file=file, as_of=NOW, now=NOW)

    @pytest.mark.parametrize(
        ("name", "kind"), [("Blue Heron Mining, Inc.", NotFound), ("Blue Heron Logistics, LLC", Found)]
    )
    def test_says_so_beside_its_answer(self, name: str, kind: type) -> None:
        reply = gateway.fetch(Query("AK", name), now=NOW, budget_seconds=10)
        assert isinstance(reply.answer, kind)
        assert reply.note == gateway.ACTIVE_ONLY

    def test_says_so_beside_a_name_that_is_free_in_it(self) -> None:
        reply = gateway.fetch_name(Query("AK", "Blue Heron Mining"), now=NOW, budget_seconds=10, from_copy=True)
        assert "active entities only" in (reply.verdict.status_note or "")


def load_beside(code: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """The source of a state whose open data has been loaded from this file."""
    portal = discovery.find_portal(code)
    assert portal is not None
    monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
    refresh.load(portal=portal, file=file, as_of=NOW, now=NOW)
    session = PortalSession(
        portal=code,
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="test"),
        deadline=time.monotonic() + 60,
    )
    return choose_source(portal, session, copies.find_current(code))
