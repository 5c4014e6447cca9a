"""Django's PostgreSQL, on connections that do not wait for ever and are handed on where nobody uses them."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from psycopg import IsolationLevel
from psycopg.types.numeric import Int8Dumper

from config.idle_connections import GivesBack, find_place, keep
from config.postgres.patient import PatientConnection

MOST_IDLE = 16
MOST_PREPARED = 200  # of a connection; those of the hot paths are some thirty


class _PreparedCursor(base.ServerBindingCursor):
    """Runs what the server knows already."""

    def _send_query_prepared(self, name: bytes, pgq: Any, *, binary: bool | None = None) -> None:
        self._query = pgq  # psycopg forgets it here, and Django could not tell what was run
        super()._send_query_prepared(name, pgq, binary=binary)  # type: ignore[misc]  # the stubs leave it out


class DatabaseWrapper(GivesBack, base.DatabaseWrapper):
    """Django's, but that to close means to give back."""

    idle = keep(most=MOST_IDLE)

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """Take one that nobody uses, or connect."""
        self.isolation_level = IsolationLevel.READ_COMMITTED
        place = find_place(conn_params)
        taken: PatientConnection | None = self.idle.take(place)
        if taken is None:
            taken = PatientConnection.connect(**conn_params)
            taken.place = place
            taken.prepare_threshold, taken.prepared_max = 0, MOST_PREPARED
            taken.adapters.register_dumper(int, Int8Dumper)  # of one type, or 5 and 50,000 were two statements
        return taken

    def create_cursor(self, name: str | None = None) -> Any:
        """A cursor; one of the server's own is known until it is closed, for it outlives who forgets it."""
        made = super().create_cursor(name)
        if name is not None:
            self.connection.kept_by_server.append(made)
        return made

    def prepared_cursor(self) -> CursorWrapper:
        """A cursor whose statements the server reads and plans once for a connection, however often they are run."""
        self.ensure_connection()
        usual = self.connection.cursor_factory
        self.connection.cursor_factory = _PreparedCursor
        try:
            return self.cursor()
        finally:
            self.connection.cursor_factory = usual

    def close_pool(self) -> None:
        """Django's name for it."""
        self.close_idle()
        super().close_pool()
