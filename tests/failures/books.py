"""The database as an outsider reads it: plain SQL on a connection of its own, none of the product's code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

# Notes every ending of a job and of a lookup, and every change to one that had ended: rows alone cannot show that
# something came twice. The end of a job waits while a story holds the lock below: so a process is stopped after it
# charged, before it ended a job. A lookup that had ended may leave its row of a bulk request, to one that asks anew.
WITNESS = """
CREATE TABLE IF NOT EXISTS witnessed (whose text, what text, at timestamptz DEFAULT clock_timestamp());
CREATE OR REPLACE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock_shared(4711);
        INSERT INTO witnessed (whose, what) VALUES ('job ' || NEW.id, 'ended');
    ELSIF OLD.ended_at IS NOT NULL AND (NEW.status, NEW.lookup_id, NEW.ended_at)
        IS DISTINCT FROM (OLD.status, OLD.lookup_id, OLD.ended_at) THEN
        INSERT INTO witnessed (whose, what) VALUES ('job ' || NEW.id, 'changed');
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION witness_lookup() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.verdict IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.verdict IS NULL) THEN
        INSERT INTO witnessed (whose, what) VALUES ('lookup ' || NEW.id, 'ended');
    ELSIF TG_OP = 'UPDATE' AND OLD.verdict IS NOT NULL AND to_jsonb(NEW) - '{bulk_id,position}'::text[]
        IS DISTINCT FROM to_jsonb(OLD) - '{bulk_id,position}'::text[] THEN
        INSERT INTO witnessed (whose, what) VALUES ('lookup ' || NEW.id, 'changed');
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER witness AFTER UPDATE ON lookups_job FOR EACH ROW EXECUTE FUNCTION witness();
CREATE OR REPLACE TRIGGER witness AFTER INSERT OR UPDATE ON lookups_lookup
    FOR EACH ROW EXECUTE FUNCTION witness_lookup();
"""

# What a process is about to do when it stands before a lock; others may be busy with the same row for other reasons.
CHARGES = 'SELECT %"lookups_lookup" INNER JOIN "billing_hold"% FOR NO KEY UPDATE%'
ENDS_A_JOB = 'UPDATE "lookups_job" SET "status" = %"ended_at" = %'
KEEPS_AN_ANSWER = 'UPDATE "lookups_idempotencyrecord" SET "is_answered" = %'

LONGEST_PAUSE = 0.25


class Books:
    """Reads and moves rows; every call is a connection of its own, so that a restarted server is no matter."""

    def __init__(self, url: str) -> None:
        self.url = url

    def read(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with psycopg.connect(self.url, autocommit=True, connect_timeout=10) as connection:
            return connection.execute(statement, values).fetchall()

    def count(self, statement: str, **values: Any) -> int:
        """The one number that a query gives."""
        return int(self.read(statement, **values)[0][0])

    def write(self, statement: str, **values: Any) -> int:
        """Run one statement; how many rows it touched."""
        with psycopg.connect(self.url, autocommit=True, connect_timeout=10) as connection:
            return connection.execute(statement, values).rowcount

    def place_witness(self) -> None:
        """Have every end of a job and of a lookup noted from now on."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(WITNESS)

    @contextmanager
    def locked(self, table: str, ids: list[Any]) -> Iterator[None]:
        """Lock rows: whoever wants to change them stands still until the block ends."""
        with psycopg.connect(self.url) as connection:
            # NO KEY: rows that merely point at them are not made to wait.
            connection.execute(f"SELECT 1 FROM {table} WHERE id = ANY(%s) FOR NO KEY UPDATE", [ids])
            yield
            connection.rollback()

    @contextmanager
    def no_job_begins(self) -> Iterator[None]:
        """Nobody can be told that his question has become a job until the block ends."""
        with psycopg.connect(self.url) as connection:
            connection.execute("LOCK TABLE lookups_job IN SHARE MODE")
            yield
            connection.rollback()

    @contextmanager
    def no_reading_is_kept(self) -> Iterator[None]:
        """Nobody can note what a registry answered until the block ends; its bytes are written before."""
        with psycopg.connect(self.url) as connection:
            connection.execute("LOCK TABLE scrapers_reading IN SHARE MODE")
            yield
            connection.rollback()

    @contextmanager
    def no_job_ends(self) -> Iterator[None]:
        """Whoever wants to end a job stands still until the block ends, after whatever he did before."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(4711)")
            yield

    def disconnect(self, process: str) -> None:
        """End the connections of a process that was killed: a statement of its that stood before a lock never came.

        Otherwise the server would still carry it out, once the lock is gone, for a client that is dead.
        """
        self.read(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %(name)s",
            name=process,
        )

    def blocked(self, process: str, statement: str) -> int:
        """How many connections of a process stand before a lock with such a statement (a pattern, as for LIKE)."""
        return self.count(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %(name)s AND wait_event_type = 'Lock'"
            " AND query LIKE %(like)s",
            name=process,
            like=statement,
        )

    def statements(self, process: str) -> list[tuple[Any, ...]]:
        """What the connections of a process do, or did last, and what they wait for."""
        return self.read(
            "SELECT state, wait_event_type, wait_event, query FROM pg_stat_activity WHERE application_name = %(name)s",
            name=process,
        )


def wait_until(condition: Callable[[], Any], *, what: str, seconds: float = 40.0) -> Any:
    """Wait for a condition and return what it gave; fail with `what` when it does not come true in time.

    It is asked less and less often: to ask takes the service and its database time that they need to come that far.
    """
    deadline, pause = time.monotonic() + seconds, 0.05
    while True:
        try:
            found = condition()
        except psycopg.OperationalError:  # the server is down or coming up
            found = None
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(pause)
        pause = min(pause * 1.3, LONGEST_PAUSE)
