"""A server that is frozen keeps its connections open and says nothing: no time-out of its own, nor of TCP, ends that.

So the client stops waiting. What the server was doing is then not known: the connection is given up with it, and the
server rolls back what was not committed. Who waits is told by the error that Django raises when the server is gone.
"""

from __future__ import annotations

import select
import time
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus

from config.idle_connections import Place
from config.patience import patience

RV = TypeVar("RV")
CANCEL_SECONDS = 1.0
LOOK_EVERY = 0.1  # seconds, for an interruption by the keyboard


class PatientConnection(psycopg.Connection[Any]):
    """A connection that is given up when a statement takes longer than whoever waits for it is patient."""

    place: Place = ()
    idle_since = 0.0

    def __init__(self, *of: Any, **named: Any) -> None:
        super().__init__(*of, **named)
        self.made_at = time.monotonic()
        self.kept_by_server: list[psycopg.ServerCursor[Any]] = []

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

    def is_clean(self) -> bool:
        """Whether it is open and between transactions, and the server keeps no rows for somebody who reads on it."""
        is_between = self.autocommit and self.info.transaction_status == TransactionStatus.IDLE
        self.kept_by_server = [one for one in self.kept_by_server if not one.closed]
        return not self.closed and is_between and not self.kept_by_server

    def is_current(self) -> bool:
        """Whether the server has said nothing unasked, which is mostly good-bye."""
        try:
            poll = select.poll()
            poll.register(self.fileno(), select.POLLIN)
            return not poll.poll(0)
        except (OSError, psycopg.Error):
            return False
