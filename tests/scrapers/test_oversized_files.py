"""A published file that holds far more than a register would is refused in little memory; the old copy goes on."""

from __future__ import annotations

import os
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scrapers.bulk_data import archives, copies, reading, refresh
from scrapers.bulk_data.published import BulkData
from scrapers.failures import PageChanged
from scrapers.models import BulkCopy
from scrapers.records import Found, Query
from tests.scrapers.test_loaded_copies import HEAD, LINES, NOW, Northland, load, published, put, write_csv
from tests.scrapers.test_published_files import zipped

MB = 1024**2


def bomb(path: Path, *, size: int, sign: bytes = b"0") -> Path:
    """An archive of one endless line, as small as zip makes it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a", "w", force_zip64=True) as raw:
        for _ in range(size // MB):
            raw.write(sign * MB)
    return path


@contextmanager
def little_memory(most: int = 8 * MB) -> Iterator[None]:
    """Fails when the block needs more."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most, f"{peak / MB:.0f} MB"


KINDS: list[Any] = ["csv-zip", "ndjson-zip", "fixed-zip"]


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """389 kB that were 778 MB of memory once, or nearly."""
    return bomb(tmp_path_factory.mktemp("bomb") / "x.zip", size=256 * MB)


class TestAnArchive:
    """Whatever its kind."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_that_unpacks_to_a_thousand_times_its_size_is_refused_unread(self, endless: Path, kind: Any) -> None:
        assert endless.stat().st_size < 400_000
        with little_memory(), pytest.raises(PageChanged, match="would unpack to 268435456"):
            next(reading.rows(endless, published(kind)))

    @pytest.mark.parametrize("kind", KINDS)
    def test_with_an_endless_line_is_refused_where_the_line_begins(
        self, endless: Path, kind: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archives, "MOST_TIMES", 10_000)
        with little_memory(), pytest.raises(PageChanged, match="line 1: a row of more than 262144 characters"):
            next(reading.rows(endless, published(kind)))

    def test_of_more_files_than_any_register_is_refused(self, tmp_path: Path) -> None:
        path = zipped(tmp_path / "x.zip", **{f"a{number}": "" for number in range(archives.MOST_MEMBERS + 1)})
        with pytest.raises(PageChanged, match="1001 files"):
            next(reading.rows(path, published("csv-zip")))

    def test_that_says_less_than_it_holds_is_refused(self, tmp_path: Path) -> None:
        path = bomb(tmp_path / "x.zip", size=32 * MB)
        told, small = (32 * MB).to_bytes(4, "little"), (9).to_bytes(4, "little")
        path.write_bytes(
            path.read_bytes().replace(told, small).replace((32 * MB).to_bytes(8, "little"), b"\t" + bytes(7))
        )
        with little_memory(), pytest.raises(PageChanged, match="cannot be read"):
            list(reading.rows(path, replace(published("fixed-zip"), width=9)))

    def test_that_is_damaged_is_refused(self, tmp_path: Path) -> None:
        path = zipped(tmp_path / "x.zip", a__csv="A\r\n" + "1\r\n" * 100)
        path.write_bytes(path.read_bytes().replace(b"1\r\n1\r\n", b"1\r\n2\r\n", 1))
        with pytest.raises(PageChanged, match=r"x\.zip cannot be read: Bad CRC"):
            list(reading.rows(path, published("csv-zip", "A")))

    def test_of_illinois_is_bounded_as_any_other(self, tmp_path: Path) -> None:
        (tmp_path / "il").mkdir()
        for name in ("cdxallmst", "cdxallnam", "cdxallagt"):
            bomb(tmp_path / "il" / f"{name}.zip", size=32 * MB, sign=b"1")
        from scrapers.bulk_data.layouts.illinois import BULK_DATA

        with little_memory(), pytest.raises(PageChanged, match="would unpack"):
            next(reading.rows(tmp_path / "il", BULK_DATA))

    def test_of_a_register_is_read_however_well_it_packs(self, tmp_path: Path) -> None:
        """Lines of blanks come to 60 times their size, and small tables to whatever they like."""
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a", f"{'ACME':1440}\r\n" * 5_000)
        assert len(list(reading.rows(path, replace(published("fixed-zip"), width=1440)))) == 5_000


class TestARow:
    """Of a table."""

    @pytest.mark.parametrize(
        "text",
        [b'A,B\r\n1,"', b'A,B\r\n1,"' + b'\n","' * MB, b"A,B\r\n" + b"1," * MB, b"A," * MB],
        ids=["a quote that never ends", "cells of two lines", "cells without end", "a header without end"],
    )
    def test_without_end_is_refused(self, tmp_path: Path, text: bytes) -> None:
        path = tmp_path / "x.csv"
        with path.open("wb") as file:
            file.write(text)
            for _ in range(32):
                file.write(b"x" * MB)
        del text
        with little_memory(24 * MB), pytest.raises(PageChanged, match="a row of more than 262144 characters"):
            list(reading.rows(path, published("csv", "A")))

    def test_of_several_lines_is_one_row_and_the_next_begins_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "x.csv"
        cell = ("x" * 99 + "\n") * 1_000
        path.write_text("A,B\n" + f'1,"{cell}"\n' * 9)
        assert [len(row["B"]) for row in reading.rows(path, published("csv", "A"))] == [
            99_999
        ] * 9  # its last line end is no part of it

    def test_of_json_that_is_nested_without_end_is_refused(self, tmp_path: Path) -> None:
        path = zipped(tmp_path / "x.zip", a__json="[" * 200_000)
        with pytest.raises(PageChanged, match="line 1: no JSON"):
            list(reading.rows(path, published("ndjson-zip")))


@pytest.mark.django_db
class TestTheCopyBefore:
    """Goes on answering when the new file exceeds a bound."""

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            (["9", "x" * 300_000, "Good Standing", ""], "a row of more than 262144 characters"),
            (["9", "x" * 140_000, "Good Standing", ""], "field larger than field limit"),
            (["9", "x" * 20_000, "Good Standing", ""], "a name of 20000 characters"),
        ],
        ids=["row", "cell", "name"],
    )
    def test_and_the_reason_is_kept(self, tmp_path: Path, line: list[str], why: str) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        with pytest.raises(copies.LoadRefused, match=why):
            load(write_csv(tmp_path / "new.csv", [*LINES, line]))
        answer = put(Query("ZZ", name="Zebra Crossing"))
        assert isinstance(answer, Found)
        refused, current = BulkCopy.objects.order_by("-pk")
        assert (refused.status, current.status) == ("refused", "current")
        assert why in refused.detail

    def test_also_at_the_nightly_refresh_which_goes_on_to_the_next_state(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        load(write_csv(tmp_path / "old.csv", LINES))
        broken = tmp_path / "new.zip"
        zipped(broken, a__csv=",".join(HEAD) + "\r\n" + "1,A,B,C\r\n" * 100)
        broken.write_bytes(broken.read_bytes().replace(b"1,A,B", b"2,A,B", 1))
        portal = Northland()
        monkeypatch.setattr(Northland, "bulk_data", replace(Northland.bulk_data, kind="csv-zip"))
        monkeypatch.setattr(refresh.discovery, "list_portals", lambda: [portal])
        monkeypatch.setattr(refresh, "fetch", lambda **_: (broken, NOW))
        told = refresh.refresh_all(now=NOW + timedelta(days=7))
        assert told["ZZ"].startswith("kept the old copy: the layout has changed: new.zip cannot be read")


@pytest.mark.django_db
class TestALoad:
    """Of rows that are long, but not too long."""

    @pytest.fixture
    def wide(self, tmp_path: Path) -> tuple[BulkData, Path]:
        """A file of 75 MB in 600 rows."""
        lines = [[str(n), f"Company {n}", "Good Standing", "", "x" * 125_000] for n in range(600)]
        return Northland.bulk_data, write_csv(tmp_path / "wide.csv", lines, head=[*HEAD, "NOTES"])

    def test_commits_fewer_of_them_at_a_time(
        self, wide: tuple[BulkData, Path], steps: Callable[[BulkCopy], None], seen: list[int]
    ) -> None:
        bulk_data, file = wide
        copy = copies.begin(state="ZZ", bulk_data=bulk_data, file=file, as_of=NOW, now=NOW)
        with little_memory(80 * MB):
            copies.load(copy=copy, bulk_data=bulk_data, progress=steps)
        assert seen[-1] == 600
        assert len(seen) == 3
        assert os.path.getsize(file) > 2 * copies.LARGEST_BATCH

    @pytest.fixture
    def seen(self) -> list[int]:
        return []

    @pytest.fixture
    def steps(self, seen: list[int]) -> Callable[[BulkCopy], None]:
        return lambda copy: seen.append(copy.rows_read)
