"""What a worker does with a job: answer it, settle it, end it. What the sweep does with those that nobody answered."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from lookups.identities import attaching
from lookups.jobs import lifecycle, retries
from lookups.lookup import checks, flow, settlement
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Cancelled, Failed, Refused, Unavailable
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Job, Lookup, Watch
from lookups.operations import request_ids, tracing
from lookups.verdicts import Breakdown
from lookups.watches import judging
from scrapers import gateway
from scrapers.failures import Failure

SWEPT = 500  # jobs of a kind that one sweep deals with; the next one takes the rest


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: jobs woken again, and jobs that it ended without an answer."""

    woken: int
    failed: int


def run(*, job_id: uuid.UUID, now: datetime) -> bool:
    """Answer a job, if it is still to be answered.

    Safe to call any number of times, from any number of workers, also after one of them died half-way.
    """
    stopwatch = Stopwatch(now)
    job = lifecycle.claim(job_id, now=now)
    if job is None:
        return False
    with request_ids.working_on(job.request_id), tracing.span("job", state=job.state) as span:
        ended = _run(job, stopwatch)
        span.note(ended=str(ended))
    return ended


def _run(job: Job, stopwatch: Stopwatch) -> bool:
    now = stopwatch.begun
    # Whoever ended the watch broke off before its jobs, or a worker was lost that had it when it was called off
    ended = (job.watch_id is not None or job.attempts > 1) and _is_called_off(job)
    if ended or not job.key.may_ask(now):  # revoked, or its account closed, since it was accepted
        return stop(job, because=Cancelled(), now=now)
    pauses: list[timedelta] = []

    def try_again(failure: Unavailable) -> bool:
        pause = retries.find_pause(failure, tries=job.attempts, now=stopwatch.now, deadline=job.deadline)
        if pause is None or _is_called_off(job):
            return False
        pauses.append(pause)
        return True

    try:
        lookup = job.lookup if job.lookup.verdict else _answer(job, stopwatch, try_again)
    except Exception:
        if job.attempts >= lifecycle.MOST_ATTEMPTS:  # it breaks every time: a person has to look, nobody has to pay
            stop(job, because=Failed(Breakdown.BROKEN), now=stopwatch.now)
        raise
    if pauses:
        lifecycle.postpone(job, until=stopwatch.now + pauses[0])
        return False
    attaching.attach(lookup, now=stopwatch.now)
    return lifecycle.end(job, lookup, now=stopwatch.now)


def sweep(*, now: datetime) -> Swept:
    """Wake workers for jobs that nobody works on; fail those whose deadline passed, or whose state was switched off.

    What waits for a key that was revoked, or for a closed account, is cancelled, and its money goes back.
    """
    failed = settlement.end_unattended(before=now - lifecycle.longest_answer(), now=now)
    failed += _stop_some(Job.objects.barred(now), because=Cancelled(), now=now)
    failed += _stop_some(Job.objects.overdue(now), now=now)
    asked = Job.objects.open().live()
    for state in asked.order_by().values_list("state", flat=True).distinct():
        off = checks.find_off(state)
        if off is not None:
            failed += _stop_some(asked.filter(state=state), because=off, now=now)
    unheard = lifecycle.list_unheard(now=now)
    for job_id in unheard:
        lifecycle.wake(job_id)
    return Swept(len(unheard), failed)


def _stop_some(jobs: QuerySet[Job], *, now: datetime, because: settlement.Empty | None = None) -> int:
    """Stop these, `because` their registry took too long where nothing else is said; returns how many that ended."""

    def stop_one(job: Job) -> bool:
        return stop(job, because=because or Unavailable(job.state, Failure.TIMEOUT), now=now)

    return settlement.end_each(jobs[:SWEPT], stop_one)


def stop(job: Job, *, because: settlement.Empty, now: datetime) -> bool:
    """Fail a job as it was read, also one that runs, and give its money back; False when it has moved on since.

    Whoever fetches for it still may not settle it any more. What was settled already stands: the customer paid for it,
    so the job ends with that.
    """
    with transaction.atomic():
        read = Job.objects.select_for_update(of=("self",)).select_related(*lifecycle.WHOLE)
        same = read.unchanged(job).open().first()
        if same is None:
            return False
        lookup = Lookup.objects.select_for_update().get(pk=same.lookup_id)
        if lookup.verdict is None:
            lookup = settlement.end_locked(to_ask(same), lookup, because, stopwatch=Stopwatch(now))
        return lifecycle.end(same, lookup, now=now)


def _is_called_off(job: Job) -> bool:
    """Whether its bulk job was cancelled, or its watch ended or paused, while it was under way: nobody tries it again.

    What an operator has asked again stays to be tried.
    """
    if job.bulk is not None:
        cancelled = BulkJob.objects.filter(pk=job.bulk.pk, cancelled_at__isnull=False)
        return job.hold_id == job.bulk.hold_id and cancelled.exists()
    ended = Q(deleted_at__isnull=False) | Q(pause_reason=Watch.PauseReason.REQUESTED)
    return job.watch_id is not None and Watch.objects.filter(ended, pk=job.watch_id).exists()


def to_ask(job: Job) -> Ask:
    """The question of a job, for whoever holds its claim now."""
    return Ask(
        question=Question.from_json(job.lookup.question),
        payer=KeyPayer(job.key),
        ask_id=job.lookup.ask_id,
        price=job.lookup.price,
        stored_price=job.bulk.stored_price if job.bulk is not None else 0,
        request_id=job.request_id,
        resumed=job.attempts > 1,
        shares_hold=job.bulk is not None,
        claim=job.claim,
        accepts_stored=job.bulk is not None and job.bulk.accepts_stored,
    )


def _answer(job: Job, stopwatch: Stopwatch, try_again: settlement.TryAgain) -> Lookup:
    lookup = job.lookup
    ask = replace(to_ask(job), find_price=judging.find_price(job))  # it may read old pages: to answer alone
    stored = settlement.find_stored(ask, stopwatch=stopwatch)
    if stored is not None:
        return settlement.sell_stored(ask, lookup, stored, stopwatch=stopwatch)
    known = gateway.look_at(ask.question.state, sandbox=ask.sandbox)
    objection = checks.find_objection(ask, now=stopwatch.now, known=known)
    if isinstance(objection, Refused):
        return settlement.end(ask, lookup, objection, stopwatch=stopwatch)
    return flow.answer(ask, lookup, stopwatch, try_again, budget_seconds=lifecycle.BUDGET_SECONDS, known=known)
