"""Files of bulk data on their way to us: what breaks off goes on, stops nobody else, and is not kept for ever."""

from __future__ import annotations

import errno
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from jurisdictions import services
from scrapers import gateway
from scrapers.bulk_data import refresh
from scrapers.failures import Failure, PageChanged, PortalUnavailable
from scrapers.models import BulkCopy
from scrapers.portal import Portal
from scrapers.transport import download
from scrapers.transport.pace import Pace
from tests.scrapers.loopback import Answer, Loopback, Wire, serving
from tests.scrapers.test_loaded_copies import LINES, NOW, Northland, load, write_csv

pytestmark = pytest.mark.django_db
A_WEEK_AGO = NOW - timedelta(days=7)
FILE = "/files.example.test/all.csv"
CSV = {"content_type": "text/csv"}


class Southland(Northland):
    """Its neighbor, which publishes another one."""

    code = "ZY"
    bulk_data = replace(Northland.bulk_data, url="https://files.example.test/south.csv")


class Westland(Northland):
    """One that has a switch."""

    code = "AK"


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    return write_csv(tmp_path / "served.csv", LINES).read_bytes()


@pytest.fixture
def server(tmp_path: Path, settings: Any) -> Iterator[Loopback]:
    with serving() as found:
        settings.PORTALS_URL, settings.VAR_DIR = found.url, tmp_path / "var"
        yield found


def breaks_off(whole: bytes, *, after: int = 10, more: str = "") -> Answer:
    """The first bytes of it, and the end of the connection; `more` are lines of the head."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: {len(whole)}\r\n{more}\r\n".encode()
    return lambda wire: wire.raw(head + whole[:after])


def kept(settings: Any) -> list[str]:
    return sorted(one.name for one in (settings.VAR_DIR / "bulk_data").iterdir())


class TestADownloadThatBreaksOff:
    """In the middle of the file, as large ones do."""

    def test_is_a_registry_that_does_not_answer(self, server: Loopback, whole: bytes) -> None:
        server.answers[FILE] = [breaks_off(whole)]
        with pytest.raises(PortalUnavailable, match="broke off") as told:
            refresh.fetch(portal=Northland(), now=NOW)
        assert told.value.reason == Failure.DOWN

    def test_goes_on_from_there_the_next_time(
        self, server: Loopback, whole: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(download, "_CHUNK", 10)

        def rest(wire: Wire) -> None:
            assert wire.headers["range"] == "bytes=10-"
            wire.say(206, whole[10:], **CSV)

        server.answers[FILE] = [breaks_off(whole, more='etag: "one"\r\n'), rest]
        with pytest.raises(PortalUnavailable):
            refresh.fetch(portal=Northland(), now=NOW)
        file, _ = refresh.fetch(portal=Northland(), now=NOW)
        assert file.read_bytes() == whole

    @pytest.mark.parametrize("more", ["", 'etag: W/"one"\r\n'], ids=["not a word", "a weak tag"])
    def test_begins_anew_where_the_server_does_not_say_which_file_it_has(
        self, server: Loopback, whole: bytes, monkeypatch: pytest.MonkeyPatch, more: str
    ) -> None:
        monkeypatch.setattr(download, "_CHUNK", 10)
        other = whole.replace(b"Blue Heron Logistics, LLC", b"Quiet Pond Logistics, LLC")

        def send(wire: Wire) -> None:
            wire.say(*((206, other[60:]) if "range" in wire.headers else (200, other)), **CSV)

        server.answers[FILE] = [breaks_off(whole, after=60, more=more), send]
        with pytest.raises(PortalUnavailable):
            refresh.fetch(portal=Northland(), now=NOW)
        file, _ = refresh.fetch(portal=Northland(), now=NOW)
        assert file.read_bytes() == other

    @pytest.mark.parametrize("mark", ["etag", "last-modified"])
    def test_begins_anew_where_the_registry_has_another_file_by_then(
        self, server: Loopback, whole: bytes, monkeypatch: pytest.MonkeyPatch, mark: str
    ) -> None:
        """Half of each would be a register that never was: who moved across the seam would be in neither half."""
        monkeypatch.setattr(download, "_CHUNK", 10)
        old, new = {
            "etag": ('"one"', '"two"'),
            "last-modified": ("Sat, 14 Nov 2026 06:00:00 GMT", "Sat, 21 Nov 2026 06:00:00 GMT"),
        }[mark]
        other = whole.replace(b"Blue Heron Logistics, LLC", b"Quiet Pond Logistics, LLC")

        def send(wire: Wire) -> None:
            is_same = wire.headers.get("if-range", new) == new
            wire.say(*((206, other[60:]) if is_same else (200, other)), **CSV, **{mark: new})

        server.answers[FILE] = [breaks_off(whole, after=60, more=f"{mark}: {old}\r\n"), send]
        with pytest.raises(PortalUnavailable):
            refresh.fetch(portal=Northland(), now=NOW)
        file, _ = refresh.fetch(portal=Northland(), now=NOW)
        assert file.read_bytes() == other

    def test_goes_on_where_it_has_the_same_file_still(
        self, server: Loopback, whole: bytes, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(download, "_CHUNK", 10)

        def send(wire: Wire) -> None:
            is_same = wire.headers.get("if-range") == '"one"'
            wire.say(*((206, whole[10:]) if is_same else (200, b"all of it once more")), **CSV)

        server.answers[FILE] = [breaks_off(whole, more='etag: "one"\r\n'), send]
        with pytest.raises(PortalUnavailable):
            refresh.fetch(portal=Northland(), now=NOW)
        file, _ = refresh.fetch(portal=Northland(), now=NOW)
        assert file.read_bytes() == whole
        assert kept(settings) == [file.name]

    def test_goes_on_where_it_was_packed_on_its_way(
        self, server: Loopback, whole: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What lies here is unpacked: so many bytes of the packed file are another place in it."""
        monkeypatch.setattr(download, "_CHUNK", 10)
        packer = zlib.compressobj(wbits=31)
        came = packer.compress(whole[:60]) + packer.flush(zlib.Z_SYNC_FLUSH)
        packed = came + packer.compress(whole[60:]) + packer.flush()

        def rest(wire: Wire) -> None:
            start = int(wire.headers["range"].removeprefix("bytes=").removesuffix("-"))
            if "gzip" in wire.headers.get("accept-encoding", ""):
                wire.say(206, packed[start:], **CSV, content_encoding="gzip")
            else:
                wire.say(206, whole[start:], **CSV)

        head = 'content-encoding: gzip\r\netag: "one"\r\n'
        server.answers[FILE] = [breaks_off(packed, after=len(came), more=head), rest]
        with pytest.raises(PortalUnavailable):
            refresh.fetch(portal=Northland(), now=NOW)
        file, _ = refresh.fetch(portal=Northland(), now=NOW)
        assert file.read_bytes() == whole

    def test_of_which_nothing_is_missing_any_more_is_fetched_all_the_same(
        self, server: Loopback, whole: bytes, settings: Any
    ) -> None:
        """A kill came between its last byte and its name."""
        piece = settings.VAR_DIR / "bulk_data" / "ZZ-20261121.part"
        piece.parent.mkdir(parents=True)
        piece.write_bytes(whole)
        piece.with_suffix(".version").write_text('"one"')

        def send(wire: Wire) -> None:
            wire.say(416, **CSV) if "range" in wire.headers else wire.say(200, whole, **CSV)

        server.answers[FILE] = [send]
        file, _ = refresh.fetch(portal=Northland(), now=NOW)
        assert file.read_bytes() == whole

    def test_keeps_no_other_state_from_being_refreshed(
        self, server: Loopback, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        portals: list[Portal] = [Northland(), Southland()]
        for portal in portals:
            old = write_csv(tmp_path / f"{portal.code}.csv", LINES)
            refresh.load(portal=portal, file=old, as_of=A_WEEK_AGO, now=A_WEEK_AGO)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: portals)
        server.answers = {
            FILE: [breaks_off(whole)],
            "/files.example.test/south.csv": [lambda wire: wire.say(200, whole, **CSV)],
        }
        told = refresh.refresh_all(now=NOW)
        assert told["ZZ"].startswith("kept the old copy: ")
        assert told["ZY"] == "3 entities"
        current = BulkCopy.objects.filter(status="current").values_list("state", "as_of")
        assert dict(current)["ZZ"] == NOW - timedelta(days=7)


class TestADownloadThatIsSentElsewhere:
    def test_to_what_is_no_address_is_a_page_that_has_changed(self, server: Loopback) -> None:
        server.answers[FILE] = [lambda wire: wire.say(302, b"", location="https://[files/all.csv")]
        with pytest.raises(PageChanged, match="is no address"):
            refresh.fetch(portal=Northland(), now=NOW)


class TestTheDayOfAFile:
    """Which customers are told beside each answer from it."""

    @pytest.mark.parametrize(
        ("said", "day"),
        [("Sat, 14 Nov 2026 06:00:00 GMT", NOW - timedelta(days=7, hours=6)), ("Sat, 28 Nov 2026 06:00:00 GMT", NOW)],
        ids=["by its server", "still to come by its server"],
    )
    def test_is_none_that_is_still_to_come(self, server: Loopback, whole: bytes, said: str, day: datetime) -> None:
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV, last_modified=said)]
        assert refresh.fetch(portal=Northland(), now=NOW)[1] == day

    def test_of_several_files_is_the_oldest_ones(self, server: Loopback, whole: bytes, settings: Any) -> None:
        """As Illinois publishes them, whose companies and agents are files of their own."""

        class Twofold(Northland):
            pace = Pace(seconds=0.5)
            bulk_data = replace(Northland.bulk_data, more=("https://files.example.test/agents.csv",))

        def sends(day: datetime) -> Answer:
            def send(wire: Wire) -> None:
                heard.append(time.monotonic())
                wire.say(200, whole, **CSV, last_modified=f"{day:%a, %d %b %Y %H:%M:%S GMT}")

            return send

        heard: list[float] = []
        begun = time.monotonic()
        server.answers = {FILE: [sends(NOW)], "/files.example.test/agents.csv": [sends(A_WEEK_AGO)]}
        folder, as_of = refresh.fetch(portal=Twofold(), now=NOW)
        assert (sorted(one.name for one in folder.iterdir()), as_of) == (["agents.csv", "all.csv"], A_WEEK_AGO)
        assert heard[-1] - begun > 0.49, "each in its turn, as its registry is asked for a name"


class TestADownloadThatDrips:
    """A byte now and then, so that no single wait for it is long."""

    @pytest.mark.parametrize("length", [b"content-length: 100\r\n", b""], ids=["of a known length", "of any length"])
    def test_ends_when_its_time_is_over_and_is_no_file(
        self, server: Loopback, settings: Any, monkeypatch: pytest.MonkeyPatch, length: bytes
    ) -> None:
        def drip(wire: Wire) -> None:
            wire.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n" + length + b"\r\n")
            for turn in range(100):
                wire.wfile.write(b".")
                wire.wfile.flush()
                time.sleep(0.1)
                if turn == 50:
                    said_much.set()

        said_much = threading.Event()
        monkeypatch.setattr(refresh, "PATIENCE", 1.0)
        server.answers[FILE] = [drip]
        with pytest.raises(PortalUnavailable) as told:
            refresh.fetch(portal=Northland(), now=NOW)
        assert told.value.reason == Failure.TIMEOUT
        assert not said_much.is_set()
        assert "ZZ-20261121" not in kept(settings)


class TestADownloadBesideAnother:
    """An operator's beside the clock's, of the same file on the same day."""

    def test_is_refused_and_leaves_the_other_one_whole(self, server: Loopback, whole: bytes) -> None:
        def send(wire: Wire) -> None:
            wire.raw(f"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: {len(whole)}\r\n\r\n".encode())
            wire.raw(whole[:10])
            begun.set()
            goes_on.wait(30)
            wire.raw(whole[10:])

        begun, goes_on = threading.Event(), threading.Event()
        server.answers[FILE] = [send, lambda wire: wire.say(200, whole, **CSV)]
        with ThreadPoolExecutor() as pool:
            first = pool.submit(refresh.fetch, portal=Northland(), now=NOW)
            try:
                assert begun.wait(30)
                with pytest.raises(PortalUnavailable, match="another download of ZZ-20261121 is under way"):
                    refresh.fetch(portal=Northland(), now=NOW)
            finally:
                goes_on.set()
            file, _ = first.result()
        assert file.read_bytes() == whole


class TestADiskThatIsFull:
    """For one state's file, and not for the next one's."""

    def test_keeps_no_other_state_from_being_refreshed(
        self, server: Loopback, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        portals: list[Portal] = [Northland(), Southland()]
        for portal in portals:
            old = write_csv(tmp_path / f"{portal.code}.csv", LINES)
            refresh.load(portal=portal, file=old, as_of=A_WEEK_AGO, now=A_WEEK_AGO)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: portals)
        server.answers = {"/files.example.test/south.csv": [lambda wire: wire.say(200, whole, **CSV)]}
        fetch = refresh.fetch

        def fill(*, portal: Portal, now: datetime) -> tuple[Path, datetime]:
            if portal.code == "ZZ":
                raise OSError(errno.ENOSPC, "No space left on device")
            return fetch(portal=portal, now=now)

        monkeypatch.setattr(refresh, "fetch", fill)
        assert refresh.refresh_all(now=NOW) == {"ZZ": "kept the old copy: OSError", "ZY": "3 entities"}


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
class TestADatabaseThatIsStartedAgain:
    """In the hours of a refresh."""

    @pytest.fixture(autouse=True)
    def portals(self, on_postgres: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        both: list[Portal] = [Northland(), Southland()]
        for portal in both:
            old = write_csv(tmp_path / f"{portal.code}.csv", LINES)
            refresh.load(portal=portal, file=old, as_of=A_WEEK_AGO, now=A_WEEK_AGO)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: both)

    def restart(self) -> None:
        """All connections but this one end, as by a restart."""
        with connection.cursor() as cursor:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            cursor.execute(f"{others} AND pid <> pg_backend_pid()")
        connection.close()

    def test_while_a_file_comes_keeps_none_from_being_loaded(self, server: Loopback, whole: bytes) -> None:
        def send(wire: Wire) -> None:
            self.restart()
            wire.say(200, whole, **CSV)

        server.answers = {FILE: [send], "/files.example.test/south.csv": [send]}
        assert refresh.refresh_all(now=NOW) == {"ZZ": "3 entities", "ZY": "3 entities"}


class TestTheNightlyLook:
    """At what each registry published a week ago."""

    @pytest.fixture
    def look(
        self, server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[[int], dict[str, str]]:
        """After so many days."""
        old = write_csv(tmp_path / "old.csv", LINES)
        refresh.load(portal=Northland(), file=old, as_of=NOW, now=NOW)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: [Northland(), Southland()])
        return lambda days: refresh.refresh_all(now=NOW + timedelta(days=days))

    def test_asks_once_a_week_for_what_was_loaded_once(
        self, server: Loopback, whole: bytes, settings: Any, look: Callable[[int], dict[str, str]]
    ) -> None:
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV)]
        assert [day for day in range(1, 22) if look(day)] == [7, 14, 21]
        assert len(server.received) == 3
        assert kept(settings) == [], "a file may be gigabytes"

    def test_does_not_miss_what_a_person_brings(
        self, tmp_path: Path, look: Callable[[int], dict[str, str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nobody can fetch it: a line each night that it was not would hide one of a file that did not come."""
        brought = Southland()
        brought.bulk_data = replace(Southland.bulk_data, supplied=True)
        refresh.load(portal=brought, file=write_csv(tmp_path / "brought.csv", LINES), as_of=NOW, now=NOW)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: [brought])
        assert look(8) == {}

    def test_takes_up_the_next_night_what_did_not_come(
        self, server: Loopback, whole: bytes, look: Callable[[int], dict[str, str]]
    ) -> None:
        server.answers[FILE] = [lambda wire: wire.say(503, b"", **CSV)]
        assert look(7)["ZZ"].startswith("kept the old copy: ")
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV)]
        assert [look(8), look(9)] == [{"ZZ": "3 entities"}, {}]

    def test_takes_up_the_next_night_what_was_killed(
        self,
        server: Loopback,
        whole: bytes,
        look: Callable[[int], dict[str, str]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV)]
        with monkeypatch.context() as broken:
            broken.setattr(refresh.copies, "switch", killed)
            with pytest.raises(SystemExit):
                look(7)
        assert look(8) == {"ZZ": "3 entities"}

    def test_asks_a_week_later_for_what_was_not_believed(
        self, server: Loopback, look: Callable[[int], dict[str, str]]
    ) -> None:
        server.answers[FILE] = [lambda wire: wire.say(200, b"ANOTHER,HEAD\r\n1,2\r\n", **CSV)]
        assert [day for day in range(7, 20) if look(day)] == [7, 14]

    def test_asks_on_its_own_day_whatever_wrong_file_a_person_brought(
        self, server: Loopback, whole: bytes, tmp_path: Path, look: Callable[[int], dict[str, str]]
    ) -> None:
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV)]
        wrong = write_csv(tmp_path / "wrong.csv", LINES, head=["ANOTHER"])
        with pytest.raises(refresh.copies.LoadRefused):
            refresh.load(portal=Northland(), file=wrong, as_of=NOW, now=NOW + timedelta(days=6))
        assert look(7) == {"ZZ": "3 entities"}

    def test_leaves_for_tomorrow_what_would_run_into_the_next_one(
        self, server: Loopback, look: Callable[[int], dict[str, str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(refresh, "LAST_BEGINS", -1.0)
        assert look(7) == {"ZZ": "left for tomorrow"}
        assert server.received == []


def killed(**_: Any) -> None:
    raise SystemExit


class TestARegistryThatIsNotAsked:
    """Because the operator says so."""

    def test_is_not_asked_for_its_file_where_no_registry_is(
        self, server: Loopback, whole: bytes, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old = write_csv(tmp_path / "old.csv", LINES)
        refresh.load(portal=Northland(), file=old, as_of=A_WEEK_AGO, now=A_WEEK_AGO)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: [Northland()])
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV)]
        settings.ASK_PORTALS = False
        assert refresh.refresh_all(now=NOW) == {"ZZ": f"kept the old copy: {gateway.ALL_OFF}"}
        assert server.received == []

    def test_is_not_asked_for_its_file_where_its_state_is_switched_off(
        self, switches: None, server: Loopback, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its owner may have asked for that: "a state must stop at once"."""
        old = write_csv(tmp_path / "old.csv", LINES)
        refresh.load(portal=Westland(), file=old, as_of=A_WEEK_AGO, now=A_WEEK_AGO)
        monkeypatch.setattr(refresh.discovery, "list_publishers", lambda: [Westland()])
        server.answers[FILE] = [lambda wire: wire.say(200, whole, **CSV)]
        services.disable(code=Westland.code, reason="Its owner wants no program there.")
        assert refresh.refresh_all(now=NOW) == {"AK": "not asked: switched off"}
        assert server.received == []
        services.enable(code=Westland.code)
        assert refresh.refresh_all(now=NOW) == {"AK": "3 entities"}


class TestAFileThatWasNotLoaded:
    """Because it is not what was expected: a person may look at it, until the next one comes."""

    def test_goes_when_the_next_one_is_fetched(self, server: Loopback, whole: bytes, settings: Any) -> None:
        server.answers = {FILE: [lambda wire: wire.say(200, b"ANOTHER,HEAD\r\n1,2\r\n", **CSV)]}
        broken, as_of = refresh.fetch(portal=Northland(), now=NOW)
        with pytest.raises(refresh.copies.LoadRefused):
            load(broken, as_of)
        assert kept(settings) == ["ZZ-20261121"]
        server.answers = {FILE: [lambda wire: wire.say(200, whole, **CSV)]}
        file, _ = refresh.fetch(portal=Northland(), now=NOW + timedelta(days=7))
        assert kept(settings) == [file.name] == ["ZZ-20261128"]
