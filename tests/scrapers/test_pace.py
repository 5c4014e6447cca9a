"""How fast a portal is asked, agreed between processes: spacing, places, and what happens when somebody dies."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from scrapers.failures import PortalUnavailable
from scrapers.transport import pace as pacing
from scrapers.transport.pace import FilePacer, NoPacer, Pace, Pacer, RedisPacer
from tests.lost_replies import cutting

PROCESSES = multiprocessing.get_context("spawn")


def open_pacer(address: str) -> Pacer:
    """A pacer of a process's own."""
    if address.startswith("redis"):
        import redis

        return RedisPacer(redis.Redis.from_url(address, socket_timeout=2, socket_connect_timeout=2))
    return FilePacer(Path(address))


def meet(note: Path, company: int) -> None:
    """Wait until so many processes are here."""
    note.with_suffix(".in").touch()
    deadline = time.monotonic() + 30
    while len(list(note.parent.glob("*.in"))) < company and time.monotonic() < deadline:
        time.sleep(0.01)


def take_turns(address: str, count: int, seconds: float, note: Path) -> None:
    """A process that asks `count` times, and notes when it began and when each request might go out."""
    pacer = open_pacer(address)
    meet(note, 3)
    moments = [(0, time.time())]
    for _ in range(count):
        pacer.wait_turn("p", Pace(seconds=seconds), deadline=time.monotonic() + 30)
        moments.append((1, time.time()))
    note.write_text(json.dumps(moments))


def hold_places(address: str, count: int, concurrency: int, note: Path) -> None:
    """A process that does `count` lookups, and notes from when to when; whoever is in first waits for company."""
    pacer, spans = open_pacer(address), []
    for _ in range(count):
        with pacer.slot("p", Pace(concurrency=concurrency), deadline=time.monotonic() + 30):
            begun = time.time()
            meet(note, concurrency)
            time.sleep(0.1)
            spans.append((begun, time.time()))
    note.write_text(json.dumps(spans))


def hold_for_ever(address: str, note: Path) -> None:
    """A process that never gives its place back."""
    with open_pacer(address).slot("p", Pace(concurrency=1), deadline=time.monotonic() + 5):
        note.write_text("held")
        time.sleep(600)


def together(work: Callable[..., None], address: str, folder: Path, *args: Any) -> list[Any]:
    """What three processes noted."""
    notes = [folder / f"note-{number}.json" for number in range(3)]
    running = [PROCESSES.Process(target=work, args=(address, *args, note)) for note in notes]
    for process in running:
        process.start()
    for process in running:
        process.join(60)
    assert [process.exitcode for process in running] == [0, 0, 0]
    return sorted(item for note in notes for item in json.loads(note.read_text()))


@pytest.fixture(params=["files", pytest.param("redis", marks=pytest.mark.redis)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the pace is agreed; every test has a place of its own."""
    if request.param == "files":
        yield str(tmp_path / "pace")
        return
    import redis

    url = request.getfixturevalue("on_redis")
    client = redis.Redis.from_url(url)
    client.delete("pace:slots:p", "pace:turn:p")
    yield url
    client.delete("pace:slots:p", "pace:turn:p")
    client.close()


class TestThePace:
    """Both of its forms keep one promise."""

    @pytest.mark.slow
    def test_spaces_the_requests_of_all_processes(self, address: str, tmp_path: Path) -> None:
        begun, _, _, *moments = [moment for _, moment in together(take_turns, address, tmp_path, 4, 0.2)]
        assert len(moments) == 12
        # A busy machine may wake a process late, and so close to the next; none may go before its turn has come
        early = [turn for turn, moment in enumerate(moments) if moment < begun + turn * 0.2 - 0.002]  # Redis: whole ms
        assert early == []

    @pytest.mark.slow
    def test_lets_only_so_many_in_at_once(self, address: str, tmp_path: Path) -> None:
        spans = together(hold_places, address, tmp_path, 5, 2)
        assert len(spans) == 15
        busiest = max(sum(begun <= moment < ended for begun, ended in spans) for moment, _ in spans)
        assert busiest == 2

    def test_gives_the_first_turn_at_once(self, address: str, naps: list[float]) -> None:
        open_pacer(address).wait_turn("p", Pace(seconds=30), deadline=time.monotonic() + 5)
        assert naps == []

    def test_refuses_at_once_when_the_turn_would_come_too_late(self, address: str, naps: list[float]) -> None:
        pacer = open_pacer(address)
        pacer.wait_turn("p", Pace(seconds=300), deadline=time.monotonic() + 5)
        with pytest.raises(PortalUnavailable) as refusal:
            pacer.wait_turn("p", Pace(seconds=300), deadline=time.monotonic() + 5)
        assert refusal.value.reason == "rate_limited"
        assert 200 < (refusal.value.retry_after or 0) <= 300
        assert naps == []

    def test_loses_no_turn_to_those_who_were_refused(self, address: str, naps: list[float]) -> None:
        pacer = open_pacer(address)
        pacer.wait_turn("p", Pace(seconds=300), deadline=time.monotonic() + 5)
        for _ in range(20):
            with pytest.raises(PortalUnavailable):
                pacer.wait_turn("p", Pace(seconds=300), deadline=time.monotonic() + 0.1)
        pacer.wait_turn("p", Pace(seconds=300), deadline=time.monotonic() + 400)
        assert 200 < naps[0] <= 300

    def test_refuses_when_no_place_comes_free_in_time(self, address: str, naps: list[float]) -> None:
        one, two = open_pacer(address), open_pacer(address)
        with (
            one.slot("p", Pace(concurrency=1), deadline=time.monotonic() + 5),
            pytest.raises(PortalUnavailable) as refusal,
            two.slot("p", Pace(concurrency=1), deadline=time.monotonic() + 0.3),
        ):
            pass
        assert refusal.value.reason == "rate_limited"
        assert set(naps) <= {0.05}
        with two.slot("p", Pace(concurrency=1), deadline=time.monotonic() + 30):
            pass

    def test_gives_the_place_back_when_the_lookup_fails(self, address: str) -> None:
        pacer = open_pacer(address)
        for _ in range(3):
            with pytest.raises(KeyError), pacer.slot("p", Pace(concurrency=1), deadline=time.monotonic() + 30):
                raise KeyError

    def test_counts_threads_like_processes(self, address: str) -> None:
        pacer, inside, most = open_pacer(address), [], []

        def work(number: int) -> None:
            with pacer.slot("p", Pace(concurrency=3), deadline=time.monotonic() + 20):
                inside.append(number)
                most.append(len(inside))
                time.sleep(0.03)
                inside.remove(number)

        with ThreadPoolExecutor(12) as pool:
            list(pool.map(work, range(24)))
        assert max(most) == 3

    @pytest.mark.slow
    def test_frees_the_place_of_a_process_that_was_killed(
        self, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note = tmp_path / "held"
        holder = PROCESSES.Process(target=hold_for_ever, args=(address, note))
        holder.start()
        try:
            while not note.exists():
                time.sleep(0.02)
        finally:
            os.kill(holder.pid or 0, signal.SIGKILL)
            holder.join(10)
        if address.startswith("redis"):  # nobody tells Redis of a death: the place is leased
            import redis

            client = redis.Redis.from_url(address)
            lease = client.pttl("pace:slots:p")
            assert 0 < lease <= 5_000 + pacing._GRACE_MS  # its deadline was five seconds away
            names = client.zrange("pace:slots:p", 0, -1)
            client.zadd("pace:slots:p", dict.fromkeys(names, time.time() * 1000 - 1))  # the lease is over
            client.close()
        with open_pacer(address).slot("p", Pace(concurrency=1), deadline=time.monotonic() + 30):
            pass


class TestAPlaceOnLoan:
    """From Redis, until shortly after its holder's deadline."""

    @pytest.mark.redis
    def test_is_not_shortened_by_somebody_in_more_of_a_hurry(self, on_redis: str) -> None:
        import redis

        client = redis.Redis.from_url(on_redis)
        client.delete("pace:slots:p")
        pacer, now = RedisPacer(client), time.monotonic()
        with pacer.slot("p", Pace(concurrency=2), deadline=now + 120), pacer.slot("p", Pace(), deadline=now + 1):
            assert client.pttl("pace:slots:p") > 100_000
        client.close()

    @pytest.mark.redis
    @pytest.mark.parametrize("command", [b"pace:slots:p", b"pace:turn:p", b"ZREM"])
    @pytest.mark.parametrize("done", [False, True], ids=["before it is done", "before its reply"])
    def test_is_neither_refused_nor_lost_when_a_connection_breaks(
        self, command: bytes, done: bool, on_redis: str
    ) -> None:
        """Once, at any command: Redis itself is well, so the registry is asked, at its pace, and its place is free."""
        import redis

        from scrapers import gateway  # here: the processes of other tests know no models

        client = redis.Redis.from_url(on_redis)
        client.delete("pace:slots:p", "pace:turn:p")
        deadline = time.monotonic() + 120
        with cutting(on_redis) as way:
            pacer = gateway._shared_pacer(way.url, "")
            with pacer.slot("p", Pace(concurrency=1), deadline=deadline):  # the scripts are known from here on
                pacer.wait_turn("p", Pace(seconds=0), deadline=deadline)
            way.cut(command, done=done)
            with pacer.slot("p", Pace(concurrency=1), deadline=deadline):
                pacer.wait_turn("p", Pace(seconds=0), deadline=deadline)
            assert way.cuts == 1
        assert client.zcard("pace:slots:p") == 0
        client.close()


class TestTheTurnsInRedis:
    """By Redis' own clock, which may be set back."""

    @pytest.mark.redis
    @pytest.mark.parametrize("ahead", [1_200, 86_400])
    def test_start_anew_after_the_clock_was_set_back(self, ahead: int, on_redis: str) -> None:
        import redis

        client = redis.Redis.from_url(on_redis)
        client.set("pace:turn:back", int((time.time() + ahead) * 1000))
        RedisPacer(client).wait_turn("back", Pace(), deadline=time.monotonic() + 30)
        client.delete("pace:turn:back")
        client.close()


class TestTheLockFiles:
    """The embedded form, on a disk that may be full, spoilt or gone."""

    def test_start_anew_after_the_clock_was_set_back(self, tmp_path: Path) -> None:
        pacer = FilePacer(tmp_path)
        (tmp_path / "p.turn").write_text(repr(time.time() + 86_400))
        pacer.wait_turn("p", Pace(), deadline=time.monotonic() + 30)

    @pytest.mark.parametrize("spoilt", ["", "nonsense", "\x00" * 40, "nan"])
    def test_survive_what_a_crash_left_in_them(self, tmp_path: Path, spoilt: str) -> None:
        pacer = FilePacer(tmp_path)
        (tmp_path / "p.turn").write_text(spoilt)
        pacer.wait_turn("p", Pace(seconds=30), deadline=time.monotonic() + 0.5)
        with pytest.raises(PortalUnavailable):
            pacer.wait_turn("p", Pace(seconds=30), deadline=time.monotonic() + 0.5)

    def test_ask_nobody_when_they_cannot_be_written(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        pacer = FilePacer(tmp_path / "pace")
        (tmp_path / "pace").rmdir()
        with pytest.raises(PortalUnavailable) as refusal:
            pacer.wait_turn("p", Pace(), deadline=time.monotonic() + 5)
        assert refusal.value.reason == "rate_limited"
        assert "No such file or directory" in caplog.text
        with pytest.raises(PortalUnavailable), pacer.slot("p", Pace(), deadline=time.monotonic() + 5):
            pass

    def test_do_not_mistake_a_failed_lookup_for_a_failed_lock(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError), FilePacer(tmp_path).slot("p", Pace(), deadline=time.monotonic() + 5):
            raise FileNotFoundError


class TestRedisGone:
    """Without Redis the pace is unknown, so nobody is asked."""

    def test_asks_nobody_and_names_the_cause_to_whoever_reads_the_log(self, caplog: pytest.LogCaptureFixture) -> None:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        client = redis.Redis(host="127.0.0.1", port=9, socket_connect_timeout=0.5, retry=Retry(NoBackoff(), 1))
        pacer = RedisPacer(client)
        with pytest.raises(PortalUnavailable) as refusal:
            pacer.wait_turn("p", Pace(), deadline=time.monotonic() + 5)
        assert refusal.value.reason == "rate_limited"
        assert "nobody is asked" in caplog.text
        assert "connecting to 127.0.0.1:9" in caplog.text
        with pytest.raises(PortalUnavailable), pacer.slot("p", Pace(), deadline=time.monotonic() + 5):
            pass

    def test_loses_no_answer_that_was_already_read(self) -> None:
        class Leaving:
            """A Redis that goes away while the portal is being asked."""

            def register_script(self, script: str) -> Callable[..., int]:
                return lambda keys, args: 1

            def zrem(self, *_: str) -> None:
                raise ConnectionError

        with RedisPacer(Leaving()).slot("p", Pace(), deadline=time.monotonic() + 1):
            answer = "read"
        assert answer == "read"


class TestTheSandboxRegistry:
    """Nobody's server."""

    def test_is_asked_as_fast_as_anybody_likes(self, naps: list[float]) -> None:
        for _ in range(100):
            with NoPacer().slot("sandbox", Pace(seconds=60, concurrency=1), deadline=0):
                NoPacer().wait_turn("sandbox", Pace(seconds=60), deadline=0)
        assert naps == []
