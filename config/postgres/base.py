"""Django's PostgreSQL, on connections that do not wait for ever and are handed on where nobody uses them."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg import IsolationLevel

from config.postgres.idle import find_place, idle
from config.postgres.patient import PatientConnection


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, but that to close means to give back."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """Take one that nobody uses, or connect."""
        self.isolation_level = IsolationLevel.READ_COMMITTED
        place = find_place(conn_params)
        taken = idle.take(place)
        if taken is None:
            taken = PatientConnection.connect(**conn_params)
            taken.place = place
        return taken

    def close_pool(self) -> None:
        """Close what nobody uses, before a database is dropped."""
        idle.clear()
        super().close_pool()

    def _close(self) -> None:
        """Give it back where nothing has gone wrong on it, and close it otherwise."""
        unsure = self.errors_occurred or self.in_atomic_block or self.needs_rollback
        if self.connection is not None and (unsure or not idle.put(self.connection)):
            super()._close()  # type: ignore[misc]  # the stubs leave it out
