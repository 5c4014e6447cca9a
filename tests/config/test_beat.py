"""The clock of the service, where the machine's is set back and where its disk is full."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery
from celery.beat import ScheduleEntry, SchedulingError

from config import beat
from config.beat import Scheduler
from tests.failures.disks import small_disk


class Told(Scheduler):
    """Notes what would be sent."""

    def apply_entry(self, entry: ScheduleEntry, producer: object = None) -> None:
        """Send nothing."""
        SENT.append(entry.name)


SENT: list[str] = []
pytestmark = pytest.mark.once


@pytest.fixture
def start() -> Callable[[Path], Told]:
    """A clock that sends `often` every second, and `seldom` every ten minutes."""
    SENT.clear()
    app = Celery("beat", set_as_current=False, broker="memory://")
    app.conf.beat_schedule = {
        name: {"task": name, "schedule": seconds} for name, seconds in {"often": 1.0, "seldom": 600.0}.items()
    }

    def made(folder: Path) -> Told:
        scheduler = Told(app=app, schedule_filename=str(folder / "schedule"))
        scheduler.setup_schedule()
        scheduler.schedule.pop("celery.backend_cleanup", None)
        return scheduler

    return made


class TestAClockThatWasSetBack:
    """By an hour."""

    def test_sends_again_after_the_usual_time(self, start: Callable[[Path], Told], tmp_path: Path) -> None:
        scheduler = start(tmp_path)
        scheduler.tick()
        for entry in scheduler.schedule.values():
            entry.last_run_at += timedelta(hours=1)
        scheduler.populate_heap()  # as the clock of before had it
        assert scheduler.tick() <= 1.0
        for name, ago in {"often": timedelta(seconds=2), "seldom": timedelta(minutes=11)}.items():
            scheduler.schedule[name].last_run_at -= ago
        scheduler._heap = None
        for _ in range(3):
            scheduler.tick()
        assert set(SENT) == {"often", "seldom"}


class TestAKill:
    """Of the clock, which has no time to close its file."""

    def test_takes_nothing_that_was_noted(self, start: Callable[[Path], Told], tmp_path: Path) -> None:
        killed = start(tmp_path)
        sent = killed.schedule["seldom"].last_run_at - timedelta(hours=1)
        killed.schedule["seldom"].last_run_at = sent
        killed.sync()
        assert start(tmp_path).schedule["seldom"].last_run_at == sent


class TestAFullDisk:
    """Where it would note what it has sent."""

    def test_does_not_end_it(
        self, start: Callable[[Path], Told], tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with small_disk(tmp_path, megabytes=1) as disk:
            scheduler = start(tmp_path)
            with disk.full():
                scheduler.schedule["often"].args = ("x" * 100_000,)
                scheduler.sync()
                assert "could not be noted" in caplog.text
            caplog.clear()
            scheduler.sync()
            assert caplog.text == ""
            scheduler.close()


class Refused(Scheduler):
    """Before a broker that is away while `IS_AWAY` has something in it."""

    def apply_async(self, entry: ScheduleEntry, producer: object = None, advance: bool = True, **_: object) -> None:
        """Send to it."""
        if IS_AWAY:
            raise SchedulingError("refused")
        SENT.append(entry.name)


IS_AWAY: list[bool] = []


class TestABrokerThatIsAway:
    """At the minute of the night, or of the week, at which something is due."""

    def test_is_sent_it_once_when_it_is_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(beat, "AGAIN_SECONDS", 0.0)
        SENT.clear()
        app = Celery("beat", set_as_current=False, broker="memory://")
        app.conf.beat_schedule = {"seldom": {"task": "seldom", "schedule": 600.0}}
        scheduler = Refused(app=app, schedule_filename=str(tmp_path / "schedule"))
        scheduler.setup_schedule()
        scheduler.schedule.pop("celery.backend_cleanup", None)
        scheduler.schedule["seldom"].last_run_at -= timedelta(minutes=11)
        IS_AWAY.append(True)
        for _ in range(3):
            scheduler.tick()
        IS_AWAY.clear()
        assert SENT == []
        for _ in range(3):
            scheduler.tick()
        assert SENT == ["seldom"]
        scheduler.close()


class TestADamagedFile:
    """Of what was sent last, as a power cut leaves it."""

    @pytest.mark.parametrize("content", [b"", b"\0" * 4110, b"garbage"], ids=["empty", "zeros", "garbage"])
    def test_is_begun_anew_and_keeps_no_clock_from_starting(
        self, start: Callable[[Path], Told], tmp_path: Path, content: bytes
    ) -> None:
        start(tmp_path).close()
        (file,) = tmp_path.iterdir()
        file.write_bytes(content)
        scheduler = start(tmp_path)
        scheduler.tick()
        scheduler.close()
        assert set(start(tmp_path).schedule) >= {"often", "seldom"}
