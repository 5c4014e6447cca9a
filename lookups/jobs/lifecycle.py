"""Lookups that are answered later: accepted, claimed by one worker at a time, ended once.

Every change of status is one conditional update, so two workers, two sweeps or a late message cannot end a job twice.
"""

from __future__ import annotations

import re
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from billing import locks
from billing.models import ApiKey
from jurisdictions.prepared import Blank, Change, Prepared
from lookups.jobs.calls import call
from lookups.lookup import rows, single_flight
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted, TooManyAtOnce
from lookups.models import Delivery, Job, Lookup
from lookups.notifications import outbox
from lookups.verdicts import ANSWERED

BUDGET_SECONDS = 120.0  # what a worker may take for one fetch
LEASE = timedelta(seconds=BUDGET_SECONDS) + single_flight.GRACE
MAX_WAIT = timedelta(minutes=15)  # from accepting to giving up, where the caller says nothing else
LONGEST_WAIT = timedelta(hours=6)
HELD_BEYOND = timedelta(minutes=15)  # what the sweep and the settling may take on top of that
MOST_ATTEMPTS = 3
KEPT_FOR = timedelta(days=7)
WHOLE = ("key__account", "bulk", "lookup__hold", "lookup__version__entity", "lookup__filing_set")
_WHOLE = Prepared(lambda: Job.objects.select_related(*WHOLE).filter(id=Blank("id")))
_CLAIMED = Change(
    lambda: Job.objects.due(Blank("lease_until")).filter(id=Blank("id")),
    ("status", "claim", "lease_until"),
    counted={"attempts": F("attempts") + 1},
)
_ENDED = Change(
    lambda: Job.objects.filter(id=Blank("id"), claim=Blank("claim"), status=Blank("status")), ("status", "ended_at")
)
UNHEARD_AFTER = timedelta(seconds=15)  # a pending job this old had its message lost


def accept(ask: Ask, lookup: Lookup, *, estimated_seconds: int, now: datetime) -> Accepted | TooManyAtOnce:
    """Take a question on: hold its price, write its row and the job, wake a worker.

    At most the key's limit of open jobs. Raises InsufficientFunds.
    """
    if not has_room(ask):
        return TooManyAtOnce(ask.payer.limit)
    with transaction.atomic():
        rows.accept(ask, lookup, now=now, hold_for=hold_for(ask))
        assert ask.account is not None, "Only who has a key can be answered later."
        locks.lock_account(ask.account.pk)  # of several at once each counts those before it
        if not has_room(ask):
            transaction.set_rollback(True)
            return TooManyAtOnce(ask.payer.limit)
        job = _write(ask, lookup, estimated_seconds=estimated_seconds, now=now)
        transaction.on_commit(lambda: wake(job.pk))
    return Accepted(job)


def has_room(ask: Ask) -> bool:
    """Whether the key may have one more open job."""
    return Job.objects.open().single().filter(key=ask.payer.key).count() < ask.payer.limit


def hold_for(ask: Ask) -> timedelta:
    """How long the price of a question is held that is answered later."""
    return (ask.max_wait or MAX_WAIT) + HELD_BEYOND


def longest_answer() -> timedelta:
    """How long a process can be at a lookup that has no job: by then its fetch has ended, and was settled."""
    return timedelta(seconds=max(BUDGET_SECONDS, settings.SYNC_BUDGET_SECONDS)) + single_flight.GRACE


def adopt(ask: Ask, lookup: Lookup, *, estimated_seconds: int, runs: bool, now: datetime) -> Job:
    """Make a job of a lookup whose caller waits no longer. `runs`: its fetch is under way and will end the job.

    Such a fetch knows of no claim: the job is claimed by the ask itself (see `settlement.lock`).
    """
    if not runs:
        return _write(ask, lookup, estimated_seconds=estimated_seconds, now=now)
    held = {"status": Job.Status.PROCESSING, "claim": ask.ask_id, "lease_until": now + LEASE, "attempts": 1}
    return _write(ask, lookup, estimated_seconds=estimated_seconds, now=now, **held)


def _write(ask: Ask, lookup: Lookup, *, estimated_seconds: int, now: datetime, **progress: Any) -> Job:
    key = ask.payer.key
    assert key is not None, "Only who has a key can be answered later."
    return Job.objects.create(
        account_id=key.account_id,
        key=key,
        hold=lookup.hold,
        lookup=lookup,
        ask_id=ask.ask_id,
        state=ask.question.state,
        estimated_seconds=estimated_seconds,
        request_id=ask.request_id,
        created_at=now,
        deadline=now + (ask.max_wait or MAX_WAIT),
        **progress,
    )


def wake(job_id: uuid.UUID) -> None:
    """Call a worker to it."""
    call("run_job", queue="interactive", kwargs={"job_id": str(job_id)})


def claim(job_id: uuid.UUID, *, now: datetime) -> Job | None:
    """Take a job that is pending, or whose worker was lost; None when somebody else has it or it has ended."""
    claimed = {"status": Job.Status.PROCESSING, "claim": uuid.uuid4(), "lease_until": now + LEASE}
    if not _CLAIMED.run(claimed, id=job_id, lease_until=now):
        return None
    return _WHOLE.get(id=job_id)


def end(job: Job, lookup: Lookup, *, now: datetime) -> bool:
    """End a job whose lookup has ended; False when somebody else took it over or ended it meanwhile."""
    if lookup.verdict is None:
        return False  # another worker has it
    status = Job.Status.COMPLETE if lookup.verdict in ANSWERED else Job.Status.FAILED
    if job.bulk_id is not None or job.watch_id is not None:
        return _end_unchanged(job, status, now=now)
    with transaction.atomic():
        ended = _end_unchanged(job, status, now=now)
        if ended:
            outbox.note_job(job.pk, now=now)
    return ended


def _end_unchanged(job: Job, status: Job.Status, *, now: datetime) -> bool:
    values = {"status": status, "ended_at": now}
    if job.claim is None:
        return bool(Job.objects.unchanged(job).update(**values))
    return bool(_ENDED.run(values, id=job.pk, claim=job.claim, status=job.status))


def postpone(job: Job, *, until: datetime) -> bool:
    """Its registry failed: back to pending, to be tried again from `until` on. False when it is no longer ours."""
    mine = Job.objects.claimed_like(job)
    return bool(mine.update(status=Job.Status.PENDING, claim=None, lease_until=None, not_before=until))


def release(job: Job, *, now: datetime) -> bool:
    """Its worker broke down: the next sweep may give it to another one at once. False when it has no worker."""
    return bool(Job.objects.claimed_like(job).update(lease_until=now))


def repeat(ask: Ask) -> Job | None:
    """The job of a question that is asked once more; where a program repeats a person's, it will hear of the end.

    None where there is none, or that one has just ended: then its lookup has the answer.
    """
    job = Job.objects.select_related("lookup").filter(ask_id=ask.ask_id).first()
    if job is None or job.lookup.origin != Lookup.Origin.PAGE or ask.asked_by_id is not None or job.is_awaited:
        return job
    return job if Job.objects.open().filter(pk=job.pk).update(is_awaited=True) else None


def list_unheard(*, now: datetime, limit: int = 500) -> list[uuid.UUID]:
    """Single jobs that nobody works on: their message was lost, or their worker, or it is time for another try."""
    fresh = Q(status=Job.Status.PENDING, not_before__isnull=True, created_at__gt=now - UNHEARD_AFTER)
    lost = Job.objects.single().due(now).exclude(fresh)
    return list(lost.order_by("created_at").values_list("pk", flat=True)[:limit])


def read_id(public_id: str, kind: str) -> uuid.UUID | None:
    """The id in a public name such as "job_…", of this kind; None for what is no such name."""
    found = re.fullmatch(f"{kind}_([0-9a-f]{{32}})", public_id)
    return uuid.UUID(found[1]) if found else None


def find(public_id: str, *, key: ApiKey, now: datetime) -> Job | None:
    """The job of this key's account and mode by its public name; None for anybody else's and after seven days."""
    job_id = read_id(public_id, "job")
    if job_id is None:
        return None
    same = Job.objects.filter(pk=job_id, account_id=key.account_id, key__mode=key.mode)
    job = same.select_related(*WHOLE).first()
    return None if job is None or (job.ended_at and job.ended_at <= now - KEPT_FOR) else job


def prune(*, now: datetime) -> int:
    """Forget jobs that ended seven days ago, not what came of them; returns how many."""
    old = Job.objects.filter(ended_at__lte=now - KEPT_FOR)
    with transaction.atomic():
        locks.lock_rows(Delivery.objects.filter(job__in=old))  # they go with them: first, as where an account is erased
        locks.lock_rows(old)
        return old.delete()[0]
