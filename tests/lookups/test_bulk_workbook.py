"""The results of a bulk job for a spreadsheet."""

from __future__ import annotations

import copy
import csv
import io
import tempfile
import tracemalloc
import uuid
from pathlib import Path
from typing import IO, Any

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections

from lookups import xlsx_export
from lookups.models import Lookup
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_bulk
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.workbooks import MAIN, ONLY_PAGE, read_cells, read_parts, read_table

pytestmark = pytest.mark.usefixtures("no_workers")

HERON = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
LIENS = {**HERON, "searchType": "ucc", "ref": "r"}
HOSTILE = [
    '=HYPERLINK("https://example.test/","paid")',
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "{=1}",
    "https://example.test/",
    "0042",
    "1E5",
    "2026-11-22",
    "TRUE",
    '<r></is></c><c r="A9"><f>1+1</f></c><c><is></r>',
    "<b>]]>&amp;",
    "_x0041_",
    "Bell\x07, escape\x1b, shift\x0e, tab\t, line\nend\r\nand \x7f\x85\u2028",
    "\ufffe and \uffff",
    "  blanks  ",
    "Ñandú 🦤",
]


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where files are made that last no longer than their reply."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[IO[bytes]]:
    """The files that are sent."""
    files: list[IO[bytes]] = []

    def make() -> IO[bytes]:
        files.append(tempfile.TemporaryFile())  # noqa: SIM115 (the service has to close it)
        return files[-1]

    monkeypatch.setattr(xlsx_export, "TemporaryFile", make)
    return files


def ask(customer: Customer, *rows: dict[str, Any]) -> str:
    """A bulk job that is complete; its address."""
    address = str(customer.post("/v1/bulk-lookup", {"entities": list(rows)}).json()["poll_url"])
    end_bulk()
    return address


def download(customer: Customer, address: str, kind: str = xlsx_export.MEDIA_TYPE) -> Any:
    return customer.get(address, accept=kind)


def make(*rows: dict[str, Any]) -> bytes:
    """A workbook with the columns of its first row."""
    with xlsx_export.make_workbook(list(rows[0]), rows) as file:
        return file.read()


def as_csv(value: Any) -> str:
    """What CSV has of a cell."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "" if value is None else str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def repeat(first: Lookup, number: int) -> None:
    """More rows that tell what the first one tells."""
    rows = []
    for position in range(1, number):
        row = copy.copy(first)
        row.pk, row.ask_id, row.position, row.cost, row.repeats_id = None, uuid.uuid4(), position, 0, first.pk
        rows.append(row)
    Lookup.objects.bulk_create(rows, batch_size=200)


@pytest.mark.django_db
class TestAWorkbook:
    """GET /v1/bulk-lookup/{job_id} with the media type of XLSX."""

    def test_is_a_file_to_keep(self, tester: Customer) -> None:
        address = ask(tester, HERON)
        reply = download(tester, address)
        assert (reply.status_code, reply["Content-Type"]) == (200, xlsx_export.MEDIA_TYPE)
        assert reply["Content-Disposition"] == f'attachment; filename="{address.rpartition("/")[2]}.xlsx"'
        assert int(reply["Content-Length"]) == len(reply.getvalue())
        assert reply["Cache-Control"] == "no-store"

    def test_agrees_with_the_csv_in_every_cell(self, tester: Customer) -> None:
        names = ("Magic Ambiguous LLC", "Magic Too Many LLC", "Magic Not Found LLC", "Magic Portal Down LLC")
        rows = [{"entity_name": name, "state": "CA"} for name in names]
        address = ask(tester, {**HERON, "ref": "=1+1"}, LIENS, *rows, {**HERON, "ref": "again"})
        header, *lines = csv.reader(io.StringIO(download(tester, address, "text/csv").getvalue().decode()))
        raw = download(tester, address).getvalue()
        assert list(read_cells(raw)[0].values()) == header
        assert len(set(header)) == len(header)
        table = [[as_csv(value) for value in row.values()] for row in read_table(raw)]
        assert table == lines
        assert len(lines) == 4 + 6

    def test_has_numbers_that_add_up_and_dates_as_text(self, customer: Customer, register: Register) -> None:
        question = {"entity_name": "Acme Corp", "state": "NY"}
        rows = read_table(download(customer, ask(customer, question, question)).getvalue())
        assert [row["cost"] for row in rows] == [0.0314, 0.0]
        assert [row["normalized.match.score"] for row in rows] == [1.0, 1.0]
        assert [row["entityId"] for row in rows] == ["100001"] * 2
        assert [row["index"] for row in rows] == [0, 1]
        assert {row["livemode"] for row in rows} == {True}
        day, read = rows[0]["normalized.formationDate"], rows[0]["evidence.retrievedAt"]
        assert (len(day), day[4], read[10]) == (10, "-", "T")

    def test_has_a_line_for_each_lien(self, tester: Customer) -> None:
        address = ask(tester, LIENS)
        filings = tester.get(address).json()["results"][0]["data"]["filings"]
        rows = read_table(download(tester, address).getvalue())
        assert [row["filing.fileNumber"] for row in rows] == [one["fileNumber"] for one in filings]
        assert [row["filing.lapseDate"] for row in rows] == [one["lapseDate"] for one in filings]
        assert ({row["verdict"] for row in rows}, {row["ref"] for row in rows}) == ({"found"}, {"r"})
        assert len(rows) == 4

    def test_has_no_name_that_a_spreadsheet_runs(self, tester: Customer) -> None:
        address = ask(tester, HERON, {"entity_name": HOSTILE[0], "state": "DE", "ref": HOSTILE[1]})
        version = copy.copy(Lookup.objects.get(position=0).version)
        assert version is not None
        version.pk, version.number, version.data = None, 2, {**version.data, "entityName": "=1\x1b<r>"}
        version.save(force_insert=True)
        Lookup.objects.filter(position=0).update(version=version)
        found, asked = read_table(download(tester, address).getvalue())
        assert found["entityName"] == "=1\x1b<r>"
        assert (asked["entity_name"], asked["ref"]) == (HOSTILE[0], HOSTILE[1])

    def test_that_cannot_be_had_is_told_in_json(self, tester: Customer) -> None:
        assert_error(download(tester, "/v1/bulk-lookup/bulk_" + "0" * 32), 404, "job_not_found", "Job not found")
        assert_error(download(tester, "/v1/bulk-lookup"), 406, "invalid_request")
        assert_error(download(tester, "/v1/account/usage"), 406, "invalid_request")

    def test_is_sent_to_nobody_who_did_not_ask_for_it(self, tester: Customer) -> None:
        address = ask(tester, HERON)
        for accept in ("*/*", "application/*", f"application/json, {xlsx_export.MEDIA_TYPE}"):
            assert download(tester, address, accept)["Content-Type"] == "application/json", accept
        assert_error(download(tester, address, "application/vnd.ms-excel"), 406, "invalid_request")

    def test_with_more_lines_than_spreadsheets_know_is_refused(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch, made: list[IO[bytes]]
    ) -> None:
        address = ask(tester, LIENS)
        monkeypatch.setattr(xlsx_export, "MOST_LINES", 3)
        body = assert_error(download(tester, address), 400, "invalid_request")
        assert body["details"]["Accept"][0].endswith("Ask for text/csv.")
        assert made[0].closed
        monkeypatch.setattr(xlsx_export, "MOST_LINES", 4)
        assert len(read_table(download(tester, address).getvalue())) == 4

    def test_leaves_no_file_behind(self, tester: Customer, folder: Path, made: list[IO[bytes]]) -> None:
        address = ask(tester, HERON)
        assert download(tester, address).getvalue()
        broken_off = download(tester, address)
        assert next(iter(broken_off.streaming_content))
        request_finished.disconnect(close_old_connections)  # as Django's client does: the test has only one
        broken_off.close()
        request_finished.connect(close_old_connections)
        assert [file.closed for file in made] == [True, True]
        assert list(folder.iterdir()) == []

    def test_of_many_liens_is_made_in_little_memory(self, tester: Customer) -> None:
        address = ask(tester, LIENS)
        first = Lookup.objects.get()
        kept = copy.copy(first.filing_set)
        assert kept is not None
        kept.pk, kept.filings = None, [{**kept.filings[0], "collateral": "All inventory. " * 333}] * 2
        kept.save(force_insert=True)
        first.filing_set = kept
        repeat(first, 1000)
        Lookup.objects.filter(pk=first.pk).update(filing_set=kept)
        make({"cell": 1})  # what writes it is loaded by now, whichever test came before
        tracemalloc.start()
        reply = download(tester, address)
        size = sum(len(part) for part in reply.streaming_content)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert size > 100_000  # a zip: ten million characters of collateral are in it
        assert peak < 8_000_000


class TestATable:
    """Of any rows as a workbook."""

    def test_of_hostile_text_is_text(self) -> None:
        rows = read_table(make(*({"name": text} for text in HOSTILE)))
        assert [row["name"].removeprefix(" ") for row in rows] == [text.removeprefix(" ") for text in HOSTILE]

    def test_of_text_that_no_file_can_hold_is_whole_all_the_same(self) -> None:
        rows = read_table(make({"a": "half \ud83e a bird", "b": "null\x00", "c": "x" * 40_000}, {"a": "", "b": "next"}))
        assert rows[0] == {"a": "half ? a bird", "b": "null\x00", "c": "x" * 32_767}
        assert (rows[1]["a"] or None, rows[1]["b"], rows[1]["c"]) == (None, "next", None)

    def test_tells_kinds_by_the_value_alone(self) -> None:
        row = {"text": "12", "number": 12, "part": 0.0314, "yes": True, "no": False, "nothing": None, "none": 0}
        (found,) = read_table(make(row))
        assert found == row
        assert [type(found[name]) for name in ("text", "number", "yes")] == [str, float, bool]

    def test_has_a_header_that_stays_in_sight(self) -> None:
        parts = read_parts(make({"short": "x", "long": "y" * 500, "much longer than what is in it": 1}))
        page = parts[ONLY_PAGE]
        pane = page.find(f".//{MAIN}pane")
        assert (pane.get("ySplit"), pane.get("state")) == ("1", "frozen")
        widths = [round(float(one.get("width"))) for one in page.iter(f"{MAIN}col")]
        assert (widths[0] < 10, widths[1], 30 < widths[2] < 40) == (True, 41, True)
        style = int(next(page.iter(f"{MAIN}c")).get("s"))
        formats = parts["xl/styles.xml"]
        font = formats.findall(f"{MAIN}cellXfs/{MAIN}xf")[style].get("fontId")
        assert formats.findall(f"{MAIN}fonts/{MAIN}font")[int(font)].find(f"{MAIN}b") is not None

    def test_whose_rows_break_off_leaves_no_file_behind(self, folder: Path, made: list[IO[bytes]]) -> None:
        def break_off() -> Any:
            yield {"name": "x"}
            raise ConnectionError

        with pytest.raises(ConnectionError):
            xlsx_export.make_workbook(["name"], break_off())
        assert made[0].closed
        assert list(folder.iterdir()) == []
