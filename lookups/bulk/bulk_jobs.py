"""Many questions in one request: taken on as a whole or not at all, answered row by row, cancelled as far as not begun.

Each different question is one job; the whole price is held at once, and each job settles its share of it.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from billing import keys, ledger, locks, prices
from billing.ledger_errors import HoldEnded, InsufficientFunds
from billing.models import ApiKey, Hold
from lookups.bulk import queue
from lookups.jobs import lifecycle
from lookups.lookup import rows, settlement
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import NobodyAtWork, OutOfFunds
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Job, Lookup
from lookups.models.places import Place, is_after
from lookups.operations import heartbeats
from lookups.verdicts import Verdict

MAX_WAIT = timedelta(minutes=15)  # from accepting to giving up what is left, where the caller says nothing else
HELD_BEYOND = timedelta(hours=1)


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
    max_wait: timedelta = MAX_WAIT,
    apart: bool = True,
    asked_by_id: int | None = None,
) -> BulkJob | OutOfFunds | NobodyAtWork:
    """Take all rows on and hold their price, or nothing at all. The same `bulk_id` again is the same bulk job.

    So is the same request within five minutes, where nothing tells them apart (`rows.refuse_repetition`) and it
    charged something or has not ended.
    """
    earlier = BulkJob.objects.filter(pk=bulk_id).first()
    if earlier is not None:
        return earlier
    firsts: dict[tuple[str, str, str], int] = {}
    of_a_person = asked_by_id is not None or keys.is_for_spreadsheets(key)
    asked_hash = _digest(wanted, accepts_stored, max_wait, notify, of_a_person=of_a_person)
    first_of = [firsts.setdefault(one.question.sameness, number) for number, one in enumerate(wanted)]
    try:
        with transaction.atomic():
            earlier = None if apart else _find_same(asked_hash, key, now)
            if earlier is not None:
                return earlier
            if not heartbeats.is_at_work(heartbeats.Role.BULK):
                return NobodyAtWork()
            hold = _hold(key, bulk_id, len(firsts), now, hold_for=max_wait + HELD_BEYOND, request_id=request_id)
            bulk = BulkJob.objects.create(
                id=bulk_id,
                account_id=key.account_id,
                key=key,
                hold=hold,
                accepts_stored=accepts_stored,
                stored_price=prices.STORED,
                total=len(wanted),
                questions=len(firsts),
                request_id=request_id,
                asked_hash=asked_hash,
                created_at=now,
                deadline=now + max_wait,
                webhook_url=notify.webhook_url,
                emails_results=notify.emails_results,
            )
            _write_rows(bulk, wanted, first_of, asked_by_id)
            transaction.on_commit(lambda: queue.wake(len(firsts)))
    except InsufficientFunds as short:
        return settlement.out_of_funds(short)
    return bulk


def find(public_id: str, *, key: ApiKey) -> BulkJob | None:
    """The bulk job of this key's account and mode by its public name; None for anybody else's."""
    bulk_id = lifecycle.read_id(public_id, "bulk")
    return list_own(key).filter(pk=bulk_id).first() if bulk_id else None


def list_own(key: ApiKey, *, after: Place | None = None) -> QuerySet[BulkJob]:
    """The bulk jobs of this key's account and mode, the newest first: from the one `after` on, or all."""
    own = BulkJob.objects.filter(account_id=key.account_id, key__mode=key.mode)
    if after is not None:
        own = own.filter(is_after(after))
    return own.select_related("key").order_by("-created_at", "-pk")


def list_rows(bulk: BulkJob, *, after: int = -1) -> QuerySet[Lookup]:
    """The rows in the order asked, from the one after index `after` on, with their jobs as far as they are kept."""
    rows_of = Lookup.objects.whole().rows_of(bulk).select_related("job", "repeats__job")
    rows_of = rows_of.select_related("identifiers__entity", "repeats__identifiers__entity")
    return rows_of.filter(position__gt=after)


def cancel(bulk: BulkJob, *, now: datetime) -> bool:
    """End what has not begun and give its share back; what is under way ends by itself. Twice does nothing more.

    False when it has ended, or was cancelled before.
    """
    with transaction.atomic():
        if not BulkJob.objects.open().filter(pk=bulk.pk, cancelled_at__isnull=True).update(cancelled_at=now):
            return False  # what an operator has begun anew since then is left to end
        waiting = Job.objects.select_for_update(of=("self",)).select_related("lookup")
        ended = list(waiting.filter(bulk=bulk, status=Job.Status.PENDING))
        rows.cancel([job.lookup for job in ended], now=now)
        Job.objects.filter(pk__in=[job.pk for job in ended]).update(status=Job.Status.FAILED, ended_at=now)
        for job in ended:
            if job.hold_id != bulk.hold_id and job.hold_id is not None:  # asked again by an operator, and paid anew
                with suppress(HoldEnded):
                    ledger.release(hold_id=job.hold_id, reason="cancelled", now=now)
        back = sum(job.lookup.price for job in ended if job.hold_id == bulk.hold_id)
        if back and bulk.hold_id:
            with suppress(HoldEnded):  # the sweep was faster: it has gone back already
                ledger.release(
                    hold_id=bulk.hold_id,
                    amount=back,
                    idempotency_key=f"bulk:{bulk.pk}:cancel:{now:%s%f}",
                    reason="cancelled",
                    now=now,
                    request_id=bulk.request_id,
                )
    queue.note_end(bulk.pk, now=now)  # after it is committed: whoever ends the last running one looks after theirs
    return True


def _find_same(asked_hash: str, key: ApiKey, now: datetime) -> BulkJob | None:
    """The bulk job that an equal request of this account was taken on as a moment ago; locks the account.

    One that has ended and charged nothing is none: who asks again wants its rows asked again. Nor is one of whose rows
    some were, or will be, cancelled, because its key has ended.
    """
    if key.is_test or key.account.is_internal:
        return None
    locks.lock_account(key.account_id)
    recent = list_own(key).filter(created_at__gt=now - rows.ASKED_AGAIN, cancelled_at=None)
    its_rows = Lookup.objects.filter(bulk=OuterRef("pk"))
    charged, cancelled = its_rows.filter(cost__gt=0), its_rows.filter(verdict=Verdict.CANCELLED.value)
    barred = Job.objects.barred(now).filter(bulk=OuterRef("pk"))
    recent = recent.exclude(Exists(cancelled)).exclude(Exists(barred))
    return recent.filter(Q(ended_at=None) | Exists(charged), asked_hash=asked_hash).first()


def _digest(
    wanted: Sequence[Wanted], accepts_stored: bool, max_wait: timedelta, notify: Notify, *, of_a_person: bool
) -> str:
    """SHA-256 of the whole request: the rows as they are spelled, in their order, and how they are to be answered.

    `of_a_person`: shown where it is asked and told by no webhook, so it is not the same as a program's.
    """
    asked = [(one.question.to_json(), one.ref) for one in wanted]
    wishes = [accepts_stored, max_wait.total_seconds(), notify.webhook_url, notify.emails_results]
    wishes += [of_a_person] if of_a_person else []
    text = json.dumps([asked, *wishes], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _hold(
    key: ApiKey, bulk_id: uuid.UUID, questions: int, now: datetime, *, hold_for: timedelta, request_id: str
) -> Hold | None:
    if key.is_test:
        return None
    return ledger.hold(
        account_id=key.account_id,
        amount=questions * prices.LOOKUP,
        idempotency_key=f"bulk:{bulk_id}",
        reference=f"bulk of {questions}",
        expires_at=now + hold_for,
        now=now,
        key=key,
        request_id=request_id,
    )


def _write_rows(bulk: BulkJob, wanted: Sequence[Wanted], first_of: Sequence[int], asked_by_id: int | None) -> None:
    """A lookup for each row, and a job for each different question: the rows that repeat it are ended with it."""
    made: dict[int, Lookup] = {}
    payer = KeyPayer(bulk.key)
    for number, one in enumerate(wanted):
        ask = Ask(question=one.question, payer=payer, request_id=bulk.request_id, ref=one.ref, asked_by_id=asked_by_id)
        made[number] = rows.draft(
            ask,
            now=bulk.created_at,
            hold_id=bulk.hold_id,
            origin=Lookup.Origin.BULK,
            bulk=bulk,
            position=number,
        )
    firsts = [row for number, row in made.items() if first_of[number] == number]
    Lookup.objects.bulk_create(firsts, batch_size=200)
    repeated = [number for number in made if first_of[number] != number]
    for number in repeated:
        made[number].repeats, made[number].price = made[first_of[number]], 0
    Lookup.objects.bulk_create([made[number] for number in repeated], batch_size=200)
    Job.objects.bulk_create([_job(bulk, lookup) for lookup in firsts], batch_size=200)


def _job(bulk: BulkJob, lookup: Lookup) -> Job:
    return Job(
        account_id=bulk.account_id,
        key_id=bulk.key_id,
        hold_id=bulk.hold_id,
        bulk=bulk,
        lookup=lookup,
        position=lookup.position or 0,
        ask_id=lookup.ask_id,
        state=lookup.state,
        estimated_seconds=1,
        request_id=bulk.request_id,
        created_at=bulk.created_at,
        deadline=bulk.deadline,
    )
