"""Whose turn it is among the questions of all bulk jobs: the account that has the fewest running goes first.

A message only calls a worker's thread to the queue; the thread then takes one question after the other, whichever is
next, until nothing is left. A registry that has as many of them as it takes at once is passed over.
"""

from __future__ import annotations

import logging
import random
import time
import uuid
from collections import Counter
from datetime import datetime, timedelta

from celery import current_app
from django.db import transaction

from billing.models import ApiKey
from lookups.models import BulkJob, Job
from lookups.services import flights, job_runner, jobs, outbox
from lookups.services.asks import Watch
from scrapers import registry

log = logging.getLogger(__name__)
THREADS = 40  # of the bulk worker; also the most calls sent for one bulk job
SHIFT_SECONDS = 120.0  # then the thread calls its successor: no message may live as long as a large bulk job
SANDBOX_AT_ONCE = 4
IDLE_SECONDS = 0.25
QUIET = timedelta(seconds=20)  # nobody took anything for so long: the calls were lost


def wake(questions: int) -> None:
    """Call threads to the queue. A broker that is down loses nothing: the sweep calls again."""
    try:
        for _ in range(min(questions, THREADS)):
            current_app.send_task("lookups.tasks.run_bulk", queue="bulk", retry=False)
    except Exception:  # whatever the broker says, the job is accepted
        log.exception("The queue did not take the calls for a bulk job; the sweep will send them.")


def work(*, render: jobs.Render, now: datetime, shift_seconds: float = SHIFT_SECONDS) -> int:
    """Answer questions of bulk jobs until none is left; returns how many this thread answered."""
    watch, done = Watch(now), 0
    while watch.seconds < shift_seconds:
        found = find_next(now=watch.now)
        if found is not None:
            bulk_id, job_id = found
            done += job_runner.run(job_id=job_id, render=render, now=watch.now)
            note_end(bulk_id, now=watch.now)
        elif not _is_waiting(watch.now):
            return done
        else:
            flights.release_connection()
            time.sleep(IDLE_SECONDS)
    wake(1)
    return done


def find_next(*, now: datetime) -> tuple[uuid.UUID, uuid.UUID] | None:
    """The bulk job and the job to take next; None when all that wait are of registries that are busy."""
    running = Job.objects.filter(bulk__isnull=False, status=Job.Status.PROCESSING, lease_until__gt=now)
    busy: Counter[tuple[str, str]] = Counter()
    load: Counter[int] = Counter()
    for state, mode, account in running.values_list("state", "key__mode", "account"):
        busy[state, mode] += 1
        load[account] += 1
    open_ = Job.objects.filter(jobs.free(now), bulk__isnull=False, deadline__gt=now)
    pairs = [
        (account, state, mode)
        for account, state, mode in open_.order_by().values_list("account", "state", "key__mode").distinct()
        if busy[state, mode] < _at_once(state, sandbox=mode == ApiKey.Mode.TEST)
    ]
    if not pairs:
        return None
    random.shuffle(pairs)  # threads that look in the same moment do not all take the same one
    account, state, mode = min(pairs, key=lambda pair: load[pair[0]])
    mine = open_.filter(account=account, state=state, key__mode=mode)
    return mine.order_by("created_at", "position").values_list("bulk", "pk").first()


def note_end(bulk_id: uuid.UUID, *, now: datetime) -> bool:
    """Close a bulk job when its last job has ended; True for the one who does."""
    if Job.objects.filter(bulk=bulk_id, status__in=jobs.OPEN).exists():
        return False
    with transaction.atomic():
        ended = bool(BulkJob.objects.filter(pk=bulk_id, ended_at__isnull=True).update(ended_at=now))
        if ended:
            outbox.note_bulk(bulk_id, now=now)
    return ended


def sweep(*, now: datetime) -> int:
    """Call threads again where the calls were lost, and close what a crash left open; returns how many were called."""
    for bulk_id in BulkJob.objects.filter(ended_at__isnull=True).values_list("pk", flat=True):
        note_end(bulk_id, now=now)
    at_work = Job.objects.filter(
        bulk__isnull=False, status=Job.Status.PROCESSING, lease_until__gt=now + jobs.LEASE - QUIET
    )
    waiting = Job.objects.filter(jobs.free(now), bulk__isnull=False, deadline__gt=now, created_at__lte=now - QUIET)
    number = 0 if at_work.exists() else waiting.count()
    if number:
        wake(number)
    return min(number, THREADS)


def _is_waiting(now: datetime) -> bool:
    return Job.objects.filter(jobs.free(now), bulk__isnull=False, deadline__gt=now).exists()


def _at_once(state: str, *, sandbox: bool) -> int:
    portal = None if sandbox else registry.find_portal(state)
    return SANDBOX_AT_ONCE if portal is None else portal.pace.concurrency
