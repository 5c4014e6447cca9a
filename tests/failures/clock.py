"""Lets minutes pass at once: every time that something still waits for is moved, in the rows and in Redis.

Moving what was noted back by ten minutes is the same, to whoever reads it, as a clock that goes ten minutes forward.
"""

from __future__ import annotations

import redis

from tests.failures.books import Books

# Only what is still open: what has ended keeps its times.
MOVED = {
    "lookups_job": (("created_at", "deadline", "lease_until", "not_before"), "ended_at IS NULL"),
    "lookups_lookup": (("created_at",), "verdict IS NULL"),
    "lookups_bulkjob": (("created_at", "deadline"), "ended_at IS NULL"),
    "lookups_sharedfetch": (("started_at", "lease_until"), "ended_at IS NULL"),
    "lookups_idempotencyrecord": (("created_at", "lease_until", "expires_at"), "TRUE"),
    "billing_hold": (("created_at", "expires_at"), "state = 'open'"),
    "scrapers_breaker": (("open_until", "probe_until", "slow_until"), "TRUE"),
}


def move(books: Books, queue: redis.Redis, *, seconds: float) -> None:
    """Let `seconds` pass (negative: set the clock back) for everything that is under way."""
    for table, (columns, which) in MOVED.items():
        sets = ", ".join(f"{column} = {column} - make_interval(secs => %(by)s)" for column in columns)
        books.write(f"UPDATE {table} SET {sets} WHERE {which}", by=seconds)
    books.write(
        "UPDATE billing_concurrencyslot SET lease_until = lease_until - %(by)s WHERE lease_until > 0", by=seconds
    )
    for pattern, unit in (("pace:slots:*", 1000), ("sos:slots:*", 1)):
        for key in queue.scan_iter(pattern):
            for member in queue.zrange(key, 0, -1):
                queue.zincrby(key, -seconds * unit, member)
    for key in queue.scan_iter("pace:turn:*"):
        queue.incrby(key, -int(seconds * 1000))


def end_pauses(books: Books) -> None:
    """Have every job that waits for its next try tried now, as an operator may."""
    books.write("UPDATE lookups_job SET not_before = NULL WHERE status = 'pending' AND not_before IS NOT NULL")
