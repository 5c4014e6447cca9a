"""What time it is for whoever forgets what is old: a machine whose clock runs ahead takes all there is for that."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.utils import timezone


def now_at_most() -> datetime:
    """This moment by the machine's clock and by the database's, whichever is behind.

    SQLite is told the time by this machine, and has no clock of its own.
    """
    now = timezone.now()
    if connection.vendor != "postgresql":
        return now
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        database: datetime = cursor.fetchone()[0]
    return min(now, database)
