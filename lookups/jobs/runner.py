"""What a worker does with a job: answer it, settle it, end it. What the sweep does with those that nobody answered."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from billing.models import Hold
from lookups.jobs import lifecycle, retries
from lookups.jobs.endings import Ending
from lookups.lookup import checks, flow, settlement
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Outcome, Refused, Unavailable
from lookups.lookup.payers import KeyPayer
from lookups.models import Job
from scrapers.failures import Failure

SWEPT = 500  # jobs of a kind that one sweep deals with; the next one takes the rest


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: jobs woken again, and jobs that failed: by their deadline, or by their state's switch."""

    woken: int
    failed: int


def run(*, job_id: uuid.UUID, render: lifecycle.Render, now: datetime) -> bool:
    """Answer a job, if it is still to be answered; `render` makes the customer's reply of the outcome.

    Safe to call any number of times, from any number of workers, also after one of them died half-way.
    """
    stopwatch = Stopwatch(now)
    job = lifecycle.claim(job_id, now=now)
    if job is None:
        return False
    ask = to_ask(job)
    pauses: list[timedelta] = []

    def try_again(failure: Unavailable) -> bool:
        pause = retries.find_pause(failure, tries=job.attempts, now=stopwatch.now, deadline=job.deadline)
        pauses.extend([pause] if pause else [])
        return pause is not None

    try:
        outcome = _settled_before(ask) or _answer(ask, job.hold, stopwatch, try_again)
    except Exception:
        if job.attempts >= lifecycle.MOST_ATTEMPTS:  # it breaks every time: a person has to look, nobody has to pay
            stop(job, because=Ending.BROKEN, render=render, now=stopwatch.now)
        raise
    if pauses:
        lifecycle.postpone(job, until=stopwatch.now + pauses[0])
        return False
    return lifecycle.end(job, outcome, render=render, now=stopwatch.now)


def sweep(*, render: lifecycle.Render, now: datetime) -> Swept:
    """Wake workers for jobs that nobody works on; fail those whose deadline passed, or whose state was switched off."""
    failed = 0
    for job in Job.objects.overdue(now)[:SWEPT]:
        failed += stop(job, because=Unavailable(job.state, Failure.TIMEOUT), render=render, now=now)
    asked = Job.objects.open().live()
    for state in asked.order_by().values_list("state", flat=True).distinct():
        off = checks.find_off(state)
        if off is not None:
            jobs = asked.filter(state=state)[:SWEPT]
            failed += sum(stop(job, because=off, render=render, now=now) for job in jobs)
    unheard = lifecycle.list_unheard(now=now)
    for job_id in unheard:
        lifecycle.wake(job_id)
    return Swept(len(unheard), failed)


def stop(job: Job, *, because: Refused | Unavailable | Ending, render: lifecycle.Render, now: datetime) -> bool:
    """Fail a job as it was read, also one that runs, and give its money back; False when it has moved on since.

    Whoever fetches for it still may not settle it any more. What was settled already stands: the customer paid for it,
    so the job ends with that.
    """
    with transaction.atomic():
        read = Job.objects.select_for_update(of=("self",)).select_related("key__account", "hold", "bulk")
        same = read.unchanged(job).open().first()
        if same is None:
            return False
        ask = to_ask(same)
        settled = settlement.find_outcome(ask)
        if settled is not None:
            return lifecycle.end(same, settled, render=render, now=now)
        if isinstance(because, Ending):
            outcome: Refused | Unavailable = Unavailable(same.state, because.facts.reason)
            reply_status, reply = because.facts.status, because.facts.reply
        else:
            outcome = because
            reply_status, reply = render(because, same.request_id)
        settlement.end(ask, same.hold, outcome, stopwatch=Stopwatch(now), locked=True)
        return lifecycle.fail(same, reply_status=reply_status, reply=reply, now=now)


def to_ask(job: Job) -> Ask:
    """The question of a job, for whoever holds its claim now."""
    return Ask(
        question=lifecycle.from_json(job.question),
        payer=KeyPayer(job.key),
        ask_id=job.ask_id,
        request_id=job.request_id,
        resumed=job.attempts > 1,
        shares_hold=job.bulk is not None,
        claim=job.claim,
        accepts_stored=job.bulk is not None and job.bulk.accepts_stored,
    )


def _settled_before(ask: Ask) -> Outcome | None:
    """What a worker that died had settled already; its money has moved, so the outcome stands."""
    return settlement.find_outcome(ask) if ask.resumed else None


def _answer(ask: Ask, hold: Hold | None, stopwatch: Stopwatch, try_again: settlement.TryAgain) -> Outcome:
    stored = flow.find_stored(ask, now=stopwatch.now)
    if stored is not None:
        return settlement.sell_stored(ask, stored, stopwatch=stopwatch, hold=hold)
    objection = checks.find_objection(ask, now=stopwatch.now)
    if isinstance(objection, Refused):
        return settlement.end(ask, hold, objection, stopwatch=stopwatch)
    return flow.answer(ask, hold, stopwatch, budget_seconds=lifecycle.BUDGET_SECONDS, try_again=try_again)
