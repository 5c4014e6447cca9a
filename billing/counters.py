"""Where `limits` counts: Redis when there is one, the database otherwise, each in one atomic step."""

from __future__ import annotations

import logging
import time
from collections import deque
from functools import lru_cache
from typing import Any, Protocol

from django.conf import settings
from django.db import connection, transaction

log = logging.getLogger(__name__)

# How long the database counts after Redis failed, before Redis is asked again: without this pause every request
# would wait for the time-out.
PAUSE_SECONDS = 5.0
REDIS_TIMEOUT_SECONDS = 0.25
MOST_OWED = 1000  # slots that wait for Redis to be freed; those left out end by their leases
LONGEST_LEASE_SECONDS = 1800.0  # a slot that is taken for longer was taken before the clock was set back: it is free


class Unreachable(Exception):
    """This counter does not answer now; another one has to."""


class Counter(Protocol):
    """What a place to count in can do. Moments are epoch seconds."""

    def count(self, subject: str, window: int, seconds: int) -> int:
        """Count one event; return its number within the window, from 1."""
        ...

    def acquire(self, subject: str, token: str, limit: int, moment: float, lease_seconds: float) -> bool:
        """Occupy one of `limit` slots; False when all are taken."""
        ...

    def release(self, subject: str, token: str) -> None:
        """Free the slot that `token` occupies."""
        ...


class DatabaseCounter:
    """Counts in two small tables; right for several processes on SQLite, and when Redis is away."""

    # A window that lies further ahead than the next one was begun before the clock was set back: it counts no more.
    _COUNT = """
        INSERT INTO billing_ratewindow (subject, "window", count) VALUES (%s, %s, 1)
        ON CONFLICT (subject) DO UPDATE SET
            count = CASE WHEN billing_ratewindow."window" BETWEEN excluded."window" AND excluded."window" + %s
                         THEN billing_ratewindow.count + 1 ELSE 1 END,
            "window" = CASE WHEN billing_ratewindow."window" BETWEEN excluded."window" AND excluded."window" + %s
                            THEN billing_ratewindow."window" ELSE excluded."window" END
        RETURNING count
    """
    # PostgreSQL: SKIP LOCKED lets parallel callers each pick a different free slot instead of the same one.
    _ACQUIRE = """
        UPDATE billing_concurrencyslot SET token = %s, lease_until = %s WHERE id = (
            SELECT id FROM billing_concurrencyslot WHERE subject = %s AND number < %s
            AND (lease_until <= %s OR lease_until > %s) ORDER BY number LIMIT 1 {skip_locked}
        ) RETURNING id
    """
    _ADD_SLOT = """
        INSERT INTO billing_concurrencyslot (subject, number, token, lease_until) VALUES (%s, %s, '', 0)
        ON CONFLICT (subject, number) DO NOTHING
    """

    def count(self, subject: str, window: int, seconds: int) -> int:
        """See Counter."""
        with connection.cursor() as cursor:
            cursor.execute(self._COUNT, [subject, window, seconds, seconds])
            return int(cursor.fetchone()[0])

    def acquire(self, subject: str, token: str, limit: int, moment: float, lease_seconds: float) -> bool:
        """See Counter. The rows of a subject are made when it first runs out of them."""
        skip_locked = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
        statement = self._ACQUIRE.format(skip_locked=skip_locked)
        ahead = moment + LONGEST_LEASE_SECONDS
        values: list[str | float] = [token, moment + lease_seconds, subject, limit, moment, ahead]
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            if cursor.fetchone():
                return True
        return self._acquire_alone(statement, values, subject=subject, limit=limit)

    def _acquire_alone(self, statement: str, values: list[str | float], *, subject: str, limit: int) -> bool:
        """Look again with every slot of the subject locked, making missing ones first.

        A caller that skipped the slots others were busy with may have missed one that was freed meanwhile (seen on
        PostgreSQL: 8 callers, 10 slots, a refusal in 1 of 200). So nobody is refused before this second look.
        """
        locking = "FOR UPDATE" if connection.vendor == "postgresql" else ""
        own = f"SELECT id FROM billing_concurrencyslot WHERE subject = %s ORDER BY number {locking}"  # noqa: S608
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(own, [subject])
            present = len(cursor.fetchall())
            if present < limit:
                for number in range(present, limit):
                    cursor.execute(self._ADD_SLOT, [subject, number])
                cursor.execute(own, [subject])  # those that someone else made meanwhile are not locked yet
            cursor.execute(statement, values)
            return cursor.fetchone() is not None

    def release(self, subject: str, token: str) -> None:
        """See Counter."""
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE billing_concurrencyslot SET token = '', lease_until = 0 WHERE subject = %s AND token = %s",
                [subject, token],
            )


class RedisCounter:
    """Counts in Redis, shared by every process of the service; keys end by themselves."""

    _COUNT = """
        local number = redis.call('INCR', KEYS[1])
        if number == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
        return number
    """
    _ACQUIRE = """
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. ARGV[6], '+inf')
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
        redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
        redis.call('EXPIRE', KEYS[1], ARGV[5])
        return 1
    """

    def __init__(self, url: str) -> None:
        import redis

        client = redis.Redis.from_url(
            url, socket_timeout=REDIS_TIMEOUT_SECONDS, socket_connect_timeout=REDIS_TIMEOUT_SECONDS
        )
        self._client = client
        self._failure = redis.RedisError
        self._run_count = client.register_script(self._COUNT)
        self._run_acquire = client.register_script(self._ACQUIRE)
        self._silent_until = 0.0
        self._owed: deque[tuple[str, str]] = deque(maxlen=MOST_OWED)  # slots that nobody has and Redis may count

    def count(self, subject: str, window: int, seconds: int) -> int:
        """See Counter."""
        return int(self._ask(self._run_count, keys=[f"sos:rate:{subject}:{window}"], args=[seconds * 2]))

    def acquire(self, subject: str, token: str, limit: int, moment: float, lease_seconds: float) -> bool:
        """See Counter."""
        ahead = moment + LONGEST_LEASE_SECONDS
        args = [token, moment, moment + lease_seconds, limit, int(lease_seconds) + 1, ahead]
        key = f"sos:slots:{subject}"
        self._ask(self._free_owed)
        try:
            return bool(self._ask(self._run_acquire, keys=[key], args=args))
        except Unreachable:
            self._owed.append((key, token))  # it may have been given, and only the reply was lost
            raise

    def release(self, subject: str, token: str) -> None:
        """See Counter. What Redis does not hear now it hears before it gives the next one."""
        self._owed.append((f"sos:slots:{subject}", token))
        self._ask(self._free_owed)

    def _free_owed(self) -> None:
        """Free what is owed; a slot that could not be is owed still."""
        while self._owed:
            try:
                slot = self._owed.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                self._client.zrem(*slot)
            except self._failure:
                self._owed.append(slot)
                raise

    def _ask(self, question: Any, *args: Any, **named: Any) -> Any:
        """Ask Redis; after a failure stay away from it for a while."""
        if time.monotonic() < self._silent_until:
            raise Unreachable
        try:
            return question(*args, **named)
        except self._failure as error:
            self._silent_until = time.monotonic() + PAUSE_SECONDS
            log.warning("Redis does not answer (%s); the database counts limits meanwhile.", type(error).__name__)
            raise Unreachable from error


DATABASE: Counter = DatabaseCounter()


@lru_cache(maxsize=4)
def _redis_at(url: str) -> RedisCounter:
    return RedisCounter(url)


def choose() -> Counter:
    """Return the counter of this installation."""
    return _redis_at(settings.REDIS_URL) if settings.REDIS_URL else DATABASE


def count(subject: str, window: int, seconds: int) -> int:
    """Count one event in the first place that answers; return its number within the window."""
    try:
        return choose().count(subject, window, seconds)
    except Unreachable:
        return DATABASE.count(subject, window, seconds)
