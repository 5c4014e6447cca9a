"""Django's SQLite, on connections that are handed on where nobody uses them.

A connection reads the whole schema before its first statement, a millisecond and more: as much as a request needs.
"""

from __future__ import annotations

import os
import sqlite3
import time
from typing import Any
from weakref import WeakSet

from django.db.backends.sqlite3 import base

from config.idle_connections import GivesBack, Place, find_place, keep

MOST_IDLE = 4  # writers take turns; each holds up to 2 MB of pages


class _Cursor(base.SQLiteCursorWrapper):
    """Django's, that tells its connection when it is done."""

    def close(self) -> None:
        super().close()
        self.connection.open_cursors.discard(self)  # type: ignore[attr-defined]


class FileConnection(sqlite3.Connection):
    """A connection that knows its file, and who still reads on it: SQLite itself does not say."""

    place: Place = ()
    idle_since = 0.0

    def __init__(self, database: str, *of: Any, **named: Any) -> None:
        super().__init__(database, *of, **named)
        self.made_at = time.monotonic()
        self.open_cursors: WeakSet[_Cursor] = WeakSet()
        self._path, self._file = database, _identify(database)
        self._is_writable = os.access(database, os.W_OK)  # one opened while the disk is read-only stays so

    def is_clean(self) -> bool:
        """Whether it is to a file, can write, is in no transaction, and nobody is in the middle of reading."""
        is_between = self.isolation_level is None and not self.in_transaction  # None: Django's autocommit
        return self._file is not None and self._is_writable and is_between and not self.open_cursors

    def is_current(self) -> bool:
        """Whether its file still lies at its place: one that was replaced lives on for who has it open."""
        return _identify(self._path) == self._file


class DatabaseWrapper(GivesBack, base.DatabaseWrapper):
    """Django's, but that to close means to give back."""

    idle = keep(most=MOST_IDLE)

    def get_new_connection(self, conn_params: dict[str, Any]) -> FileConnection:
        """Take one that nobody uses, or connect."""
        place = find_place(conn_params)
        taken: FileConnection | None = self.idle.take(place)
        if taken is None:
            taken = super().get_new_connection({**conn_params, "factory": FileConnection})
            taken.place = place
        return taken

    def create_cursor(self, name: str | None = None) -> _Cursor:
        """A cursor that is known to be open until it is closed."""
        made: _Cursor = self.connection.cursor(factory=_Cursor)
        self.connection.open_cursors.add(made)
        return made


def _identify(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None  # in memory, or gone
    return found.st_dev, found.st_ino
