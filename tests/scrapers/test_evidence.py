"""What is kept of a portal's answers, how it is shown to operators, and when it goes."""

from __future__ import annotations

import hashlib
import os
import uuid
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import redis
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.evidence import evidence_storage
from scrapers import discovery, gateway, tasks
from scrapers.evidence import bodies, readings
from scrapers.evidence.revision import find_revision
from scrapers.failures import PageChanged, PortalBlocked, PortalError, PortalUnavailable
from scrapers.models import Body, Breaker, Reading, ScrapeAttempt
from scrapers.operations import breaker
from scrapers.records import Query
from scrapers.refusals import QueryRefused, Refusal
from scrapers.transport.exchanges import MOST_READ, Exchange, digest, hide_in_address
from tests.scrapers.loopback import Loopback, Wire, says, serving

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NEW_YORK = "/data.ny.gov/resource/n9v6-gdp6.json"
BESIDE_IT = ("ekwr-p59j", "3gg2-jgnp", "63wc-4exh", "2tms-hftb")
WALL = "<html><title>Just a moment...</title><script>alert('wall')</script></html>"
KEY = "operators-own+key/0123"
LARGE = Random(4711).randbytes(2 * bodies.SMALL)  # nothing makes it smaller


@pytest.fixture
def portal(switches: None, settings: Any, tmp_path: Path) -> Iterator[Loopback]:
    """New York's open data as a server that says what the test wants."""
    with serving() as server:
        settings.PORTALS_URL, settings.VAR_DIR = server.url, tmp_path
        settings.SOCRATA_APP_TOKEN = KEY
        if settings.REDIS_URL:
            redis.Redis.from_url(settings.REDIS_URL).delete("pace:turn:NY", "pace:slots:NY")
        yield server


@pytest.fixture
def answer(portal: Loopback) -> Callable[..., None]:
    def say(*answers: Callable[[Wire], None]) -> None:
        portal.answers[NEW_YORK] = list(answers)
        for dataset in BESIDE_IT:
            portal.answers[f"/data.ny.gov/resource/{dataset}.json"] = [json("[]")]

    return say


def ask(name: str = "Acme Corp", *, now: datetime = NOW, sandbox: bool = False, **more: Any) -> PortalError | None:
    """Ask New York; the error it ended in, None for an answer."""
    try:
        gateway.fetch(Query("NY", name), now=now, budget_seconds=10, sandbox=sandbox, **more)
    except PortalError as error:
        return error
    finally:
        Breaker.objects.all().delete()  # each question is asked, whatever came of the one before
    return None


def kept(reading: Reading | None = None) -> list[bytes]:
    """The bytes of a reading's pages, or of the only one's."""
    found = reading or Reading.objects.get()
    return [bodies.read(one["body"]["sha256"]) or b"" for one in found.exchanges]


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def json(text: str, status: int = 200) -> Callable[[Wire], None]:
    return says(status, text, content_type="application/json")


class TestAFailedAttempt:
    """Keeps what the portal answered."""

    def test_keeps_the_page_that_turned_us_away(self, answer: Any) -> None:
        answer(says(200, WALL))
        error = ask()
        assert isinstance(error, PortalBlocked)
        reading = Reading.objects.get()
        assert (reading.pk, reading.attempt_id) == (error.reading_id, error.attempt_id)
        assert (reading.state, reading.outcome, reading.read_at) == ("NY", "blocked", NOW)
        [page] = reading.exchanges
        assert bodies.read(page["body"]["sha256"]) == WALL.encode()
        assert (page["method"], page["status"]) == ("GET", 200)
        assert page["headers"]["content-type"] == "text/html; charset=utf-8"
        assert page["url"].startswith("https://data.ny.gov/resource/n9v6-gdp6.json?")
        assert (page["body"]["size"], page["body"]["whole"]) == (len(WALL), True)
        assert page["at"].startswith("2026-11-21T12:00:0")
        assert page["peer"].startswith("127.0.0.1:")

    @pytest.mark.parametrize(
        ("said", "outcome"),
        [
            (says(500, "<h1>Server error</h1>"), "down"),
            (says(429, "slow down"), "rate_limited"),
            (says(404, "gone"), "layout_changed"),
            (json('{"not": "a list"}'), "layout_changed"),
            (json("<html>welcome to our new site</html>"), "layout_changed"),
        ],
    )
    def test_keeps_it_whatever_the_kind_of_failure(self, answer: Any, said: Any, outcome: str) -> None:
        answer(said)
        assert ask() is not None
        reading = Reading.objects.get()
        assert reading.outcome == outcome == reading.attempt.outcome
        assert kept(reading)

    def test_keeps_each_try_of_a_request_in_order(self, answer: Any) -> None:
        answer(says(503, "first"), says(502, "second"))
        assert isinstance(ask(), PortalUnavailable)
        assert [one["status"] for one in Reading.objects.get().exchanges] == [503, 502]
        assert kept() == [b"first", b"second"]

    def test_keeps_the_part_of_an_answer_that_came(self, answer: Any) -> None:
        answer(lambda wire: wire.raw(b"HTTP/1.1 200 x\r\nContent-Length: 9000\r\n\r\n<table>"))
        ask()
        assert kept() == [b"<table>", b"<table>"]
        assert [one["body"]["whole"] for one in Reading.objects.get().exchanges] == [False, False]

    def test_keeps_nothing_when_nothing_came(self, answer: Any) -> None:
        answer(lambda wire: wire.raw(b""))
        error = ask()
        assert ScrapeAttempt.objects.get().pk == error.attempt_id
        assert error.reading_id is None
        assert not Reading.objects.exists()

    def test_is_found_by_whoever_asked(self, answer: Any) -> None:
        mark = uuid.uuid4()
        answer(says(500))
        ask(asked_by=mark)
        ask(asked_by=mark)
        ask()
        assert ScrapeAttempt.objects.filter(asked_by=mark).count() == 2

    def test_keeps_a_page_that_holds_what_no_database_takes(self, answer: Any) -> None:
        answer(says(200, b"\0\xff\xfe<script>", content_type="text/html; charset=nonsense"))
        ask()
        assert kept() == [b"\0\xff\xfe<script>"]
        assert "<script>" in str(readings.find_text(Reading.objects.get().exchanges[0]))

    def test_leaves_its_callers_transaction_whole_when_its_pages_can_not_be_kept(
        self, answer: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def break_off(_: Any, **__: Any) -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT no_such_column FROM scrapers_reading")

        monkeypatch.setattr(bodies, "keep", break_off)
        answer(says(200, WALL))
        with transaction.atomic():
            assert isinstance(ask(), PortalBlocked)
            assert ScrapeAttempt.objects.count() == 1

    def test_still_ends_as_what_it_is_when_its_pages_can_not_be_kept(
        self, answer: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bodies, "keep", lambda *_, **__: 1 / 0)
        answer(says(200, WALL))
        assert isinstance(ask(), PortalBlocked)
        assert ScrapeAttempt.objects.get().outcome == "blocked"

    def test_gains_three_short_questions_to_the_database(self, answer: Any) -> None:
        answer(says(200, WALL))
        with CaptureQueriesContext(connection) as seen:
            ask()
        asked = [query["sql"] for query in seen if "_reading" in query["sql"] or "_body" in query["sql"]]
        assert len(asked) == 3  # is there enough of it already, the bytes' row, and the reading


class TestAnAnsweredAttempt:
    """Is worth nothing without what was answered."""

    def test_keeps_every_exchange_and_its_bytes(self, answer: Any) -> None:
        answer(json("[]"))
        reply = gateway.fetch(Query("NY", "Acme Corp"), now=NOW, budget_seconds=10, asked_by=uuid.uuid4())
        reading = Reading.objects.get()
        assert reply.reading == reading
        assert (reading.outcome, reading.kind, reading.question["name"]) == (
            "not_found",
            "business_entity",
            "Acme Corp",
        )
        assert len(kept()) == len(reading.exchanges) > 1
        assert set(kept()) == {b"[]"}
        assert Body.objects.count() == 1  # the same bytes lie there once
        assert reading.sha256 == digest(reading.exchanges)
        assert reading.keep_until == NOW + timedelta(days=365)
        assert readings.to_query(reading) == Query("NY", "Acme Corp")

    def test_costs_two_statements(self, answer: Any) -> None:
        answer(json("[]"))
        with CaptureQueriesContext(connection) as seen:
            assert ask() is None
        assert len([one for one in seen if "_reading" in one["sql"] or "_body" in one["sql"]]) == 2

    def test_is_not_returned_where_its_bytes_can_not_be_kept(
        self, answer: Any, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bodies, "SMALL", 0)  # every page has a file
        file = tmp_path / "no-folder"
        file.write_text("in the way")
        settings.STORAGES = settings.STORAGES | {"evidence": evidence_storage(str(file), folder=tmp_path)}
        settings.EVIDENCE_STORE = str(file)
        answer(json("[]"))
        with pytest.raises(bodies.StoreAway, match="no-folder"):
            ask()
        assert not Reading.objects.exists()

    def test_of_nobody_or_of_the_sandbox_is_kept_for_a_week(self, answer: Any) -> None:
        answer(json("[]"))
        ask()
        ask(asked_by=uuid.uuid4(), sandbox=True)
        assert {one.keep_until for one in Reading.objects.all()} == {NOW + timedelta(days=7)}

    def test_names_the_program_that_read_it(self, answer: Any) -> None:
        answer(json("[]"))
        ask()
        new_york, oregon = discovery.find_portal("NY"), discovery.find_portal("OR")
        assert new_york is not None
        assert oregon is not None
        assert Reading.objects.get().reader_revision == find_revision(new_york)
        assert len({find_revision(one) for one in (new_york, oregon)}) == 2


FOLDER, BESIDE, DATABASE = "a folder", "rows beside a folder", "the database"


@pytest.mark.parametrize("place", [FOLDER, BESIDE, DATABASE])
class TestBytes:
    """Lie in a folder, small ones in rows beside it, or all in the database; each once, and are what they were."""

    @pytest.fixture(autouse=True)
    def where(self, settings: Any, tmp_path: Path, place: str) -> Path:
        store = "database" if place == DATABASE else ""
        settings.EVIDENCE_STORE = store
        settings.STORAGES = settings.STORAGES | {"evidence": evidence_storage(store, folder=tmp_path / "evidence")}
        return tmp_path / "evidence"

    @pytest.fixture
    def one(self, place: str) -> bytes:
        return LARGE if place == FOLDER else b"one"

    @pytest.fixture
    def two(self, one: bytes) -> bytes:
        return one[::-1]

    def files(self, where: Path) -> list[Path]:
        return [file for file in where.rglob("*") if file.is_file()]

    def test_are_read_back(self, where: Path, place: str, one: bytes, two: bytes) -> None:
        bodies.keep([one, two, one], until=NOW)
        assert [bodies.read(sha256(each)) for each in (one, two)] == [one, two]
        assert len(self.files(where)) == (2 if place == FOLDER else 0)
        assert Body.objects.filter(packed=None).count() == (2 if place == FOLDER else 0)
        assert bodies.read(sha256(b"three")) is None

    def test_are_kept_as_long_as_the_longest_wants_them(self, where: Path, one: bytes) -> None:
        bodies.keep([one], until=NOW + timedelta(days=2))
        bodies.keep([one], until=NOW + timedelta(days=1))
        assert bodies.prune(now=NOW + timedelta(days=1.5)) == 0
        assert bodies.prune(now=NOW + timedelta(days=2.5)) == 1
        assert (bodies.read(sha256(one)), self.files(where)) == (None, [])
        bodies.keep([one], until=NOW + timedelta(days=4))
        assert bodies.read(sha256(one)) == one

    def test_are_written_again_where_a_kill_came_between_row_and_file(self, where: Path, one: bytes) -> None:
        bodies.keep([one], until=NOW)
        for file in self.files(where):
            file.unlink()
        bodies.keep([one], until=NOW)
        assert bodies.read(sha256(one)) == one

    def test_whose_row_was_written_for_a_file_that_is_gone_are_kept_again(self, where: Path, one: bytes) -> None:
        """As before an upgrade or another `EVIDENCE_STORE`: without the bytes an answer would have no ground."""
        until = NOW + timedelta(days=2)
        Body.objects.create(sha256=sha256(one), size=len(one), packed_size=1, keep_until=until)
        bodies.keep([one], until=NOW + timedelta(days=1))
        assert bodies.read(sha256(one)) == one
        assert Body.objects.get().keep_until == until

    def test_that_had_a_file_before_they_came_into_their_row_lose_it_with_their_time(
        self, where: Path, place: str, one: bytes
    ) -> None:
        bodies.keep([one], until=NOW)
        Body.objects.update(packed=None)
        file = where / sha256(one)[:2] / sha256(one)[2:4] / f"{sha256(one)}.z"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(zlib.compress(one))
        bodies.keep([one], until=NOW)
        later = datetime.now(tz=UTC) + timedelta(hours=2)
        bodies.sweep(now=later)
        assert bodies.read(sha256(one)) == one
        bodies.prune(now=later)
        bodies.sweep(now=later)
        assert (bodies.read(sha256(one)), self.files(where)) == (None, [file] if place == DATABASE else [])

    def test_leave_nothing_behind_where_a_kill_came_between_file_and_row(
        self, where: Path, monkeypatch: pytest.MonkeyPatch, one: bytes
    ) -> None:
        bodies.keep([one], until=NOW)
        with monkeypatch.context() as broken:
            broken.setattr(Body, "delete", lambda _: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                bodies.prune(now=NOW + timedelta(days=1))
        assert bodies.prune(now=NOW + timedelta(days=1)) == 1
        assert self.files(where) == []

    def test_that_no_row_names_are_swept_away(self, where: Path, place: str, one: bytes, two: bytes) -> None:
        """Whether a kill left the whole of a file or half of one."""
        bodies.keep([one, two], until=NOW + timedelta(days=2))
        Body.objects.filter(pk=sha256(one)).delete()
        (where / "ab" / "cd").mkdir(parents=True)
        (where / "ab" / "cd" / ".tmp4711").write_bytes(b"hal")
        written = datetime.now(tz=UTC)
        assert bodies.sweep(now=written) == 0  # somebody may be about to write the row
        assert bodies.sweep(now=written + timedelta(hours=2)) == {FOLDER: 2, BESIDE: 1, DATABASE: 0}[place]
        assert [bodies.read(sha256(each)) for each in (one, two)] == [None, two]
        left = {FOLDER: [f"{sha256(two)}.z"], BESIDE: [], DATABASE: [".tmp4711"]}[place]
        assert [file.name for file in self.files(where)] == left
        bodies.keep([one], until=NOW + timedelta(days=2))
        assert bodies.read(sha256(one)) == one

    def test_that_are_others_by_now_are_never_handed_out(self, where: Path, place: str, one: bytes) -> None:
        bodies.keep([one], until=NOW)
        other = zlib.compress(b"two")
        if place == FOLDER:
            self.files(where)[0].write_bytes(other)
        else:
            Body.objects.update(packed=other)
        with pytest.raises(bodies.DamagedBody):
            bodies.read(sha256(one))

    def test_that_lost_their_end_are_written_anew_where_they_come_again(
        self, where: Path, place: str, one: bytes
    ) -> None:
        bodies.keep([one], until=NOW)
        if place == FOLDER:
            file = self.files(where)[0]
            file.write_bytes(file.read_bytes()[:-100])
            with pytest.raises(bodies.DamagedBody):
                bodies.read(sha256(one))
        bodies.keep([one], until=NOW)
        assert bodies.read(sha256(one)) == one

    def test_that_cannot_be_removed_keep_no_others_from_going(self, where: Path, place: str) -> None:
        """Unless there are many: then it is the folder, and an alarm."""
        if place != FOLDER:
            return
        many = [(f"{number} " * 9000 + os.urandom(9000).hex()).encode() for number in range(12)]
        bodies.keep(many, until=NOW)
        for file in (stuck := self.files(where)[:10]):
            file.unlink()
            (file / "of somebody else").mkdir(parents=True)
        with pytest.raises(bodies.StoreAway):
            bodies.prune(now=NOW + timedelta(days=1))
        (stuck[0] / "of somebody else").rmdir()
        stuck[0].rmdir()
        bodies.prune(now=NOW + timedelta(days=1))
        assert Body.objects.count() == 9

    def test_that_are_too_many_go_in_the_order_of_their_end(self, settings: Any) -> None:
        for days, body in ((3, b"a"), (1, b"b"), (2, b"c")):
            bodies.keep([body], until=NOW + timedelta(days=days))
        size = Body.objects.values_list("packed_size", flat=True)[0]
        settings.EVIDENCE_MOST_BYTES = 2 * size
        assert bodies.prune(now=NOW) == 1
        assert [bodies.read(sha256(one)) for one in (b"a", b"b", b"c")] == [b"a", None, b"c"]
        settings.EVIDENCE_MOST_BYTES = 0
        assert bodies.prune(now=NOW) == 0

    def test_that_are_too_many_go_beside_one_that_cannot(self, where: Path, place: str, settings: Any) -> None:
        if place != FOLDER:
            return
        three = [(f"{number} " * 9000 + os.urandom(9000).hex()).encode() for number in range(3)]
        for days, body in enumerate(three, start=1):
            bodies.keep([body], until=NOW + timedelta(days=days))
        [first] = [file for file in self.files(where) if file.name.startswith(sha256(three[0]))]
        first.unlink()
        (first / "of somebody else").mkdir(parents=True)
        settings.EVIDENCE_MOST_BYTES = sum(Body.objects.values_list("packed_size", flat=True)) - 1
        assert bodies.prune(now=NOW) == 1
        assert [bodies.read(sha256(one)) for one in three[1:]] == [None, three[2]]

    def test_that_end_together_go_each_with_its_own_row(self, settings: Any, one: bytes) -> None:
        """As the pages of one answer do."""
        both = sorted((one, one[::-1]), key=sha256, reverse=True)
        for body in both:
            bodies.keep([body], until=NOW + timedelta(days=1))
        settings.EVIDENCE_MOST_BYTES = max(Body.objects.values_list("packed_size", flat=True))
        assert bodies.prune(now=NOW) == 1
        [left] = [body for body in both if bodies.read(sha256(body))]
        assert Body.objects.get().pk == sha256(left)


class TestAKeyOfOurs:
    """Is in no page that is kept, however the portal repeats it."""

    @pytest.mark.parametrize(
        "said",
        [
            f"invalid app token {KEY}",
            '{"error": "invalid app token operators-own+key\\/0123"}'.replace("\\/", "/"),
            "see https://data.ny.gov/?t=operators-own%2Bkey%2F0123",
        ],
    )
    def test_is_cut_out_of_a_body(self, answer: Any, said: str) -> None:
        answer(says(403, said))
        ask()
        [page], [body] = Reading.objects.get().exchanges, kept()
        assert b"0123" not in body
        assert [body[at : at + length] for at, length in page["body"]["cuts"]] == [b"[hidden]"]
        assert sha256(body) == page["body"]["sha256"]

    def test_was_sent_and_stands_nowhere(self, answer: Any, portal: Loopback) -> None:
        answer(says(302, "", location=f"https://data.ny.gov/login?next=x&key={KEY}&token=abc"))
        portal.answers["/data.ny.gov/login"] = [says(403, "who are you?")]
        assert isinstance(ask(), PortalBlocked)
        assert portal.received[0].headers["x-app-token"] == KEY
        attempt = ScrapeAttempt.objects.get()
        exchanges = attempt.readings.get().exchanges
        told = [attempt.detail, str(attempt.stages), str(exchanges)]
        assert not any(KEY in text or "0123" in text for text in told)
        assert "next=x" in exchanges[-1]["url"]
        assert "next=x" in exchanges[0]["headers"]["location"]

    @pytest.mark.parametrize(
        ("address", "shown"),
        [
            ("https://a.gov/x?api_key=1&q=acme", "https://a.gov/x?api_key=[hidden]&q=acme"),
            ("https://a.gov/x?q=acme&$$app_token=1#f", "https://a.gov/x?q=acme&$$app_token=[hidden]#f"),
            ("https://a.gov/x;jsessionid=1?Key=2&keyword=acme", "https://a.gov/x;jsessionid=[hidden]"),
            ("https://me:secret@a.gov/x", "https://a.gov/x"),
            ("https://[broken/?sig=1", "https://[broken/?sig=[hidden]"),
        ],
    )
    def test_is_cut_out_of_an_address_by_its_name(self, address: str, shown: str) -> None:
        assert hide_in_address(address, ["unused"]).startswith(shown)
        assert "keyword=acme" in hide_in_address("https://a.gov/?keyword=acme", [])


class TestAnOutage:
    """Does not fill the disk."""

    def test_keeps_the_first_of_an_hour(self, answer: Any) -> None:
        answer(says(500, "down"))
        for minute in range(10):
            ask(f"Company {minute}", now=NOW + timedelta(minutes=minute))
        assert ScrapeAttempt.objects.count() == 10
        assert Reading.objects.count() == readings.AN_HOUR
        ask(now=NOW + timedelta(minutes=70))
        assert Reading.objects.count() == readings.AN_HOUR + 1

    def test_of_one_kind_leaves_room_for_another(self, answer: Any) -> None:
        answer(says(500, "down"))
        for number in range(4):
            ask(f"Company {number}")
        answer(says(200, WALL))
        ask()
        assert Reading.objects.filter(outcome="blocked").count() == 1

    def test_keeps_no_more_than_so_much_of_a_day(self, db: None) -> None:
        heard = Exchange("GET", "https://data.ny.gov/", 0.0, 500, {"content-type": "text/html"}, b"down")
        portal = discovery.find_portal("NY")
        assert portal is not None
        for hour in range(12):
            for outcome in ("down", "blocked"):
                failed = ScrapeAttempt.objects.create(
                    state="NY",
                    kind="business_entity",
                    question="x",
                    outcome=outcome,
                    duration_ms=1,
                    version="1.0",
                    started_at=NOW + timedelta(hours=1.1 * hour),
                )
                asked: dict[str, Any] = {"portal": portal, "query": Query("NY", "x"), "kind": "business_entity"}
                readings.keep(failed, [heard], **asked, secrets=(), began=0.0)
        assert Reading.objects.count() == readings.A_DAY

    def test_of_the_sandbox_takes_no_room_from_a_registry(self, answer: Any) -> None:
        for _ in range(4):
            ask("Ironclad Gatehouse Inc", sandbox=True)
        answer(says(200, WALL))
        ask()
        assert Reading.objects.filter(sandbox=False).count() == 1

    def test_keeps_the_beginning_of_a_page_that_is_too_long(self, answer: Any) -> None:
        noise = b"<p>" + os.urandom(MOST_READ)
        answer(says(500, noise))
        ask()
        [page] = Reading.objects.get().exchanges
        assert (page["body"]["size"], page["body"]["whole"]) == (MOST_READ, False)
        assert kept() == [noise[:MOST_READ]]

    def test_with_a_bomb_keeps_little_and_shows_less(self, answer: Any) -> None:
        answer(says(500, b"a" * 9_000_000))
        ask()
        [page] = Reading.objects.get().exchanges
        assert (page["body"]["size"], page["body"]["whole"]) == (MOST_READ, False)
        assert Body.objects.get().packed_size < 10_000
        assert len(str(readings.find_text(page))) == readings.SHOWN


class TestWhatIsOld:
    """Goes by itself."""

    def attempt(self, days: float, outcome: str = "blocked", state: str = "NY", **more: Any) -> ScrapeAttempt:
        at = timezone.now() - timedelta(days=days)
        return ScrapeAttempt.objects.create(
            state=state,
            kind="business_entity",
            question="x",
            outcome=outcome,
            duration_ms=1,
            version="1.0",
            started_at=at,
            **more,
        )

    def test_attempts_after_thirty_days(self) -> None:
        young, old = self.attempt(29.9), self.attempt(30.1)
        tasks.prune_attempts()
        assert set(ScrapeAttempt.objects.all()) == {young}
        assert not ScrapeAttempt.objects.filter(pk=old.pk).exists()

    def test_but_never_the_last_good_answer_of_a_state(self) -> None:
        self.attempt(90, "found")
        last = self.attempt(60, "not_found")
        self.attempt(50, "found", sandbox=True)
        other = self.attempt(80, "found", state="DE")
        tasks.prune_attempts()
        assert set(ScrapeAttempt.objects.all()) == {last, other}

    @pytest.mark.postgres
    def test_not_what_a_machine_takes_for_it_whose_clock_is_ahead_of_the_databases(
        self, on_postgres: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        young, now = self.attempt(1), timezone.now()
        bodies.keep([b"what an answer rests on"], until=now + timedelta(days=365))
        monkeypatch.setattr(timezone, "now", lambda: now + timedelta(days=400))
        tasks.prune_attempts()
        tasks.prune_bodies()
        assert set(ScrapeAttempt.objects.all()) == {young}
        assert bodies.read(sha256(b"what an answer rests on")) is not None


def staff(*permissions: str) -> Client:
    user = get_user_model().objects.create_user("sam", password=None, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


class TestAnAttemptsPage:
    """In the admin: hostile text beside a signed-in operator."""

    HOSTILE = (
        "<title>Just a moment</title></pre><script>alert('pwned')</script>"
        "<img src=x onerror=alert(1)>{{ settings.SECRET_KEY }}\u202e\0"
    )

    @pytest.fixture
    def address(self, answer: Any) -> str:
        answer(says(200, self.HOSTILE))
        error = ask("<script>alert('name')</script>")
        assert isinstance(error, PortalBlocked)
        return f"/admin/scrapers/scrapeattempt/{error.attempt_id}/"

    def test_shows_what_the_portal_answered_escaped(self, address: str) -> None:
        page = staff("view_scrapeattempt").get(f"{address}change/").content.decode()
        assert "&lt;script&gt;alert(&#x27;pwned&#x27;)&lt;/script&gt;" in page
        for live in ("<script>alert(", "<img src=x", "</pre><script"):
            assert live not in page
        assert "{{ settings.SECRET_KEY }}" in page  # text, no template

    def test_shows_the_stages(self, address: str) -> None:
        assert ">request</td>" in staff("view_scrapeattempt").get(f"{address}change/").content.decode()

    def test_hands_a_page_out_as_a_file_of_text_only(self, address: str) -> None:
        reply = staff("view_scrapeattempt").get(f"{address}page/1/")
        assert reply.content == self.HOSTILE.encode()
        assert reply["Content-Type"] == "text/plain"
        assert reply["Content-Disposition"].startswith("attachment;")
        assert reply["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in reply["Content-Security-Policy"]

    def test_hands_nothing_out_that_is_not_there(self, address: str) -> None:
        client = staff("view_scrapeattempt")
        assert client.get(f"{address}page/2/").status_code == 404
        assert client.get(f"/admin/scrapers/scrapeattempt/{'9' * 30}/page/1/").status_code == 404
        assert client.get("/admin/scrapers/scrapeattempt/nonsense/change/").status_code in (302, 404)
        assert client.post(f"{address}page/1/").status_code == 405

    def test_says_which_page_is_damaged(self, address: str) -> None:
        Body.objects.update(packed=zlib.compress(b"something else"))
        client = staff("view_scrapeattempt")
        assert "are not kept any more, or are damaged" in client.get(f"{address}change/").content.decode()
        assert client.get(f"{address}page/1/").status_code == 404

    @pytest.mark.parametrize("where", ["change/", "page/1/"])
    def test_is_not_for_everybody(self, address: str, where: str) -> None:
        assert staff("view_jurisdiction").get(address + where).status_code in (302, 403, 404)
        assert Client().get(address + where).status_code == 302

    def test_is_found_by_the_mark_of_whoever_asked(self, answer: Any) -> None:
        mark = uuid.uuid4()
        answer(says(500))
        ask(asked_by=mark)
        ask()
        client = staff("view_scrapeattempt")
        for asked, number in ((str(mark), 1), (mark.hex, 1), (str(uuid.uuid4()), 0), ("Acme", 2)):
            listed = client.get("/admin/scrapers/scrapeattempt/", {"q": asked})
            assert listed.context["cl"].result_count == number

    def test_of_an_answered_one_shows_its_pages_until_they_go(self, answer: Any) -> None:
        answer(json("[]"))
        ask()
        address, client = (
            f"/admin/scrapers/scrapeattempt/{ScrapeAttempt.objects.get().pk}/change/",
            staff("view_scrapeattempt"),
        )
        page = client.get(address).content.decode()
        assert ">[]</pre>" in page
        assert "Kept until 2026-11-28" in page
        bodies.prune(now=NOW + timedelta(days=8))
        assert "The bytes are not kept any more" in client.get(address).content.decode()
        Reading.objects.all().delete()
        assert "Nothing is kept of it" in client.get(address).content.decode()


class TestTheRegistriesPage:
    """Which registry has given no good answer for the longest time."""

    def attempt(self, state: str, hours: float, outcome: str = "found", **more: Any) -> ScrapeAttempt:
        return ScrapeAttempt.objects.create(
            state=state,
            kind="business_entity",
            question="x",
            outcome=outcome,
            version="1.0",
            started_at=timezone.now() - timedelta(hours=hours),
            **{"duration_ms": 700, **more},
        )

    def rows(self, client: Client) -> dict[str, Any]:
        reply = client.get("/admin/jurisdictions/jurisdiction/health/")
        assert reply.status_code == 200
        return {row.switch.code: row for row in reply.context["rows"]}

    @pytest.fixture
    def looking(self, switches: None) -> Client:
        return staff("view_jurisdiction")

    def test_begins_with_those_that_never_answered_then_the_oldest(self, looking: Client) -> None:
        self.attempt("NY", 50)
        self.attempt("CO", 2)
        self.attempt("OR", 30, "not_found")
        codes = list(self.rows(looking))
        assert len(codes) == 56
        on = [code for code, row in self.rows(looking).items() if row.switch.enabled]
        assert codes[: len(on)] == on
        assert on[-3:] == ["NY", "OR", "CO"]
        assert {self.rows(looking)[code].last_good_at for code in on[:-3]} == {None}

    def test_tells_failures_from_questions_that_were_refused(self, looking: Client) -> None:
        self.attempt("NY", 3)
        failed = self.attempt("NY", 2, "layout_changed", detail="<b>no table</b>")
        self.attempt("NY", 1, "refused")
        row = self.rows(looking)["NY"]
        assert (row.failure, row.fails_now, row.measured.attempts) == (failed, True, 3)
        self.attempt("NY", 0.5)
        assert not self.rows(looking)["NY"].fails_now

    def test_measures_the_last_day(self, looking: Client) -> None:
        for number, ms in enumerate((100, 200, 300, 4000)):
            self.attempt("NY", number, duration_ms=ms)
        self.attempt("NY", 1, "down")
        self.attempt("NY", 30, "down")
        row = self.rows(looking)["NY"]
        assert (row.measured.p50_ms, row.measured.p95_ms, row.success_pct) == (200, 4000, 80.0)

    def test_says_of_how_many_attempts_a_busy_days_numbers_are(self, looking: Client) -> None:
        """A large bulk job in one state leaves the others without any, who had answered or failed all morning."""
        page = looking.get("/admin/jurisdictions/jurisdiction/health/").content.decode()
        assert "of the last 24 hours, of its newest 5,000 attempts at all registries together" in page

    def test_does_not_count_the_sandbox(self, looking: Client) -> None:
        self.attempt("NY", 1, sandbox=True)
        self.attempt("NY", 1, "down", sandbox=True)
        row = self.rows(looking)["NY"]
        assert (row.last_good_at, row.failure, row.measured.attempts) == (None, None, 0)

    def test_shows_who_is_left_alone(self, looking: Client) -> None:
        now = timezone.now()
        permit = breaker.Permit("NY", probe_until=now)
        breaker.note_failure(permit, PortalBlocked("no", retry_after=600), question="x", patience=9, now=now)
        assert self.rows(looking)["NY"].open_until > now
        page = looking.get("/admin/jurisdictions/jurisdiction/health/").content.decode()
        assert "left alone</span> until" in page
        assert "pace 1/2" in page

    def test_shows_details_escaped_and_only_to_who_may_see_attempts(self, switches: None) -> None:
        self.attempt("NY", 1, "layout_changed", detail="<script>alert(1)</script>")
        client = staff("view_jurisdiction", "view_scrapeattempt")
        page = client.get("/admin/jurisdictions/jurisdiction/health/").content.decode()
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert(1)" not in page
        get_user_model().objects.all().delete()
        page = staff("view_jurisdiction").get("/admin/jurisdictions/jurisdiction/health/").content.decode()
        assert "alert(1)" not in page

    def test_asks_the_database_as_often_for_many_attempts_as_for_none(self, looking: Client) -> None:
        def count() -> int:
            with CaptureQueriesContext(connection) as seen:
                self.rows(looking)
            return len(seen)

        count()  # whatever is read once a process has been read
        none = count()
        for state in ("NY", "CO", "OR", "TX", "FL", "DE"):
            for hours in (1, 2, 3):
                self.attempt(state, hours)
                self.attempt(state, hours + 0.5, "down")
        assert count() == none + 1  # the failures, which there were none of

    def test_is_for_those_who_may_see_the_switches(self, switches: None) -> None:
        client = staff("view_scrapeattempt")
        assert client.get("/admin/jurisdictions/jurisdiction/health/").status_code == 403


def test_the_kinds_of_failure_are_all_there() -> None:
    """Each of the four errors has its place in the outcomes that evidence is kept for."""
    for kind in (PageChanged, PortalBlocked, PortalUnavailable):
        assert kind("x").reason in ScrapeAttempt.OUTCOMES
    assert QueryRefused(Refusal.NO_LETTERS).reason in ScrapeAttempt.OUTCOMES
