"""How a payment ends, in its row and in the ledger, in one transaction.

Lookups paid by request belong to nobody's balance. They are booked on one account of their own: in when the money has
arrived, out when the answer is delivered. What is left on it was paid for and is still owed.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction

from billing import accounts, ledger, reversals
from billing.ledger_errors import InsufficientFunds
from billing.models import Payment

log = logging.getLogger(__name__)

State = Payment.State
OPEN = (State.ACCEPTED, State.SETTLING, State.UNKNOWN)


def complete(payment: Payment, *, reference: str, now: datetime, detail: str = "", request_id: str = "") -> None:
    """Note that the money arrived and book it; doing it twice books once.

    Also where it was given up meanwhile, by a clock that is ahead of whoever waits for it: it is here after all.
    """
    with transaction.atomic():
        rows = Payment.objects.filter(pk=payment.pk, state__in=(*OPEN, State.FAILED))
        if not rows.update(state=State.PAID, reference=reference[:200], proof=None, ended_at=now, detail=detail):
            return
        if not payment.is_sandbox:
            _book(payment, reference, now, request_id)
    payment.refresh_from_db()


def end(payment: Payment, *, state: str, detail: str, now: datetime, only_from: str | None = None) -> None:
    """Note that no money moved and none will."""
    rows = Payment.objects.filter(pk=payment.pk, state__in=[only_from] if only_from else OPEN)
    rows.update(state=state, detail=detail[:500], proof=None, ended_at=now)
    payment.refresh_from_db()


def doubt(payment: Payment, *, detail: str) -> None:
    """Note that money may have moved; tell the operators, who see it in the log and in the admin."""
    Payment.objects.filter(pk=payment.pk, state__in=OPEN).update(state=State.UNKNOWN, detail=detail[:500])
    payment.refresh_from_db()
    # A stranger can bring this about: what lasts is shouted by the admin and the gauges, not each of them by the log.
    log.warning("payment %s (%s): outcome unknown: %s", payment.pk, payment.method, detail)


def deliver(payment: Payment, *, now: datetime, request_id: str = "") -> None:
    """Note that what was paid for is delivered, and book the sale, once; joins the caller's transaction.

    Raises InsufficientFunds when the money was given back meanwhile. Order: the payment's row, then the account.
    """
    rows = Payment.objects.filter(pk=payment.pk, state=State.PAID, taken_back=0, delivered_at=None)
    if rows.update(delivered_at=now) and not payment.is_sandbox:
        ledger.charge(
            account_id=accounts.pay_per_request_account(now=now).pk,
            amount=payment.amount,
            idempotency_key=f"payment:{payment.pk}:lookup",
            reference=payment.reference,
            now=now,
            request_id=request_id,
        )
    elif Payment.objects.filter(pk=payment.pk, delivered_at=None).exclude(taken_back=0).exists():
        raise InsufficientFunds(available=0, needed=payment.amount)


def _book(payment: Payment, reference: str, now: datetime, request_id: str) -> None:
    account_id = payment.account_id if payment.account_id is not None else accounts.pay_per_request_account(now=now).pk
    ledger.deposit(
        account_id=account_id,
        amount=payment.amount,
        idempotency_key=f"payment:{payment.pk}",
        source=payment.method,
        reference=reference[:200],
        now=now,
        request_id=request_id,
    )
    if payment.purpose == Payment.Purpose.TOPUP:
        reversals.settle(reference, now=now)
