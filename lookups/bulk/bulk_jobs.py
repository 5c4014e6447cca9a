"""Many questions in one request: taken on as a whole or not at all, answered row by row, cancelled as far as not begun.

Each different question is one job; the whole price is held at once, and each job settles its share of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from billing import ledger, prices
from billing.models import ApiKey, Hold
from lookups.bulk import queue
from lookups.jobs import lifecycle
from lookups.jobs.endings import Ending
from lookups.lookup import settlement
from lookups.lookup.outcomes import OutOfFunds
from lookups.lookup.questions import Question
from lookups.models import BulkJob, BulkRow, Job

DEADLINE = timedelta(hours=6)  # from accepting to failing what is left
HOLD_FOR = DEADLINE + timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One row of a request; `ref` is the customer's own mark."""

    question: Question
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Notify:
    """How the customer wants to hear that it has ended: at `webhook_url` (empty: the account's), and by mail."""

    webhook_url: str = ""
    emails_results: bool = False


def accept(
    *,
    wanted: Sequence[Wanted],
    key: ApiKey,
    accepts_stored: bool,
    bulk_id: uuid.UUID,
    request_id: str,
    now: datetime,
    notify: Notify = Notify(),
) -> BulkJob | OutOfFunds:
    """Take all rows on and hold their price, or nothing at all. The same `bulk_id` again is the same bulk job."""
    earlier = BulkJob.objects.filter(pk=bulk_id).first()
    if earlier is not None:
        return earlier
    firsts: dict[tuple[str, str, str], int] = {}
    first_of = [firsts.setdefault(_same(one.question), number) for number, one in enumerate(wanted)]
    try:
        with transaction.atomic():
            hold = _hold(key, bulk_id, len(firsts), now, request_id)
            bulk = BulkJob.objects.create(
                id=bulk_id,
                account_id=key.account_id,
                key=key,
                hold=hold,
                accepts_stored=accepts_stored,
                total=len(wanted),
                questions=len(firsts),
                request_id=request_id,
                created_at=now,
                deadline=now + DEADLINE,
                webhook_url=notify.webhook_url,
                emails_results=notify.emails_results,
            )
            made = {number: _job(bulk, wanted[number].question, number) for number in firsts.values()}
            Job.objects.bulk_create(made.values(), batch_size=200)
            BulkRow.objects.bulk_create(
                [_row(bulk, number, one, made[first_of[number]]) for number, one in enumerate(wanted)], batch_size=200
            )
            transaction.on_commit(lambda: queue.wake(len(firsts)))
    except ledger.InsufficientFunds as short:
        return settlement.out_of_funds(short)
    return bulk


def find(public_id: str, *, key: ApiKey, now: datetime) -> BulkJob | None:
    """The bulk job of this key's account and mode by its name; None for anybody else's and after seven days."""
    word = public_id.removeprefix("bulk_")
    if word == public_id or len(word) != 32 or not all(sign in "0123456789abcdef" for sign in word):
        return None
    bulk = BulkJob.objects.filter(pk=uuid.UUID(word), account_id=key.account_id, key__mode=key.mode).first()
    return None if bulk is None or (bulk.ended_at and bulk.ended_at <= now - lifecycle.KEPT_FOR) else bulk


def list_rows(bulk: BulkJob, *, after: int = -1) -> QuerySet[BulkRow]:
    """The rows in the order asked, with their jobs, from the one after index `after` on."""
    return bulk.rows.filter(index__gt=after).select_related("job").order_by("index")


def cancel(bulk: BulkJob, *, now: datetime) -> None:
    """End what has not begun and give its share back; what is under way ends by itself. Twice does nothing more."""
    with transaction.atomic():
        BulkJob.objects.open().filter(pk=bulk.pk, cancelled_at__isnull=True).update(cancelled_at=now)
        end = Ending.CANCELLED.facts
        waiting = list(Job.objects.select_for_update().filter(bulk=bulk, status=Job.Status.PENDING))
        ended = Job.objects.filter(pk__in=[job.pk for job in waiting], status=Job.Status.PENDING).update(
            status=Job.Status.FAILED, reply_status=end.status, reply=end.reply, ended_at=now
        )
        if ended and bulk.hold_id:
            ledger.release(
                hold_id=bulk.hold_id,
                amount=ended * prices.LOOKUP,
                idempotency_key=f"bulk:{bulk.pk}:cancel:{now:%s%f}",
                reason="cancelled",
                now=now,
                request_id=bulk.request_id,
            )
        queue.note_end(bulk.pk, now=now)


def prune(*, now: datetime) -> int:
    """Forget bulk jobs that ended seven days ago, with their rows and replies; returns how many."""
    old = BulkJob.objects.filter(ended_at__lte=now - lifecycle.KEPT_FOR)
    number = old.count()
    old.delete()
    return number


def _same(question: Question) -> tuple[str, str, str]:
    return question.state, question.kind, question.digest


def _hold(key: ApiKey, bulk_id: uuid.UUID, questions: int, now: datetime, request_id: str) -> Hold | None:
    if key.is_test:
        return None
    return ledger.hold(
        account_id=key.account_id,
        amount=questions * prices.LOOKUP,
        idempotency_key=f"bulk:{bulk_id}",
        reference=f"bulk of {questions}",
        expires_at=now + HOLD_FOR,
        now=now,
        key=key,
        request_id=request_id,
    )


def _job(bulk: BulkJob, question: Question, position: int) -> Job:
    return Job(
        account_id=bulk.account_id,
        key_id=bulk.key_id,
        hold_id=bulk.hold_id,
        bulk=bulk,
        position=position,
        ask_id=uuid.uuid4(),
        state=question.state,
        question=lifecycle.to_json(question),
        estimated_seconds=1,
        request_id=bulk.request_id,
        created_at=bulk.created_at,
        deadline=bulk.deadline,
    )


def _row(bulk: BulkJob, index: int, one: Wanted, job: Job) -> BulkRow:
    return BulkRow(
        bulk=bulk, index=index, ref=one.ref, entity_name=one.question.name, state=one.question.state, job=job
    )
