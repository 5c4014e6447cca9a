"""Questions that are answered later: accepted, claimed by one worker at a time, ended once.

Every change of status is one conditional update, so two workers, two sweeps or a late message cannot end a job twice.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models import F, Q

from billing import ledger
from billing.models import ApiKey, Hold
from lookups.lookup import settlement, single_flight
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted, Delivered, NothingFound, Outcome, OutOfFunds, TooManyAtOnce
from lookups.lookup.questions import Question
from lookups.models import Job
from lookups.notifications import outbox

log = logging.getLogger(__name__)

BUDGET_SECONDS = 120.0  # what a worker may take for one fetch
LEASE = timedelta(seconds=BUDGET_SECONDS) + single_flight.GRACE
DEADLINE = timedelta(minutes=15)  # from accepting to failing
HOLD_FOR = DEADLINE + timedelta(minutes=15)
MOST_ATTEMPTS = 3
KEPT_FOR = timedelta(days=7)
UNHEARD_AFTER = timedelta(seconds=15)  # a pending job this old had its message lost

Render = Callable[[Outcome, str], tuple[int, dict[str, Any]]]
"""Makes the customer's reply (status and body) of an outcome and a request id."""


def accept(ask: Ask, *, estimated_seconds: int, now: datetime) -> Accepted | OutOfFunds | TooManyAtOnce:
    """Take a question on: hold its price, write the job, wake a worker. At most the key's limit of open jobs."""
    if Job.objects.open().single().filter(key=ask.payer.key).count() >= ask.payer.limit:
        return TooManyAtOnce(ask.payer.limit)
    try:
        with transaction.atomic():
            hold = ask.payer.hold(ask.bill, now=now, hold_for=HOLD_FOR)
            job = _write(ask, hold, estimated_seconds=estimated_seconds, now=now)
            transaction.on_commit(lambda: wake(job.pk))
    except ledger.InsufficientFunds as short:
        return settlement.out_of_funds(short)
    return Accepted(job.public_id, job.estimated_seconds)


def find_accepted(ask: Ask) -> Accepted | None:
    """The job that an earlier try of this ask was made, before its reply was lost; None when there is none."""
    earlier = Job.objects.filter(ask_id=ask.ask_id).first()
    return Accepted(earlier.public_id, earlier.estimated_seconds) if earlier else None


def adopt(ask: Ask, hold: Hold | None, *, estimated_seconds: int, runs: bool, now: datetime) -> Job:
    """Make a job of a lookup whose caller waits no longer. `runs`: its fetch is under way and will end the job.

    Such a fetch knows of no claim: the job is claimed by the ask itself (see `settlement.is_ours`).
    """
    if not runs:
        return _write(ask, hold, estimated_seconds=estimated_seconds, now=now)
    held = {"status": Job.Status.PROCESSING, "claim": ask.ask_id, "lease_until": now + LEASE, "attempts": 1}
    return _write(ask, hold, estimated_seconds=estimated_seconds, now=now, **held)


def _write(ask: Ask, hold: Hold | None, *, estimated_seconds: int, now: datetime, **progress: Any) -> Job:
    key = ask.payer.key
    assert key is not None, "Only who has a key can be answered later."
    return Job.objects.create(
        account_id=key.account_id,
        key=key,
        hold=hold,
        ask_id=ask.ask_id,
        state=ask.question.state,
        question=to_json(ask.question),
        estimated_seconds=estimated_seconds,
        request_id=ask.request_id,
        created_at=now,
        deadline=now + DEADLINE,
        **progress,
    )


def wake(job_id: uuid.UUID) -> None:
    """Tell a worker. A queue that is down loses nothing: the sweep finds the row."""
    try:
        current_app.send_task("lookups.tasks.run_job", kwargs={"job_id": str(job_id)}, queue="interactive", retry=False)
    except Exception:  # whatever the broker says, the job is accepted
        log.exception("The queue did not take job %s; the sweep will.", job_id)


def claim(job_id: uuid.UUID, *, now: datetime) -> Job | None:
    """Take a job that is pending, or whose worker was lost; None when somebody else has it or it has ended."""
    mine = uuid.uuid4()
    claimed = {"status": Job.Status.PROCESSING, "claim": mine, "lease_until": now + LEASE}
    if not Job.objects.due(now).filter(pk=job_id).update(**claimed, attempts=F("attempts") + 1):
        return None
    return Job.objects.select_related("key__account", "hold", "bulk").get(pk=job_id)


def end(job: Job, outcome: Outcome, *, render: Render, now: datetime) -> bool:
    """End a job with what came of it; False when somebody else took it over or ended it meanwhile."""
    reply_status, reply = render(outcome, job.request_id)
    answered = isinstance(outcome, Delivered | NothingFound)
    status = Job.Status.COMPLETE if answered else Job.Status.FAILED
    return _end(job, status, reply_status, reply, now)


def fail(job: Job, *, reply_status: int, reply: Mapping[str, Any], now: datetime) -> bool:
    """End a job without an answer; False when somebody else took it over or ended it meanwhile."""
    return _end(job, Job.Status.FAILED, reply_status, reply, now)


def _end(job: Job, status: str, reply_status: int, reply: Mapping[str, Any], now: datetime) -> bool:
    same = Job.objects.unchanged(job)
    with transaction.atomic():
        ended = bool(same.update(status=status, reply_status=reply_status, reply=dict(reply), ended_at=now))
        if ended and job.bulk_id is None:
            outbox.note_job(job.pk, now=now)
    return ended


def postpone(job: Job, *, until: datetime) -> bool:
    """Its registry failed: back to pending, to be tried again from `until` on. False when it is no longer ours."""
    mine = Job.objects.claimed_like(job)
    return bool(mine.update(status=Job.Status.PENDING, claim=None, lease_until=None, not_before=until))


def release(job: Job, *, now: datetime) -> bool:
    """Its worker broke down: the next sweep may give it to another one at once. False when it has no worker."""
    return bool(Job.objects.claimed_like(job).update(lease_until=now))


def list_unheard(*, now: datetime, limit: int = 500) -> list[uuid.UUID]:
    """Single jobs that nobody works on: their message was lost, or their worker, or it is time for another try."""
    fresh = Q(status=Job.Status.PENDING, not_before__isnull=True, created_at__gt=now - UNHEARD_AFTER)
    lost = Job.objects.single().due(now).exclude(fresh)
    return list(lost.order_by("created_at").values_list("pk", flat=True)[:limit])


def find(public_id: str, *, key: ApiKey, now: datetime) -> Job | None:
    """The job of this key's account and mode by its public name; None for anybody else's and after seven days."""
    word = public_id.removeprefix("job_")
    if word == public_id or len(word) != 32 or not all(sign in "0123456789abcdef" for sign in word):
        return None
    job = Job.objects.filter(pk=uuid.UUID(word), account_id=key.account_id, key__mode=key.mode).first()
    return None if job is None or (job.ended_at and job.ended_at <= now - KEPT_FOR) else job


def prune(*, now: datetime) -> int:
    """Forget jobs that ended seven days ago, with their replies; returns how many."""
    deleted, _ = Job.objects.single().filter(ended_at__lte=now - KEPT_FOR).delete()
    return deleted


def to_json(question: Question) -> dict[str, Any]:
    """The question as it is kept in the row."""
    return {
        "state": question.state,
        "name": question.name,
        "entity_id": question.entity_id,
        "kind": question.kind,
        "search_by": question.search_by,
        "date_after": question.date_after.isoformat() if question.date_after else None,
        "date_before": question.date_before.isoformat() if question.date_before else None,
    }


def from_json(kept: Mapping[str, Any]) -> Question:
    """The question as it was kept."""
    days = {name: date.fromisoformat(kept[name]) if kept[name] else None for name in ("date_after", "date_before")}
    return Question(**{**kept, **days})
