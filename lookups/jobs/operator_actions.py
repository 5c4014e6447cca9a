"""What an operator may do with a job: hurry it, end it, or have it done over. Money moves as it does for a worker."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from lookups.jobs import lifecycle, runner
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Failed
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup, RowAnswer
from lookups.verdicts import Breakdown


def hurry(job: Job) -> bool:
    """Have a waiting job tried at once; False when it is not waiting."""
    waiting = Job.objects.filter(pk=job.pk, status=Job.Status.PENDING)
    if not waiting.update(not_before=None):
        return False
    lifecycle.wake(job.pk)
    return True


def end(job: Job, *, now: datetime) -> bool:
    """End a job, also one that runs, and give its money back; False when it has ended or moved on since it was read.

    What was settled already stands: the customer paid for it, so the job ends with that.
    """
    return runner.stop(job, because=Failed(Breakdown.ENDED), now=now)


def release(job: Job, *, now: datetime) -> bool:
    """Take a job from a worker that is stuck and give it to another one; False when no worker has it."""
    if not lifecycle.release(job, now=now):
        return False
    lifecycle.wake(job.pk)
    return True


def do_over(job: Job, *, now: datetime) -> bool:
    """Ask a failed job's question again for the same customer, as a new lookup.

    False when it has not failed, its key or account has ended, or a watch asks it (that looks again by itself). Its
    money was given back, so the price it was accepted at is held anew: raises InsufficientFunds when that is too much.
    """
    with transaction.atomic():
        failed = Job.objects.select_for_update(of=("self",)).filter(pk=job.pk, status=Job.Status.FAILED)
        row = failed.select_related("key__account", "lookup", "bulk").first()
        if row is None or row.watch_id is not None or not row.key.may_ask(now):
            return False
        ask = replace(runner.to_ask(row), shares_hold=False, apart=True)
        earlier, repetitions = row.lookup, list(row.lookup.repetitions.filter(bulk__isnull=False))
        ask, row.lookup = _draft_again(ask, earlier, now=now)
        rows.accept(ask, row.lookup, now=now, hold_for=lifecycle.hold_for(ask))
        RowAnswer.objects.filter(ask_id=earlier.ask_id).update(ask_id=ask.ask_id)
        RowAnswer.objects.filter(row=earlier).update(row=row.lookup)
        for repetition in repetitions:
            _, again = _draft_again(ask, repetition, now=now)
            again.repeats, again.price = row.lookup, 0
            again.save()
        row.hold, row.status, row.attempts = row.lookup.hold, Job.Status.PENDING, 0
        row.claim = row.lease_until = row.not_before = row.ended_at = None
        row.deadline = now + lifecycle.MAX_WAIT
        row.save()
        transaction.on_commit(lambda: lifecycle.wake(row.pk))
    return True


def _draft_again(ask: Ask, earlier: Lookup, *, now: datetime) -> tuple[Ask, Lookup]:
    """The same question as a new ask. Its lookup takes the earlier one's row in a bulk request."""
    ask = replace(ask, question=Question.from_json(earlier.question), ask_id=uuid.uuid4())
    place = {name: getattr(earlier, name) for name in ("origin", "asked_by_id", "bulk_id", "position", "ref")}
    Lookup.objects.filter(pk=earlier.pk).update(bulk=None, position=None)
    return ask, rows.draft(ask, now=now, **place)
