"""What an operator may do with a job: hurry it, end it, or have it done over. Money moves as it does for a worker."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import transaction

from lookups.jobs import lifecycle, runner
from lookups.jobs.endings import Ending
from lookups.lookup.asks import Ask
from lookups.lookup.payers import KeyPayer
from lookups.models import Job


def hurry(job: Job) -> bool:
    """Have a waiting job tried at once; False when it is not waiting."""
    waiting = Job.objects.filter(pk=job.pk, status=Job.Status.PENDING)
    if not waiting.update(not_before=None):
        return False
    lifecycle.wake(job.pk)
    return True


def end(job: Job, *, render: lifecycle.Render, now: datetime) -> bool:
    """End a job, also one that runs, and give its money back; False when it has ended or moved on since it was read.

    What was settled already stands: the customer paid for it, so the job ends with that.
    """
    return runner.stop(job, because=Ending.ENDED, render=render, now=now)


def release(job: Job, *, now: datetime) -> bool:
    """Take a job from a worker that is stuck and give it to another one; False when no worker has it."""
    if not lifecycle.release(job, now=now):
        return False
    lifecycle.wake(job.pk)
    return True


def do_over(job: Job, *, now: datetime) -> bool:
    """Ask a failed job's question again for the same customer; False when it has not failed.

    Its money was given back, so the price is held anew: raises ledger.InsufficientFunds when there is too little.
    """
    with transaction.atomic():
        failed = Job.objects.select_for_update().select_related(None).filter(pk=job.pk, status=Job.Status.FAILED)
        row = failed.first()
        if row is None:
            return False
        ask = Ask(
            question=lifecycle.from_json(row.question),
            payer=KeyPayer(row.key),
            ask_id=uuid.uuid4(),
            request_id=row.request_id,
        )
        row.hold = ask.payer.hold(ask.bill, now=now, hold_for=lifecycle.HOLD_FOR)
        row.ask_id, row.status, row.attempts = ask.ask_id, Job.Status.PENDING, 0
        row.claim = row.lease_until = row.not_before = row.ended_at = row.reply = row.reply_status = None
        row.deadline = now + lifecycle.DEADLINE
        row.save()
        transaction.on_commit(lambda: lifecycle.wake(row.pk))
    return True
