"""Whose turn it is among the questions of all bulk jobs and watches: the account with the fewest running goes first.

What a watch asks waits until no bulk job has a question for a registry that has room, and leaves one of that registry's
places to people. A message only calls a worker's thread to the queue; the thread then takes one question after the
other, whichever is next, until nothing is left. A registry that has as many of them as it takes at once is passed over.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import BooleanField, Count, ExpressionWrapper, Q

from billing.models import ApiKey
from jurisdictions.prepared import Blank, Prepared
from lookups.jobs import lifecycle, runner
from lookups.jobs.calls import call
from lookups.lookup import single_flight
from lookups.lookup.asks import Stopwatch
from lookups.models import BulkJob, Job
from lookups.models.jobs import is_due, is_running
from lookups.notifications import outbox
from lookups.watches import judging
from scrapers import discovery

THREADS = 40  # of the bulk worker; also the most calls sent for one bulk job
SHIFT_SECONDS = 120.0  # then the thread calls its successor: no message may live as long as a large bulk job
SANDBOX_AT_ONCE = 4
IDLE_SECONDS = 0.25
Place = tuple[str, str]  # a registry: its state, and the mode of the key it is asked by
Counted = tuple[int, str, str, bool, int, int]  # account, state, mode, of watches?, how many run, how many wait
QUIET = timedelta(seconds=20)  # nobody took anything for so long: the calls were lost


def wake(questions: int) -> None:
    """Call threads to the queue."""
    call("run_bulk", queue="bulk", times=min(questions, THREADS))


@dataclass(frozen=True, slots=True)
class Turn:
    """The job to take next, and the registry it asks."""

    bulk_id: uuid.UUID | None  # None: a watch asks
    job_id: uuid.UUID
    place: Place


def work(*, now: datetime, shift_seconds: float = SHIFT_SECONDS) -> int:
    """Answer questions of bulk jobs and watches until none is left; returns how many this thread answered."""
    stopwatch, done, left = Stopwatch(now), 0, None
    while stopwatch.seconds < shift_seconds:
        turn, waiting = look(now=stopwatch.now, left=left) if left else _idle.look(now=stopwatch.now)
        left = None
        if turn is not None:
            left = turn.place
            done += runner.run(job_id=turn.job_id, now=stopwatch.now)
            _follow_up(turn, now=stopwatch.now)
        elif not waiting:
            return done
        else:
            single_flight.release_connection()
            time.sleep(IDLE_SECONDS)
    wake(1)
    return done


def look(*, now: datetime, left: Place | None = None) -> tuple[Turn | None, bool]:
    """Whose turn it is, and whether any job waits at all, in two queries.

    `left`: the registry this thread has just freed a place of. Where accounts are equal it goes back there: threads
    that look in the same moment would else take one registry's place together and leave another's empty.
    """
    counted = _COUNTED.tuples(lease_until=now)
    next_one, waits = choose(counted, left=left)
    if next_one is None:
        return None, waits
    watched, account, place = next_one
    of_place = _FIRST_OF_WATCHES if watched else _FIRST
    for bulk_id, job_id in of_place.tuples(lease_until=now, account=account, state=place[0], key__mode=place[1]):
        return Turn(bulk_id, job_id, place), True
    return None, True


def _count() -> Any:
    """Account, state, mode, of watches?, how many run, how many wait."""
    now = Blank("lease_until")
    watched = ExpressionWrapper(Q(watch__isnull=False), output_field=BooleanField())
    alike = Job.objects.queued().open().order_by().annotate(watched=watched)
    counts = {"running": Count("pk", filter=is_running(now)), "waiting": Count("pk", filter=is_due(now))}
    by = ("account", "state", "key__mode", "watched")
    return alike.values(*by).annotate(**counts).values_list(*by, *counts)


def _first(*, watched: bool) -> Any:
    """The bulk job and the job whose turn it is among those of one account and registry."""
    due = Job.objects.queued().due(Blank("lease_until")).filter(watch__isnull=not watched)
    same = due.filter(account=Blank("account"), state=Blank("state"), key__mode=Blank("key__mode"))
    return same.order_by("created_at", "position").values_list("bulk", "pk")[:1]


def _left() -> Any:
    """A job of a bulk job that has not ended, if there is one."""
    return Job.objects.open().filter(bulk=Blank("bulk")).order_by().values_list("pk")[:1]


_COUNTED = Prepared(_count)
_FIRST = Prepared(lambda: _first(watched=False))
_FIRST_OF_WATCHES = Prepared(lambda: _first(watched=True))
_LEFT = Prepared(_left)


def choose(counted: Iterable[Counted], *, left: Place | None = None) -> tuple[tuple[bool, int, Place] | None, bool]:
    """Whose turn it is (whether a watch's, the account, the registry), and whether any job waits at all."""
    busy: Counter[Place] = Counter()
    load: Counter[int] = Counter()
    waiting: list[tuple[bool, int, Place]] = []
    for account, state, mode, watched, taken, free in counted:
        busy[state, mode] += taken
        load[account] += taken
        waiting += [(watched, account, (state, mode))] if free else []
    turns = [one for one in waiting if busy[one[2]] < at_once(one[2], watched=one[0])]
    random.shuffle(turns)
    return min(turns, key=lambda turn: (turn[0], load[turn[1]], turn[2] != left), default=None), bool(waiting)


class _IdleThreads:
    """Threads of this process that have nothing to do: what one of them has just seen holds for all.

    Each look counts all open rows; a thread that has freed a place looks for itself, so no place waits for this.
    """

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._full_until = 0.0  # by the monotonic clock

    def look(self, *, now: datetime) -> tuple[Turn | None, bool]:
        """Look for one, or say at once that all registries are full, as they were a moment ago."""
        with self._one_at_a_time:
            if time.monotonic() < self._full_until:
                return None, True
            turn, waiting = look(now=now)
            if turn is None and waiting:
                self._full_until = time.monotonic() + IDLE_SECONDS
        return turn, waiting


_idle = _IdleThreads()


def _follow_up(turn: Turn, *, now: datetime) -> None:
    if turn.bulk_id is not None:
        note_end(turn.bulk_id, now=now)
        return
    lookup_id = Job.objects.values_list("lookup", flat=True).get(pk=turn.job_id)
    judging.judge_ended(now=now, lookup_id=lookup_id)


def note_end(bulk_id: uuid.UUID, *, now: datetime) -> bool:
    """Close a bulk job when its last job has ended; True for the one who does."""
    if _LEFT.tuples(bulk=bulk_id):
        return False
    with transaction.atomic():
        ended = bool(BulkJob.objects.open().filter(pk=bulk_id).update(ended_at=now))
        if ended:
            outbox.note_bulk(bulk_id, now=now)
    return ended


def sweep(*, now: datetime) -> int:
    """Call threads again where the calls were lost, and close what a crash left open; returns how many were called."""
    for bulk_id in BulkJob.objects.open().values_list("pk", flat=True):
        note_end(bulk_id, now=now)
    jobs = Job.objects.queued()
    taken_lately = jobs.filter(is_running(now + lifecycle.LEASE - QUIET))
    waiting = jobs.due(now).filter(created_at__lte=now - QUIET)
    number = 0 if taken_lately.exists() else waiting.count()
    if number:
        wake(number)
    return min(number, THREADS)


def at_once(place: Place, *, watched: bool = False) -> int:
    """How many questions a registry takes at a time; of a watch's one less."""
    state, mode = place
    portal = None if mode == ApiKey.Mode.TEST else discovery.find_portal(state)
    places = SANDBOX_AT_ONCE if portal is None else portal.pace.concurrency
    return max(1, places - 1) if watched else places
