"""Connections that nobody uses just now, kept open for whichever thread of the process needs the next one.

Nothing is held while a registry is asked, so one live lookup takes a connection and gives it back several times; to
open one makes the server start a process.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from config.postgres.patient import PatientConnection

MOST = 16
IDLE_SECONDS = 30.0  # less than a server's machine may be gone before the system notices (keepalives)
LIFE_SECONDS = 600.0
NOT_PART_OF_PLACE = ("context", "cursor_factory")

Place = tuple[tuple[str, str], ...]


class IdleConnections:
    """The one that was given back last is taken first, so that those that are too many grow old and are closed.

    It runs no thread and opens nothing: while the server is away, who needs a connection is told so by opening one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[PatientConnection] = []

    def take(self, place: Place) -> PatientConnection | None:
        """Return one to this place that is still open, or None."""
        while True:
            with self._lock:
                found = next((one for one in reversed(self._idle) if one.place == place), None)
                if found is None:
                    return None
                self._idle.remove(found)
            if not _is_outdated(found, now=time.monotonic()) and not _has_word(found):
                return found
            _close(found)

    def put(self, connection: PatientConnection) -> bool:
        """Keep one that is between transactions; False where it is not, or enough are kept: the caller closes it."""
        is_between = connection.autocommit and connection.info.transaction_status == TransactionStatus.IDLE
        if connection.closed or not is_between:
            return False
        now = connection.idle_since = time.monotonic()
        with self._lock:
            old = [one for one in self._idle if _is_outdated(one, now=now)]
            self._idle = [one for one in self._idle if one not in old]
            is_kept = len(self._idle) < MOST
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
        """Leave them to the process that this one was forked from: they are its own."""
        self.__init__()  # type: ignore[misc]  # its lock may have been held


def find_place(parameters: Mapping[str, Any]) -> Place:
    """What two connections have in common that can stand for each other: server, database, role and options."""
    return tuple((name, str(value)) for name, value in parameters.items() if name not in NOT_PART_OF_PLACE)


def _is_outdated(connection: PatientConnection, *, now: float) -> bool:
    return now - connection.idle_since > IDLE_SECONDS or now - connection.made_at > LIFE_SECONDS


def _has_word(connection: PatientConnection) -> bool:
    """Whether the server has said something unasked, which is mostly good-bye; it costs no round trip."""
    try:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        return bool(poll.poll(0))
    except (OSError, psycopg.Error):
        return True


def _close(connection: PatientConnection) -> None:
    with suppress(psycopg.Error):
        connection.close()


idle = IdleConnections()
os.register_at_fork(after_in_child=idle.forget)
