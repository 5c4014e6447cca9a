"""How fast and how widely a key may ask: requests per minute, and lookups running at a time.

Both counts are one atomic step, so that the numbers the caller reads are exact under parallel load: a Lua script
where there is Redis, one conditional statement in the database where there is none. When Redis cannot be reached
the database counts instead (a fresh window, so at worst one window's worth too many): a limit that is briefly
generous is better than a paid request answered by an error.

Windows are fixed minutes of the clock: the reset time is then known to the caller in advance and to the second.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache

from billing import counters
from billing.models import ApiKey, RateWindow

MINUTE = 60
LEASE = timedelta(minutes=5)
KEPT_FOR = timedelta(days=1)  # counts, by key or network address, after their window
KEYS_AT_FULL_SPEED = 4  # so many keys' limits are what all keys of an account have together


class Rate(NamedTuple):
    """What to tell the caller: `reset_epoch` is when the window ends, `retry_after` seconds from now (0 if allowed)."""

    allowed: bool
    limit: int
    remaining: int
    reset_epoch: int
    retry_after: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that is occupied until it is released or its lease runs out."""

    subject: str
    token: str
    counter: counters.Counter


def count_request(*, key: ApiKey, now: datetime) -> Rate:
    """Count one request of `key` against its limit per minute, and against that of all its account's keys together.

    A key with a limit of its own, which an operator gave it, stands outside the account's; a refused request does too.
    An account that has no more keys than may be at full speed cannot reach its limit, so nothing is counted for it.
    """
    own = key.rate_limit_per_minute
    rate = count(subject=f"key:{key.pk}", limit=requests_per_minute(key), now=now)
    if own is not None or not rate.allowed or _count_keys(key.account_id) <= KEYS_AT_FULL_SPEED:
        return rate
    together = count(subject=f"account:{key.account_id}", limit=_of_account(settings.RATE_LIMIT_PER_MINUTE), now=now)
    return together if together.remaining < rate.remaining or not together.allowed else rate


def count_poll(*, key: ApiKey, now: datetime) -> Rate:
    """Count one look of `key` at work it has asked for: it has a limit of its own, so that waiting costs no lookups."""
    return count(subject=f"polls:{key.pk}", limit=settings.POLLS_PER_MINUTE, now=now)


def count(*, subject: str, limit: int, now: datetime, seconds: int = MINUTE) -> Rate:
    """Count one event of `subject` (a key, an address) against `limit` per window of `seconds`."""
    window = int(now.timestamp()) // seconds * seconds
    number = counters.count(subject, window, seconds)
    allowed = number <= limit
    reset = window + seconds
    wait = 0 if allowed else max(1, math.ceil(reset - now.timestamp()))
    return Rate(allowed, limit, max(0, limit - number), reset, wait)


def _count_keys(account_id: int) -> int:
    """How many keys an account has had that share its limit, as this process has known it for a minute at most."""

    def count() -> int:
        return ApiKey.objects.filter(account=account_id, rate_limit_per_minute=None).count()

    return int(cache.get_or_set(f"keys:{account_id}", count, MINUTE) or 0)


def _of_account(of_a_key: int) -> int:
    return of_a_key * KEYS_AT_FULL_SPEED


def requests_per_minute(key: ApiKey) -> int:
    """How many requests of this key are answered in a minute: its own limit, or the installation's."""
    return settings.RATE_LIMIT_PER_MINUTE if key.rate_limit_per_minute is None else key.rate_limit_per_minute


def concurrent_lookups(key: ApiKey) -> int:
    """How many lookups of this key may run at a time: its own limit, or the installation's."""
    return settings.CONCURRENT_LOOKUPS if key.concurrent_lookups is None else key.concurrent_lookups


def acquire(*, key: ApiKey, now: datetime, lease: timedelta = LEASE) -> Slot | None:
    """Occupy one of the key's concurrent lookups; None when all are taken.

    A slot that is never released (a killed worker) is free again when its `lease` runs out; choose it longer than
    the work can last.
    """
    return occupy(subject=f"key:{key.pk}", limit=concurrent_lookups(key), now=now, lease=lease)


def occupy(*, subject: str, limit: int, now: datetime, lease: timedelta = LEASE) -> Slot | None:
    """The same for whatever has no key: one of the `limit` places of `subject`."""
    token, moment = secrets.token_hex(16), now.timestamp()
    counter = counters.choose()
    try:
        taken = counter.acquire(subject, token, limit, moment, lease.total_seconds())
    except counters.Unreachable:
        counter = counters.DATABASE
        taken = counter.acquire(subject, token, limit, moment, lease.total_seconds())
    return Slot(subject, token, counter) if taken else None


def alone(*, subject: str, now: datetime) -> AbstractContextManager[bool]:
    """Whether nobody else does the same while the block runs; who is killed in it keeps others out for `LEASE`."""
    return freeing(occupy(subject=subject, limit=1, now=now))


@contextmanager
def freeing(slot: Slot | None) -> Iterator[bool]:
    """Whether there is a slot; it is free again when the block ends."""
    try:
        yield slot is not None
    finally:
        if slot is not None:
            release(slot=slot)


def release(*, slot: Slot) -> None:
    """Free a slot; freeing it twice, or after its lease ran out, does nothing."""
    try:
        slot.counter.release(slot.subject, slot.token)
    except counters.Unreachable:
        return  # the lease ends it


def prune(*, now: datetime) -> int:
    """Forget the counts of windows that ended a day ago; return how many."""
    deleted, _ = RateWindow.objects.filter(window__lt=int((now - KEPT_FOR).timestamp())).delete()
    return deleted
