"""What registries answered is read again: with today's reader, without the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis

from scrapers import gateway
from scrapers.evidence import bodies, replay
from scrapers.evidence.replay import NotReplayed, Obstacle
from scrapers.failures import PageChanged, PortalBlocked, PortalError
from scrapers.models import Body, Breaker, Reading, ScrapeAttempt
from scrapers.records import Found, NotFound, Query
from scrapers.sandbox.magic import MAGIC
from scrapers.states.new_york import NewYork
from scrapers.transport.exchanges import digest
from scrapers.transport.recording import load_steps
from scrapers.transport.session import PortalSession
from tests.scrapers.golden import list_cases, to_reading
from tests.scrapers.loopback import Loopback, Wire, says, serving

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
NEW_YORK = "/data.ny.gov/resource/n9v6-gdp6.json"
BESIDE_IT = ("ekwr-p59j", "3gg2-jgnp", "63wc-4exh", "2tms-hftb")
ROW = (
    '[{"current_entity_name": "ACME CORP.", "dos_id": "100001", "initial_dos_filing_date": "2012-06-28T00:00:00",'
    ' "entity_type": "DOMESTIC BUSINESS CORPORATION", "jurisdiction": "NEW YORK", "county": "KINGS"}]'
)
KEY = "operators-own+key/0123"
CASES = {str(case): case for case in list_cases()}


@pytest.fixture
def portal(switches: None, settings: Any, tmp_path: Path) -> Iterator[Loopback]:
    """New York's open data as a server of our own."""
    with serving() as server:
        settings.PORTALS_URL, settings.VAR_DIR, settings.SOCRATA_APP_TOKEN = server.url, tmp_path, KEY
        if settings.REDIS_URL:
            redis.Redis.from_url(settings.REDIS_URL).delete("pace:turn:NY", "pace:slots:NY")
        server.answers = {f"/data.ny.gov/resource/{one}.json": [json("[]")] for one in BESIDE_IT}
        server.answers[NEW_YORK] = [json(ROW)]
        yield server


def json(text: str) -> Callable[[Wire], None]:
    return says(200, text, content_type="application/json")


def ask(name: str = "Acme Corp", **more: Any) -> gateway.Reply:
    return gateway.fetch(Query("NY", name), now=NOW, budget_seconds=10, **more)


def fail(name: str = "Acme Corp") -> Reading:
    """Ask, and be told nothing; what was kept of it."""
    with pytest.raises(PortalError) as failed:
        ask(name)
    Breaker.objects.all().delete()
    return Reading.objects.get(pk=failed.value.reading_id)


def obstacle(reading: Reading) -> Obstacle:
    with pytest.raises(NotReplayed) as found:
        replay.read(reading)
    return found.value.obstacle


def keep(name: str) -> Reading:
    """A golden case, as the service would have kept it."""
    reading, kept = to_reading(CASES[name], load_steps(CASES[name].folder))
    bodies.keep(kept.values(), until=NOW + timedelta(days=1))
    reading.sha256, reading.keep_until, reading.attempt_id = digest(reading.exchanges), NOW, 1
    reading.save()
    return Reading.objects.get()


class TestWhatWasAnswered:
    """Gives the same answer again, of the moment when it was read."""

    def test_of_a_company(self, portal: Loopback) -> None:
        reply = ask()
        asked = len(portal.received)
        again = replay.read(Reading.objects.get())
        assert again == reply
        assert isinstance(reply.answer, Found)
        assert reply.answer.evidence.retrieved_at == NOW
        assert len(portal.received) == asked

    def test_of_nobody(self, portal: Loopback) -> None:
        portal.answers[NEW_YORK] = [json("[]")]
        reply = ask()
        assert isinstance(reply.answer, NotFound)
        assert replay.read(Reading.objects.get()) == reply

    def test_of_a_name(self, portal: Loopback) -> None:
        reply = gateway.fetch_name(Query("NY", "Acme Corp"), now=NOW, budget_seconds=10)
        assert reply.verdict.verdict == "taken"
        assert replay.read(Reading.objects.get()) == reply

    @pytest.mark.parametrize("outcome", ["found", "not_found", "ambiguous"])
    def test_of_the_sandbox(self, switches: None, outcome: str) -> None:
        reply = ask(MAGIC[outcome], sandbox=True)
        assert replay.read(Reading.objects.get()) == reply

    def test_without_an_attempt_a_turn_or_a_breaker(self, portal: Loopback, settings: Any, tmp_path: Path) -> None:
        reply = ask()
        settings.VAR_DIR, settings.ASK_PORTALS = tmp_path / "nowhere", False
        Breaker.objects.all().delete()
        assert replay.read(Reading.objects.get()) == reply
        assert ScrapeAttempt.objects.count() == Reading.objects.count() == 1
        assert not Breaker.objects.exists()
        assert not (tmp_path / "nowhere").exists()

    def test_also_where_a_request_was_sent_twice(self, portal: Loopback) -> None:
        portal.answers[NEW_YORK] = [says(503, "busy"), lambda wire: wire.raw(b""), json(ROW)]
        with pytest.raises(PortalError):
            ask()
        Breaker.objects.all().delete()
        portal.answers[NEW_YORK] = [
            lambda wire: wire.raw(b"HTTP/1.1 200 x\r\nContent-Length: 9000\r\n\r\n[{"),
            json(ROW),
        ]
        reply = ask()
        reading = Reading.objects.get(outcome="found")
        assert [one["body"]["whole"] for one in reading.exchanges[:2]] == [False, True]
        assert replay.read(reading) == reply

    def test_also_where_a_search_had_no_answer(self, portal: Loopback) -> None:
        """That nobody has the name was proved before it; the search for its words alone failed."""
        portal.answers[NEW_YORK] = [json("[]"), lambda wire: wire.raw(b"")]
        reply = ask("Wexbourne Harrow Corp")
        reading = Reading.objects.get()
        assert None in [one["status"] for one in reading.exchanges]
        assert isinstance(reply.answer, NotFound)
        assert replay.read(reading) == reply

    @pytest.mark.parametrize("name", ["CA-by-the-official-api", "CA-active", "TX-active"])
    def test_whether_or_not_a_key_was_set_then(self, name: str) -> None:
        again = replay.read(keep(name))
        assert isinstance(again, gateway.Reply)
        assert isinstance(again.answer, Found)
        assert again.answer.record.entity_name == CASES[name].expected["record"]["entity_name"]


class TestWhatCannotBeReadAgain:
    """Says why."""

    def test_its_bytes_are_forgotten(self, portal: Loopback) -> None:
        ask()
        bodies.prune(now=NOW + timedelta(days=400))
        assert obstacle(Reading.objects.get()) is Obstacle.FORGOTTEN

    def test_its_bytes_are_others(self, portal: Loopback, settings: Any) -> None:
        ask()
        Body.objects.update(packed=b"other")
        assert obstacle(Reading.objects.get()) is Obstacle.DAMAGED

    def test_the_reader_of_today_asks_for_something_else(
        self, portal: Loopback, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ask()

        def search(_: NewYork, session: PortalSession, term: str) -> Any:
            return session.get("https://data.ny.gov/resource/aaaa-bbbb.json", params={"name": term})

        monkeypatch.setattr(NewYork, "search", search)
        assert obstacle(Reading.objects.get()) is Obstacle.OTHER_REQUESTS

    @pytest.mark.parametrize("error", [PageChanged("another table"), KeyError("dos_id")])
    def test_its_page_does_not_fit(self, portal: Loopback, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
        ask()

        def search(*_: Any) -> Any:
            raise error

        monkeypatch.setattr(NewYork, "search", search)
        assert obstacle(Reading.objects.get()) is Obstacle.UNREADABLE

    def test_nobody_reads_its_registry_any_more(self, portal: Loopback) -> None:
        ask()
        Reading.objects.update(state="ZZ")
        assert obstacle(Reading.objects.get()) is Obstacle.NO_READER

    def test_a_copy_was_read(self, portal: Loopback) -> None:
        ask()
        reading = Reading.objects.get()
        reading.exchanges[0]["method"] = "COPY"
        assert obstacle(reading) is Obstacle.COPY


class TestAFailedAttempt:
    """Is what a mended reader is tried on."""

    def test_is_read_by_the_reader_that_was_mended(self, portal: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(NewYork, "data_as_of", lambda *_: 1 / 0)
            reading = fail()
        assert reading.outcome == "layout_changed"
        again = replay.read(reading)
        assert isinstance(again, gateway.Reply)
        assert isinstance(again.answer, Found)

    def test_that_met_a_wall_meets_it_again(self, portal: Loopback) -> None:
        portal.answers[NEW_YORK] = [says(200, "<html><title>Just a moment...</title></html>")]
        with pytest.raises(NotReplayed) as found:
            replay.read(fail())
        assert isinstance(found.value.failure, PortalBlocked)

    def test_whose_page_was_kept_in_part_is_not_read(self, portal: Loopback) -> None:
        portal.answers[NEW_YORK] = [lambda wire: wire.raw(b"HTTP/1.1 200 x\r\nContent-Length: 9000\r\n\r\n[{")]
        assert obstacle(fail()) is Obstacle.CUT
