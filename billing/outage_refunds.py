"""Gives back what many lookups cost in one act: confirmed once, carried out charge by charge, each in its own name.

What was confirmed is a list of charges, not a question that is asked anew: whatever ends meanwhile is left alone. Each
charge is given back under a key of its own, so going on after a crash, or twice at once, gives nothing back twice.
Sums above one person's ceiling wait for a second one, as grants do.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum

from billing import grants, ledger, money
from billing.accounting.reconciling.findings import in_batches
from billing.grants import GrantRefused
from billing.ledger_errors import IdempotencyConflict, RefundTooLarge
from billing.models import LedgerEntry, OutageRefund
from billing.models.entries import APPROVED_BY

log = logging.getLogger(__name__)
State = OutageRefund.State
MOST = 20_000  # charges in one act
AT_ONCE = 5.0  # seconds in which the one who confirmed waits for it; the clock goes on


@dataclass(frozen=True, slots=True)
class Refundable:
    """What is left of some charges, in units of 1/10,000 USD; `before`: how many have nothing left."""

    charges: list[int]
    accounts: int
    amount: int
    before: int


def count(charges: Iterable[LedgerEntry]) -> Refundable:
    """See what can still be given back of these captures and charges."""
    left: list[int] = []
    accounts: set[int] = set()
    amount = before = 0
    for entries in in_batches(iter(charges)):
        back = LedgerEntry.objects.filter(refunds__in=[entry.pk for entry in entries]).order_by()
        given = dict(back.values_list("refunds").annotate(total=Sum("amount")))
        for entry in entries:
            rest = entry.amount - given.get(entry.pk, 0)
            if rest <= 0:
                before += 1
                continue
            left.append(entry.pk)
            accounts.add(entry.account_id)
            amount += rest
    return Refundable(left, len(accounts), amount, before)


def begin(
    *, subject: str, found: Refundable, token: str, operator: str, reason: str, note: str, now: datetime
) -> OutageRefund:
    """Keep what was confirmed, to be carried out, or to wait for a second person. The same `token` is the same act.

    Raises GrantRefused for nothing, and above what even two persons may give.
    """
    with transaction.atomic():
        grants.lock_operator(operator)
        earlier = OutageRefund.objects.filter(token=token).first()
        if earlier is not None:
            if earlier.subject != subject:
                raise IdempotencyConflict("This form was confirmed before, with something else in it.")
            return earlier
        if not found.charges:
            raise GrantRefused("Nothing of these lookups is left to be given back.")
        if len(found.charges) > MOST or found.amount > money.from_dollars(settings.GRANT_MAXIMUM):
            most = f"{MOST:,} lookups and {settings.GRANT_MAXIMUM} USD (GRANT_MAXIMUM)"
            raise GrantRefused(f"At most {most} are given back at once: choose a shorter time.")
        alone = grants.may_give_alone(operator=operator, amount=found.amount, now=now)
        return OutageRefund.objects.create(
            subject=subject,
            charges=found.charges,
            count=len(found.charges),
            accounts=found.accounts,
            amount=found.amount,
            token=token,
            asked_by=operator,
            asked_at=now,
            reason=reason,
            note=note,
            state=State.UNDER_WAY if alone else State.WAITING,
        )


def is_to_get_back(account_id: int) -> bool:
    """Whether charges of this account are among what waits for a second person, or is under way."""
    own = LedgerEntry.objects.filter(account_id=account_id).order_by()
    open_ = OutageRefund.objects.filter(state__in=[State.WAITING, State.UNDER_WAY]).values_list("charges", flat=True)
    return any(own.filter(pk__in=charges).exists() for all_ in open_ for charges in in_batches(iter(all_)))


def approve(*, refund_id: int, operator: str, now: datetime) -> OutageRefund:
    """Let it be carried out, as the second person. Raises GrantRefused."""
    return _decide(refund_id, State.UNDER_WAY, operator, now)


def reject(*, refund_id: int, operator: str, now: datetime) -> OutageRefund:
    """Give nothing back; whoever asked may take it back by this too. Raises GrantRefused."""
    return _decide(refund_id, State.REJECTED, operator, now)


def carry_out(refund: OutageRefund, *, now: datetime, seconds: float = AT_ONCE) -> OutageRefund:
    """Give back charge by charge, as far as the time goes; what is left, the clock goes on with."""
    until = monotonic() + seconds
    while refund.state == State.UNDER_WAY and refund.position < len(refund.charges) and monotonic() < until:
        chunk = refund.charges[refund.position : refund.position + 20]
        for charge in chunk:
            _give_back(refund, charge, now)
        refund.position += len(chunk)
        # Somebody else may be further
        OutageRefund.objects.filter(pk=refund.pk, position__lt=refund.position).update(position=refund.position)
    if refund.state == State.UNDER_WAY and refund.position >= len(refund.charges):
        _finish(refund, now)
    refund.refresh_from_db()
    return refund


def carry_on(*, now: datetime) -> int:
    """Go on with what is under way; returns how many acts were."""
    rows = list(OutageRefund.objects.under_way().order_by("asked_at")[:10])
    for refund in rows:
        try:
            carry_out(refund, now=now)
        except Exception:  # it keeps no other refund waiting, and comes again with the next minute
            log.exception("The refund of an outage #%s could not go on.", refund.pk)
    return len(rows)


def _decide(refund_id: int, state: State, operator: str, now: datetime) -> OutageRefund:
    with transaction.atomic():
        refund = OutageRefund.objects.select_for_update().get(pk=refund_id)
        if refund.state == state and refund.decided_by == operator:
            return refund
        if refund.state != State.WAITING:
            raise GrantRefused(f"It is {refund.get_state_display()}; nobody decides it any more.")
        if state == State.UNDER_WAY:
            grants.check_second(operator, asked_by=refund.asked_by, asked_at=refund.asked_at)
        refund.state, refund.decided_by, refund.decided_at = state, operator, now
        refund.save(update_fields=["state", "decided_by", "decided_at"])
    return refund


def _give_back(refund: OutageRefund, charge: int, now: datetime) -> None:
    """All that is left of one charge, under a key that only this act has."""
    note = refund.note if not refund.decided_by else f"{refund.note} ({APPROVED_BY}{refund.decided_by})".strip()
    try:
        # Durable: within a larger transaction the locks of many accounts would pile up and could deadlock.
        with transaction.atomic(durable=True):
            ledger.refund(
                entry_id=charge,
                idempotency_key=_key_of(refund, charge),
                reason=refund.reason,
                operator=refund.asked_by,
                note=note[:500],
                now=now,
            )
    except RefundTooLarge:
        return  # somebody has given it back meanwhile


def _key_of(refund: OutageRefund, charge: int) -> str:
    return f"outage:{refund.pk}:{charge}"


def _finish(refund: OutageRefund, now: datetime) -> None:
    """Count in the ledger itself what this act has given back."""
    refunded = sum(_count(refund, charges) for charges in in_batches(iter(refund.charges)))
    ended = OutageRefund.objects.under_way().filter(pk=refund.pk)
    ended.update(state=State.DONE, done_at=now, refunded=refunded, position=F("count"))


def _count(refund: OutageRefund, charges: Sequence[int]) -> int:
    keys = [_key_of(refund, charge) for charge in charges]
    mine = LedgerEntry.objects.filter(refunds__in=charges, idempotency_key__in=keys)
    return int(mine.aggregate(total=Sum("amount"))["total"] or 0)
