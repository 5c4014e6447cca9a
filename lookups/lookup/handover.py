"""A lookup that takes longer than its caller waits: the same fetch goes on in its thread, and ends a job.

The portal is asked once. A process that dies with such a thread leaves a job whose lease runs out, and the sweep gives
it to a worker, which settles it under the same ask: charged once or not at all.
"""

from __future__ import annotations

import contextvars
import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache

from django.conf import settings
from django.db import connection

from lookups.identities import attaching
from lookups.jobs import lifecycle, retries
from lookups.lookup import estimates, single_flight
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Accepted, Ended, Unavailable
from lookups.lookup.settlement import TryAgain
from lookups.models import Job, Lookup
from lookups.operations import heartbeats

log = logging.getLogger(__name__)
THREADS = 48  # fetches of one web process at a time; what finds no thread in time is left to a worker that lives


Work = Callable[[TryAgain], Lookup]


class _RunningLookup:
    """A lookup in its thread. Under the lock either it is over or it becomes a job's, so that no end is missed."""

    def __init__(self, ask: Ask, lookup: Lookup, work: Work, stopwatch: Stopwatch) -> None:
        self.ask, self.lookup, self.stopwatch = ask, lookup, stopwatch
        self._work = work
        self.lock = threading.Lock()
        self.is_over = False
        self.job: Job | None = None
        self._pause: timedelta | None = None

    def run(self) -> Lookup | None:
        """In the thread: answer; then end the job, if there is one by now."""
        try:
            lookup = self._work(self._try_again)
            job = self._finish()
            if job is not None and self._pause is not None:
                lifecycle.postpone(job, until=self.stopwatch.now + self._pause)
            elif job is not None:
                attaching.attach(lookup, now=self.stopwatch.now)
                lifecycle.end(job, lookup, now=self.stopwatch.now)
            return lookup
        except Exception:
            job = self._finish()
            if job is None:
                raise  # the caller still waits, and releases the money
            log.exception("The fetch behind job %s broke down; the sweep gives it to a worker.", job.pk)
            lifecycle.release(job, now=self.stopwatch.now)
            return None
        finally:
            connection.close()

    def _try_again(self, failure: Unavailable) -> bool:
        """A job may be tried again; a caller who waits gets the failure at once, and no job of what has failed."""
        with self.lock:
            if self.job is None:
                self.is_over = True
                return False
            deadline = self.job.deadline
            self._pause = retries.find_pause(failure, tries=1, now=self.stopwatch.now, deadline=deadline)
        return self._pause is not None

    def _finish(self) -> Job | None:
        with self.lock:
            self.is_over = True
            return self.job


@contextmanager
def seat() -> Iterator[bool]:
    """Occupy one of the web threads that may wait for a registry: half of them; False when all are taken.

    The other half answers what needs no waiting, however many lookups of however few customers are slow.
    """
    seats = _seats(os.getpid())
    is_free = seats.acquire(blocking=False)
    try:
        yield is_free
    finally:
        if is_free:
            seats.release()


def answer_in_time(ask: Ask, lookup: Lookup, stopwatch: Stopwatch, *, work: Work, patience: float) -> Ended | Accepted:
    """Do `work` in a thread; the lookup as it ended, or Accepted when that takes longer than `patience` in seconds.

    An exception means that the lookup is still the caller's to end.
    """
    running = _RunningLookup(ask, lookup, work, stopwatch)
    future = _pool(os.getpid()).submit(contextvars.copy_context().run, running.run)
    single_flight.release_connection()
    try:
        ended = future.result(max(0.0, patience - stopwatch.seconds))
    except TimeoutError:
        if future.done():
            raise  # the work's own
        accepted = _hand_over(running, future)
        if accepted is not None:
            return accepted
        ended = future.result()  # it came in while we looked, it has failed, or no job could be written: wait for it
    assert ended is not None
    return Ended(ended)


def _hand_over(running: _RunningLookup, future: Future[Lookup | None]) -> Accepted | None:
    """Make a job of it; None when it is over already, or when no job can be written."""
    with running.lock:
        if running.is_over:
            return None
        now = running.stopwatch.now
        left = estimates.still(running.ask.question.state, running.stopwatch.seconds, now=now)
        # Cancelled: it never got a thread, so a worker does it. Where none lives it waits on for a thread here.
        runs = future.running() or not heartbeats.is_at_work(heartbeats.Role.WORKER) or not future.cancel()
        try:
            job = lifecycle.adopt(running.ask, running.lookup, runs=runs, now=now, estimated_seconds=left)
        except Exception:
            if not runs:
                raise
            log.exception("A slow lookup could not be made a job; its caller waits on.")
            return None
        running.job = job
    if not runs:
        lifecycle.wake(job.pk)
    return Accepted(job)


@lru_cache(maxsize=1)
def _seats(process: int) -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked one gets its own."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="lookup")
