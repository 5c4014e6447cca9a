"""Virginia's register loads: from the site's question about cookies to an answer with officers and earlier names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scrapers import discovery
from scrapers.bulk_data import copies, reading, refresh
from scrapers.bulk_data.companions import companions
from scrapers.failures import PageChanged
from scrapers.models import BulkCopy
from scrapers.normalize import officers
from scrapers.records import EntityRecord
from tests.scrapers import virginia_register
from tests.scrapers.loopback import Loopback, Wire, serving
from tests.scrapers.test_published_files import read, status_class

SITE = "/cis.scc.virginia.gov"


class Commission:
    """The commission's site: no file without the answer about cookies, no post without its length."""

    def __init__(self, server: Loopback, file: bytes) -> None:
        self.server, self.file = server, file
        server.answers = {
            f"{SITE}/Cookie/CookieConsent": [self.question],
            f"{SITE}/Cookie/StoreCookieConsent": [self.answer],
            f"{SITE}/DataSales/DownloadBEDataSalesFile": [self.download],
        }

    def question(self, wire: Wire) -> None:
        wire.say(200, "<html><h2>Cookie Consent</h2></html>", set_cookie="ASP.NET_SessionId=abc; path=/; HttpOnly")

    def answer(self, wire: Wire) -> None:
        if wire.headers.get("content-length") is None:
            wire.say(411, "<h1>Length Required</h1>")
        elif "ASP.NET_SessionId=abc" not in (wire.headers.get("cookie") or ""):
            wire.say(302, location="/Cookie/CookieConsent")
        else:
            body = '{"status":"success"}'
            wire.say(200, body, content_type="application/json", set_cookie="cookiesAccepted=true; path=/")

    def download(self, wire: Wire) -> None:
        if "cookiesAccepted=true" in (wire.headers.get("cookie") or ""):
            name = 'attachment; filename="BEData20261118.zip"'
            day = "Wed, 18 Nov 2026 06:00:00 GMT"
            wire.say(200, self.file, content_type="application/zip", content_disposition=name, last_modified=day)
        else:
            wire.say(302, location=f"https:/{SITE}/Cookie/CookieConsent")

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [(got.method, got.path.removeprefix(SITE)) for got in self.server.received]


@pytest.fixture
def commission(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commission]:
    portal = discovery.find_portal("VA")
    assert portal is not None
    monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
    file = virginia_register.archive(tmp_path / "served.zip").read_bytes()
    with serving() as server:
        settings.PORTALS_URL, settings.VAR_DIR = server.url, tmp_path / "var"
        yield Commission(server, file)


@pytest.mark.django_db
class TestTheRegister:
    """`manage.py load_bulk_data VA`, over a real socket."""

    def test_is_fetched_behind_the_consent_and_answers(self, commission: Commission) -> None:
        out = StringIO()
        call_command("load_bulk_data", "VA", stdout=out, stderr=StringIO())
        assert commission.asked == [
            ("GET", "/Cookie/CookieConsent"),
            ("POST", "/Cookie/StoreCookieConsent"),
            ("GET", "/DataSales/DownloadBEDataSalesFile"),
        ]
        posted = commission.server.received[1]
        assert (posted.headers["content-length"], posted.body) == ("0", b"")
        assert "VA answers from its bulk data of 2026-11-18: 2 entities." in out.getvalue()
        current = copies.find_current("VA")
        assert current is not None
        (found,), _ = current.list_by_name("blue heron logistics", limit=5, wider=5)
        assert (found.entity_id, found.former_names) == ("11004293", ("Grey Heron Logistics, LLC",))
        assert [(one.name, one.title) for one in found.officers] == [("DE LA MUESTRA, MARIA ELENA", "MANAGER")]

    def test_is_not_fetched_by_somebody_who_did_not_answer(
        self, commission: Commission, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        portal = discovery.find_portal("VA")
        assert portal is not None
        unasked = replace(refresh.get_bulk_data(portal), asked_before=None)
        monkeypatch.setattr(type(portal), "bulk_data", unasked)
        with pytest.raises(CommandError, match="where a file should be"):
            call_command("load_bulk_data", "VA", stdout=StringIO(), stderr=StringIO())
        assert not BulkCopy.objects.exists()

    def test_leaves_nothing_beside_the_download(self, commission: Commission, settings) -> None:
        call_command("load_bulk_data", "VA", stdout=StringIO(), stderr=StringIO())
        (file,) = (settings.VAR_DIR / "bulk_data").iterdir()
        assert file.name.startswith("VA-")


class TestAnEntity:
    """One row of the six tables."""

    def two(self, tmp_path: Path) -> tuple[EntityRecord, EntityRecord]:
        corporation, llc = read("VA", virginia_register.archive(tmp_path / "va.zip"))
        return corporation, llc

    def test_is_read_whole(self, tmp_path: Path) -> None:
        _, llc = self.two(tmp_path)
        assert (llc.entity_name, llc.entity_id) == ("Blue Heron Logistics, LLC", "11004293")
        assert (llc.entity_type, llc.formation_date, llc.jurisdiction) == (
            "Limited Liability Company",
            "2020-01-02",
            "VA",
        )
        assert (llc.status, llc.standing) == ("ACTIVE", "Active and In Good Standing")
        place, agent = llc.principal_address, llc.agent_address
        assert (place.street, place.state, place.zip) == ("1 Example St, Ste 5", "VA", "23219")
        assert (llc.agent_name, agent.street, agent.zip) == ("JORDAN SAMPLE", "2 Example St", "23220-1234")
        assert (llc.former_names, llc.assumed_names) == (("Grey Heron Logistics, LLC",), ("Heron Express",))

    def test_has_no_day_where_the_file_has_none(self, tmp_path: Path) -> None:
        corporation, _ = self.two(tmp_path)
        assert (corporation.formation_date, corporation.agent_name) == (None, None)

    def test_has_no_place_of_an_agent_who_resigned(self, tmp_path: Path) -> None:
        corporation, _ = self.two(tmp_path)
        assert not corporation.agent_address

    def test_has_its_words_read_by_the_closed_table(self, tmp_path: Path) -> None:
        corporation, llc = self.two(tmp_path)
        assert (status_class("VA", llc), status_class("VA", corporation)) == ("active", "inactive")
        assert (corporation.entity_type, corporation.standing) == ("Stock Corporation", "Void - Office Correct")

    def test_has_its_own_officers_people_and_companies(self, tmp_path: Path) -> None:
        corporation, llc = self.two(tmp_path)
        assert officers.read(llc.officers[0]) == {
            "givenName": "Maria",
            "familyName": "De La Muestra",
            "kind": "person",
        }
        assert [(one.name, one.title) for one in corporation.officers] == [
            ("SAMPLE, RILEY", "PRESIDENT"),
            ("HARBOR HOLDINGS LLC", "DIRECTOR"),
        ]
        assert officers.read(corporation.officers[1])["kind"] == "organization"
        assert "é" in corporation.entity_name

    @pytest.mark.parametrize("member", ["LP.csv", "GP.csv", "BT.csv", "PSA.csv"])
    def test_may_stand_in_each_of_the_six_tables(self, tmp_path: Path, member: str) -> None:
        file = virginia_register.archive(tmp_path / "va.zip", {member: [virginia_register.LLC]})
        (found,) = read("VA", file)
        assert (found.entity_id, found.former_names) == ("11004293", ("Grey Heron Logistics, LLC",))

    def test_is_found_by_a_number_of_any_letter(self) -> None:
        portal = discovery.find_portal("VA")
        assert portal is not None
        assert [portal.check_id(number) for number in ("11004293", "S1234567", "K0001234", "0123456")]


class TestAnotherArchive:
    """What is not the known layout is refused, and nothing of it loaded."""

    @pytest.mark.parametrize("member", ["LLC.csv", "Officer.csv", "NameHistory.csv", "PSA.csv"])
    def test_without_a_table_is_refused(self, tmp_path: Path, member: str) -> None:
        with pytest.raises(PageChanged, match=member):
            read("VA", virginia_register.archive(tmp_path / "va.zip", without=(member,)))

    @pytest.mark.parametrize(
        ("member", "column"),
        [("LLC.csv", "RA-Name"), ("Officer.csv", "OfficerTitle"), ("NameHistory.csv", "NameStatus")],
    )
    def test_without_a_column_is_refused(self, tmp_path: Path, member: str, column: str) -> None:
        head = [f"X{name}" if name == column else name for name in virginia_register.HEADS[member]]
        with pytest.raises(PageChanged, match=column):
            read("VA", virginia_register.archive(tmp_path / "va.zip", heads={member: head}))

    def test_with_a_name_of_unknown_status_is_refused(self, tmp_path: Path) -> None:
        beside = {"NameHistory.csv": [("11004293", "80", "2021-03-04", "Grey Heron Logistics, LLC")]}
        with pytest.raises(PageChanged, match="'80'"):
            read("VA", virginia_register.archive(tmp_path / "va.zip", beside=beside))

    def test_with_a_shifted_row_is_refused(self, tmp_path: Path) -> None:
        beside = {"Officer.csv": [("11004293", "SAMPLE", "RILEY", "", "PRESIDENT", "AND MORE")]}
        with pytest.raises(PageChanged, match="cells"):
            read("VA", virginia_register.archive(tmp_path / "va.zip", beside=beside))


class TestTheTablesBesideIt:
    """Officers and names wait on disk, in a file without a name."""

    def test_leave_no_file_whatever_happens(self, tmp_path: Path) -> None:
        with companions(tmp_path, {"officers": [("1", ("A", "B"))]}) as find:
            assert list(tmp_path.iterdir()) == []
            assert find("1") == {"officers": '[["A", "B"]]'}
            assert find("2") == {"officers": "[]"}

    def test_keep_the_order_of_the_file(self, tmp_path: Path) -> None:
        rows = [(str(number % 3), (str(number),)) for number in range(30)]
        with companions(tmp_path, {"names": rows}) as find:
            assert json.loads(find("1")["names"]) == [[str(number)] for number in range(1, 30, 3)]

    def test_refuse_an_entity_with_thousands_of_rows(self, tmp_path: Path) -> None:
        rows = (("1", (str(number),)) for number in range(5_001))
        with companions(tmp_path, {"names": rows}) as find, pytest.raises(PageChanged, match="5000 names"):
            find("1")

    def test_may_lie_beside_a_folder_that_cannot_be_written_to(self, tmp_path: Path) -> None:
        closed = tmp_path / "missing"
        with companions(closed, {"names": [("1", ("A",))]}) as find:
            assert find("1") == {"names": '[["A"]]'}

    def test_are_read_a_row_at_a_time(self, tmp_path: Path) -> None:
        import tracemalloc

        people = [(f"{number:08}", "SAMPLE", "RILEY" * 20, "", "DIRECTOR") for number in range(20_000)]
        file = virginia_register.archive(tmp_path / "va.zip", beside={"Officer.csv": people})
        portal = discovery.find_portal("VA")
        assert portal is not None
        del people
        tracemalloc.start()
        assert len(list(reading.rows(file, refresh.get_bulk_data(portal)))) == 2
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 2_000_000, f"3 MB of officers took {peak} bytes"


def test_a_load_goes_on_after_a_kill_with_the_same_companies(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal = discovery.find_portal("VA")
    assert portal is not None
    monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
    monkeypatch.setattr(copies, "BATCH", 1)
    day = datetime(2026, 11, 18, tzinfo=UTC)
    file = virginia_register.archive(tmp_path / "va.zip")

    def die(copy: BulkCopy) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refresh.load(portal=portal, file=file, as_of=day, now=day, progress=die)
    assert refresh.load(portal=portal, file=file, as_of=day, now=day).entities == 2
    current = copies.find_current("VA")
    assert current is not None
    (llc,) = current.list_by_id("11004293")
    assert len(llc.officers) == 1
