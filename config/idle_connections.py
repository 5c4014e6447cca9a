"""Connections that nobody uses just now, kept open for whichever thread of the process needs the next one.

Nothing is held while a registry is asked, so one live lookup takes a connection and gives it back several times. To
open one makes PostgreSQL start a process, and SQLite read the whole schema.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Protocol

IDLE_SECONDS = 30.0  # less than a server's machine may be gone before the system notices (keepalives)
LIFE_SECONDS = 600.0
NOT_PART_OF_PLACE = ("context", "cursor_factory")

Place = tuple[tuple[str, str], ...]


class Connection(Protocol):
    """What is kept. `place` says which others it can stand for; the moments are the monotonic clock's, in seconds."""

    place: Place
    made_at: float
    idle_since: float

    def is_clean(self) -> bool:
        """Whether it is open and in the middle of nothing."""
        ...

    def is_current(self) -> bool:
        """Whether it still leads to where a new one would lead; to know costs no round trip."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


class IdleConnections:
    """The one that was given back last is taken first, so that those that are too many grow old and are closed.

    It runs no thread and opens nothing: while the server is away, who needs a connection is told so by opening one.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._idle: list[Any] = []
        self._of_others: list[Any] = []

    def take(self, place: Place) -> Any:
        """Return one to this place that is still open, or None."""
        while True:
            with self._lock:
                found = next((one for one in reversed(self._idle) if one.place == place), None)
                if found is None:
                    return None
                self._idle.remove(found)
            if not _is_outdated(found, now=time.monotonic()) and found.is_current():
                return found
            _close(found)

    def put(self, connection: Connection) -> bool:
        """Keep one that is clean; False where it is not, or enough are kept: the caller closes it."""
        if not connection.is_clean():
            return False
        now = connection.idle_since = time.monotonic()
        with self._lock:
            old = [one for one in self._idle if _is_outdated(one, now=now)]
            self._idle = [one for one in self._idle if one not in old]
            is_kept = len(self._idle) < self.most
            if is_kept:
                self._idle.append(connection)
        for one in old:
            _close(one)
        return is_kept

    def clear(self) -> None:
        """Close all of them."""
        with self._lock:
            old, self._idle = self._idle, []
        for one in old:
            _close(one)

    def forget(self) -> None:
        """Leave them to the process that this one was forked from: they are its own, and not to be closed here."""
        self._of_others += self._idle
        self._idle, self._lock = [], threading.Lock()  # which may have been held


class GivesBack:
    """Mixin for a database wrapper of Django's: to close means to give back."""

    idle: ClassVar[IdleConnections]

    def close_idle(self) -> None:
        """Close what nobody uses, before a database is dropped or replaced."""
        self.idle.clear()

    def _close(self) -> None:
        """Give it back where nothing has gone wrong on it, and close it otherwise."""
        one: Any = self
        unsure = one.errors_occurred or one.in_atomic_block or one.needs_rollback
        if one.connection is not None and (unsure or not self.idle.put(one.connection)):
            super()._close()  # type: ignore[misc]


def keep(*, most: int) -> IdleConnections:
    """A place for so many, empty whenever the process is forked, and which one that ends leaves closed.

    SQLite takes the locks of a file for held that the parent holds, which the child has not: others would then end the
    log that it writes to.
    """
    kept = IdleConnections(most)
    atexit.register(kept.clear)
    os.register_at_fork(before=kept.clear, after_in_child=kept.forget)
    return kept


def find_place(parameters: Mapping[str, Any]) -> Place:
    """What two connections have in common that can stand for each other: server or file, database, role and options."""
    return tuple((name, str(value)) for name, value in parameters.items() if name not in NOT_PART_OF_PLACE)


def _is_outdated(connection: Connection, *, now: float) -> bool:
    return now - connection.idle_since > IDLE_SECONDS or now - connection.made_at > LIFE_SECONDS


def _close(connection: Connection) -> None:
    with suppress(Exception):  # whatever is wrong with it, nobody uses it
        connection.close()
