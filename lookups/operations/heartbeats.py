"""Who works: each process of the service says so every five seconds, in a row that all the others see.

In the database, because that is the one place which every process of every installation shares, and because without it
nobody could do the work anyway. Ages are measured by the database's clock alone: machines' clocks differ.
"""

from __future__ import annotations

import atexit
import logging
import os
import platform
import threading
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models.functions import Now

from lookups.models import Heartbeat

log = logging.getLogger(__name__)
Role = Heartbeat.Role
EVERY_SECONDS = 5.0
RETRY_SECONDS = 1.0  # while the database is away: when it is back, who lives is not to be missed
SILENT_AFTER = timedelta(seconds=30)  # six beats: a machine under load misses one or two
KEPT_FOR = timedelta(hours=1)  # of what was killed: until then it is told since when it is silent
FAREWELL_SECONDS = 5.0  # what an ending process waits for its row to go: a busy machine takes its time


@dataclass(frozen=True, slots=True)
class Beat:
    """What is known of one process; `age` is how long ago it said that it lives, by the database's clock."""

    role: str
    host: str
    age: timedelta

    @property
    def is_alive(self) -> bool:
        """Whether it may be counted on. A time to come was noted by a clock that was set back since."""
        return abs(self.age) <= SILENT_AFTER


class Pulse:
    """The heartbeat of this process: a thread that writes its row, and deletes it in the end."""

    def __init__(self, role: str, *, every_seconds: float = EVERY_SECONDS) -> None:
        self.role, self._every = role, every_seconds
        self._id = uuid.uuid4()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Beat from now on, until the process ends or `stop`."""
        self._thread.start()
        atexit.register(self.end)

    def stop(self) -> None:
        """Beat no more: what is accepted from now on is not for this process. Waits for nothing."""
        self._ends.set()

    def end(self) -> None:
        """Stop, and wait a moment until the row is gone."""
        self.stop()
        self._thread.join(FAREWELL_SECONDS)

    def _run(self) -> None:
        silent = False
        while True:
            try:
                self._beat()
                silent = False
            except Exception as error:  # the database may be away for a while; it is tried again
                if not silent:
                    log.warning("This process could not say that it lives: %s", type(error).__name__)
                silent = True
            finally:
                connection.close()
            if self._ends.wait(min(self._every, RETRY_SECONDS) if silent else self._every):
                break
        self._leave()

    def _beat(self) -> None:
        if not Heartbeat.objects.filter(pk=self._id).update(beat_at=Now()):
            host = platform.node()[:253]
            Heartbeat.objects.create(
                id=self._id, role=self.role, host=host, pid=os.getpid(), started_at=Now(), beat_at=Now()
            )

    def _leave(self) -> None:
        try:
            Heartbeat.objects.filter(pk=self._id).delete()
        except Exception:  # the row grows old instead
            log.warning("This process could not take its heartbeat away.")
        finally:
            connection.close()


def list_beats() -> list[Beat]:
    """Every process that lives, or was lost within the last hour, in one query."""
    rows = Heartbeat.objects.annotate(clock=Now()).values_list("role", "host", "beat_at", "clock")
    return [Beat(role, host, clock - beat_at) for role, host, beat_at, clock in rows]


def is_at_work(role: str) -> bool:
    """Whether a process of this role lives, so that what is left to it will be done."""
    return any(beat.is_alive for beat in list_beats() if beat.role == role)


def find_own(role: str, *, host: str) -> Beat | None:
    """The latest sign of a process of this role on this machine; None when there is none."""
    mine = [beat for beat in list_beats() if (beat.role, beat.host) == (role, host)]
    return min(mine, key=lambda beat: abs(beat.age), default=None)


def prune(*, now: datetime) -> int:
    """Forget processes that have said nothing for an hour, by the database's clock and not `now`; returns how many."""
    deleted, _ = Heartbeat.objects.filter(beat_at__lte=Now() - KEPT_FOR).delete()
    return deleted
