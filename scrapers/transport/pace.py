"""How fast a portal may be asked, agreed between all threads and processes of the service.

Two forms of one promise (`Pacer`): lock files under var/ for one machine without a server, Redis for several
machines. Both fail closed: when the pace cannot be known, nobody is asked.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from scrapers.failures import Failure, PortalUnavailable

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """At least `seconds` between two requests to a portal, and at most `concurrency` lookups at once."""

    seconds: float = 1.0
    concurrency: int = 2


class Pacer(Protocol):
    """What the transport asks before it sends anything."""

    def slot(self, portal: str, pace: Pace, *, deadline: float) -> Any:
        """Context manager: hold one of the portal's places; PortalUnavailable(rate_limited) past `deadline`."""

    def wait_turn(self, portal: str, pace: Pace, *, deadline: float) -> None:
        """Sleep until the next request may go out; PortalUnavailable(rate_limited) if that is past `deadline`."""


def _sleep_until_turn(wait: float, *, portal: str, deadline: float) -> None:
    if time.monotonic() + wait > deadline:
        raise PortalUnavailable(
            f"{portal}: no turn within the time allowed", reason=Failure.RATE_LIMITED, retry_after=wait
        )
    if wait > 0:
        time.sleep(wait)


# Seconds. Nobody takes a turn past his deadline, at most two minutes away: what is noted for later was noted by a clock
# that was set back since, and must not close a portal for hours.
FARTHEST_TURN = 600


class FilePacer:
    """The embedded form: lock files, released by the kernel when a process dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def slot(self, portal: str, pace: Pace, *, deadline: float) -> Iterator[None]:
        """Hold one of `pace.concurrency` places of the portal, waiting for one until `deadline`."""
        while (handle := self._take(portal, pace)) is None:
            _sleep_until_turn(0.05, portal=portal, deadline=deadline)
        try:
            yield
        finally:
            os.close(handle)  # closing releases the lock

    def _take(self, portal: str, pace: Pace) -> int | None:
        with _fail_closed():
            for number in range(pace.concurrency):
                handle = os.open(self._folder / f"{portal}.{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(handle)
                    continue
                return handle
        return None

    def wait_turn(self, portal: str, pace: Pace, *, deadline: float) -> None:
        """Take the next free moment from the portal's file, and sleep until it."""
        with _fail_closed():
            handle = os.open(self._folder / f"{portal}.turn", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                now = time.time()
                turn = max(now, _noted_turn(os.pread(handle, _WIDTH, 0)))
                if turn > now + FARTHEST_TURN:
                    turn = now
                if time.monotonic() + (turn - now) <= deadline:
                    os.pwrite(handle, f"{turn + pace.seconds:0{_WIDTH}.6f}".encode(), 0)
            finally:
                os.close(handle)
        _sleep_until_turn(turn - now, portal=portal, deadline=deadline)


_WIDTH = 32  # a note is always as long as the one before, so writing it cannot stop half way between two


def _noted_turn(raw: bytes) -> float:
    """The moment in a portal's file; a file that a crash or a person spoilt counts as none."""
    try:
        return float(raw) if raw else 0.0
    except ValueError:
        return 0.0


@contextmanager
def _fail_closed() -> Iterator[None]:
    """A folder that cannot be used (full, read-only, gone) means that the pace is unknown, so nobody is asked."""
    try:
        yield
    except OSError as error:
        raise _unknown(error) from error


def _unknown(error: Exception) -> PortalUnavailable:
    """What is raised where nobody knows how fast a registry may be asked. The log names the cause, as no page does."""
    log.warning("The pace of the registries is unknown (%s), so nobody is asked.", error)
    return PortalUnavailable(f"the pace is unknown: {error}", reason=Failure.RATE_LIMITED)


_TURN = """
local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
local turn = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
if turn > now + FARTHEST then turn = now end
if turn - now <= tonumber(ARGV[2]) then redis.call('SET', KEYS[1], turn + ARGV[1], 'PX', 3600000) end
return turn - now
""".replace("FARTHEST", str(FARTHEST_TURN * 1000))
_TAKE = """
local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local mine = redis.call('ZSCORE', KEYS[1], ARGV[3])
if not mine and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
"""
_GRACE_MS = 10_000  # nobody asks past his deadline: so much later the place of a process that was killed comes back


class RedisPacer:
    """The production form: Redis' own clock and one script for each decision.

    A command may reach Redis twice, where its reply was lost: a place is then taken and freed once all the same, and a
    second turn comes later, never earlier.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._turn = client.register_script(_TURN)
        self._take = client.register_script(_TAKE)

    def _ask(self, script: Any, key: str, *args: Any) -> int:
        try:
            return int(script(keys=[key], args=args))
        except Exception as error:  # whatever Redis says: without it the pace is unknown, so nobody is asked
            raise _unknown(error) from error

    @contextmanager
    def slot(self, portal: str, pace: Pace, *, deadline: float) -> Iterator[None]:
        """Hold one of `pace.concurrency` places of the portal, waiting for one until `deadline`."""
        key, holder = f"pace:slots:{portal}", secrets.token_hex(8)
        try:
            while not self._ask(self._take, key, pace.concurrency, _left_ms(deadline) + _GRACE_MS, holder):
                _sleep_until_turn(0.05, portal=portal, deadline=deadline)
            yield
        finally:  # also where nobody heard that it was given
            with suppress(Exception):  # the lease ends by itself; the answer already read must not be lost
                self._client.zrem(key, holder)

    def wait_turn(self, portal: str, pace: Pace, *, deadline: float) -> None:
        """Take the next free moment from Redis, and sleep until it."""
        wait = self._ask(self._turn, f"pace:turn:{portal}", int(pace.seconds * 1000), _left_ms(deadline)) / 1000
        _sleep_until_turn(wait, portal=portal, deadline=deadline)


def _left_ms(deadline: float) -> int:
    return max(0, int((deadline - time.monotonic()) * 1000))


class NoPacer:
    """For the sandbox registry, which is nobody's server."""

    @contextmanager
    def slot(self, portal: str, pace: Pace, *, deadline: float) -> Iterator[None]:
        """Hold nothing."""
        yield

    def wait_turn(self, portal: str, pace: Pace, *, deadline: float) -> None:
        """Wait for nobody."""
