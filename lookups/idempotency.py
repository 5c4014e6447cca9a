"""`Idempotency-Key`: the first request runs, its repetitions get its answer, and a crash never locks a key for ever."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from lookups.models import IdempotencyRecord, Job, Lookup
from lookups.verdicts import ANSWERED

KEPT_FOR = timedelta(hours=24)


class KeyReused(Exception):
    """The key came with another request before."""


class StillRunning(Exception):
    """The first request under this key is being answered right now."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer. `is_answered`: the first request was, so this one gets the same answer told again."""

    record_id: int
    claim: uuid.UUID
    ask_id: uuid.UUID
    resumed: bool = False
    is_answered: bool = False


def claim(*, account_id: int, sandbox: bool, key: str, body_hash: str, lease: timedelta, now: datetime) -> Claim:
    """Claim a key for this request. Raises KeyReused or StillRunning."""
    own = uuid.uuid4()
    mine = {"claim": own, "body_hash": body_hash, "lease_until": now + lease}
    fresh = {**mine, "ask_id": uuid.uuid4(), "created_at": now, "expires_at": now + KEPT_FOR}
    while True:
        try:
            with transaction.atomic():
                made = IdempotencyRecord.objects.create(account_id=account_id, sandbox=sandbox, key=key, **fresh)
            return Claim(made.pk, own, made.ask_id)
        except IntegrityError:
            known = IdempotencyRecord.objects.filter(account_id=account_id, sandbox=sandbox, key=key).first()
        if known is None:
            continue  # forgotten by its owner between our two looks
        if known.expires_at <= now:
            known.delete()
            continue
        if known.body_hash != body_hash:
            raise KeyReused
        if known.is_answered:
            return Claim(known.pk, known.claim, known.ask_id, resumed=True, is_answered=True)
        ask_id = uuid.uuid4() if _ended_in_vain(known.ask_id) else known.ask_id
        if not _take_over(known, {**mine, "ask_id": ask_id}, now):
            raise StillRunning
        return Claim(known.pk, own, ask_id, resumed=True)


def find_ask(*, account_id: int, sandbox: bool, key: str) -> uuid.UUID | None:
    """Under which ask a key's request is, or was, answered; None for a key that nobody has used, or not any more."""
    kept = IdempotencyRecord.objects.filter(account_id=account_id, sandbox=sandbox, key=key)
    return kept.values_list("ask_id", flat=True).first()


def finish(claimed: Claim, *, ask_id: uuid.UUID | None = None) -> None:
    """It was answered: repetitions get the same answer. `ask_id`: by what another ask had asked a moment before."""
    answered_by = {} if ask_id is None else {"ask_id": ask_id}
    IdempotencyRecord.objects.filter(pk=claimed.record_id, claim=claimed.claim).update(is_answered=True, **answered_by)


def forget(claimed: Claim) -> None:
    """Nothing was settled: the next request under this key starts anew."""
    IdempotencyRecord.objects.running().filter(pk=claimed.record_id, claim=claimed.claim).delete()


def release(claimed: Claim, *, now: datetime) -> None:
    """The answering broke down and may have settled something: the next request takes over at once, and looks."""
    IdempotencyRecord.objects.running().filter(pk=claimed.record_id, claim=claimed.claim).update(lease_until=now)


def prune(*, now: datetime) -> int:
    """Forget keys whose 24 hours are over; returns how many."""
    deleted, _ = IdempotencyRecord.objects.expired(now).delete()
    return deleted


def _ended_in_vain(ask_id: uuid.UUID) -> bool:
    """Whether this ask ended without an answer, and so charged nothing: the next request is another ask.

    The key follows the ask, so that repetitions find what was answered in the end.
    """
    ended = Lookup.objects.filter(ask_id=ask_id, verdict__isnull=False).exclude(verdict__in=ANSWERED)
    return ended.exists() and not Job.objects.filter(ask_id=ask_id).exists()


def _take_over(known: IdempotencyRecord, mine: dict[str, object], now: datetime) -> bool:
    """Continue a request whose lease ran out; of several who try, one does."""
    same = IdempotencyRecord.objects.running().filter(pk=known.pk, claim=known.claim)
    return bool(same.filter(lease_until__lte=now).update(**mine))
