"""What a worker does with a job: answer it, settle it, end it. What the sweep does with those that nobody answered."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from billing.models import Hold
from lookups.outcomes import Outcome, Refused, Unavailable
from lookups.services import checks, jobs, lookup, retrying, settling
from lookups.services.asks import Ask, Watch

BROKEN: dict[str, Any] = {"success": False, "error": "Internal error", "code": "internal_error", "cost": 0}


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: jobs woken again, and jobs that failed by their deadline."""

    woken: int
    failed: int


def run(*, job_id: uuid.UUID, render: jobs.Render, now: datetime) -> bool:
    """Answer a job, if it is still to be answered; `render` makes the customer's reply of the outcome.

    Safe to call any number of times, from any number of workers, also after one of them died half-way.
    """
    watch = Watch(now)
    job = jobs.claim(job_id, now=now)
    if job is None:
        return False
    ask = Ask(
        question=jobs.from_json(job.question), key=job.key, ask_id=job.ask_id, request_id=job.request_id,
        resumed=job.attempts > 1, shares_hold=job.bulk is not None,
        accepts_stored=job.bulk is not None and job.bulk.accepts_stored,
    )  # fmt: skip
    pauses: list[timedelta] = []

    def try_again(failure: Unavailable) -> bool:
        pause = retrying.find_pause(failure, tries=job.attempts, now=watch.now, deadline=job.deadline)
        pauses.extend([pause] if pause else [])
        return pause is not None

    try:
        outcome = _settled_before(ask) or _answer(ask, job.hold, watch, try_again)
    except Exception:
        if job.attempts >= jobs.MOST_ATTEMPTS:  # it breaks every time: a person has to look, nobody has to pay
            jobs.give_up(job, reply_status=500, reply=BROKEN, now=watch.now)
        raise
    if pauses:
        jobs.postpone(job, until=watch.now + pauses[0])
        return False
    return jobs.conclude(job, outcome, render=render, now=watch.now)


def sweep(*, render: jobs.Render, now: datetime) -> Swept:
    """Wake workers for jobs that nobody works on, and fail those whose deadline passed."""
    failed = 0
    for job in jobs.list_overdue(now=now):
        status, reply = render(Unavailable(job.state, "timeout"), job.request_id)
        failed += jobs.give_up(job, reply_status=status, reply=reply, now=now)
    unheard = jobs.list_unheard(now=now)
    for job_id in unheard:
        jobs.wake(job_id)
    return Swept(len(unheard), failed)


def _settled_before(ask: Ask) -> Outcome | None:
    """What a worker that died had settled already; its money has moved, so the outcome stands."""
    return settling.find_outcome(ask) if ask.resumed else None


def _answer(ask: Ask, hold: Hold | None, watch: Watch, try_again: settling.TryAgain) -> Outcome:
    stored = lookup.find_stored(ask, now=watch.now)
    if stored is not None:
        return settling.sell_stored(ask, stored, watch=watch, hold=hold)
    portal = checks.find_portal(ask, now=watch.now)
    if isinstance(portal, Refused):
        return settling.conclude(ask, hold, portal, watch=watch)
    return lookup.answer(ask, hold, watch, budget_seconds=jobs.BUDGET_SECONDS, try_again=try_again)
