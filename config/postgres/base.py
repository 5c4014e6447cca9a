"""A server that is frozen keeps its connections open and says nothing: no time-out of its own, nor of TCP, ends that.

So the client stops waiting. What the server was doing is then not known: the connection is given up with it, and the
server rolls back what was not committed. Who waits is told by the error that Django raises when the server is gone.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from psycopg import IsolationLevel
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout

from config.patience import patience

RV = TypeVar("RV")
CANCEL_SECONDS = 1.0
LOOK_EVERY = 0.1  # seconds, for an interruption by the keyboard


class PatientConnection(psycopg.Connection[Any]):
    """A connection that is given up when a statement takes longer than whoever waits for it is patient."""

    def wait(self, gen: PQGen[RV], interval: float = LOOK_EVERY, timeout: float | None = None) -> RV:
        """Wait for the answer; raise OperationalError when it does not come in time."""
        limit = patience.get(settings.DATABASE_SECONDS)
        if timeout is not None or limit is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, limit)
        except _WaitTimeout as late:
            with suppress(psycopg.Error):  # else a server that is only slow would keep the locks of what nobody awaits
                self.cancel_safe(timeout=CANCEL_SECONDS)
            self.pgconn.finish()
            raise psycopg.OperationalError(f"the database did not answer within {limit:g} s") from late


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, on connections that do not wait for ever. It pools nothing."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """Connect."""
        self.isolation_level = IsolationLevel.READ_COMMITTED
        return PatientConnection.connect(**conn_params)
