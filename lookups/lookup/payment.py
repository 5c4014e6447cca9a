"""What a lookup costs whom: the ledger for live keys, nothing for test keys and for those who pay by the request.

Kept apart from the story so that it reads without ifs about who pays. A payment that came with the request is taken
by its own door (`services.pay_per_request`).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from billing import ledger, prices
from billing.models import ApiKey, Hold

HOLD_FOR = timedelta(minutes=10)  # far longer than any fetch; the sweep gives back what a crash left behind


@dataclass(frozen=True, slots=True)
class Bill:
    """Which balance pays for one ask (None: no balance), and under which words it stands in the statement."""

    key: ApiKey | None
    ask_id: uuid.UUID
    reference: str
    shares_hold: bool = False


@dataclass(frozen=True, slots=True)
class Paid:
    """What was charged to a balance and what is left of it (None: there is none), in units of 1/10,000 USD."""

    cost: int
    balance: int | None


def set_aside(bill: Bill, *, now: datetime, hold_for: timedelta = HOLD_FOR) -> Hold | None:
    """Hold the price of one lookup; None for a test key. Raises ledger.InsufficientFunds.

    An ask that is taken up again after a crash finds its own hold; where that has ended unused, a new one is made.
    """
    key = _paying_key(bill)
    if key is None:
        return None
    token = f"lookup:{bill.ask_id}"
    while True:
        hold = ledger.hold(
            account_id=key.account_id,
            amount=prices.LOOKUP,
            idempotency_key=token,
            reference=bill.reference,
            expires_at=now + hold_for,
            now=now,
            key=key,
        )
        if hold.state == Hold.State.OPEN:
            return hold
        token = f"lookup:{bill.ask_id}:{hold.pk}"


def take(bill: Bill, hold: Hold | None, *, now: datetime, may_charge_anew: Callable[[], bool] = lambda: True) -> Paid:
    """Charge what was held. Joins the caller's transaction; raises ledger.InsufficientFunds.

    A hold that was given back meanwhile is charged anew, when the caller still may: the answer is there, and is sold or
    kept back. Otherwise ledger.HoldEnded is raised.
    """
    if hold is None:
        return _nothing(bill)
    part: dict[str, Any] = {}
    if bill.shares_hold:
        part = {"amount": prices.LOOKUP, "idempotency_key": f"lookup:{bill.ask_id}:taken"}
    try:
        entry = ledger.capture(hold_id=hold.pk, now=now, reference=bill.reference, **part)
    except ledger.HoldEnded:
        if not may_charge_anew():
            raise
        return charge(bill, now=now)
    return Paid(entry.amount, entry.available_after)


def charge(bill: Bill, *, now: datetime) -> Paid:
    """Charge one lookup at once, for an answer that is there already. Raises ledger.InsufficientFunds."""
    key = _paying_key(bill)
    if key is None:
        return _nothing(bill)
    entry = ledger.charge(
        account_id=key.account_id,
        amount=prices.LOOKUP,
        idempotency_key=f"lookup:{bill.ask_id}:charge",
        reference=bill.reference,
        now=now,
        key=key,
    )
    return Paid(entry.amount, entry.available_after)


def give_back(hold: Hold | None, *, reason: str, now: datetime, share_of: uuid.UUID | None = None) -> None:
    """Release what was held, when nothing is owed; what has ended already stays as it is.

    `share_of`: the ask whose price is but a part of the hold.
    """
    if hold is None:
        return
    part: dict[str, Any] = {}
    if share_of is not None:
        part = {"amount": prices.LOOKUP, "idempotency_key": f"lookup:{share_of}:back"}
    try:
        ledger.release(hold_id=hold.pk, now=now, reason=reason, **part)
    except ledger.HoldEnded:
        return  # the sweep was faster


def _nothing(bill: Bill) -> Paid:
    return Paid(0, bill.key.account.available if bill.key else None)


def _paying_key(bill: Bill) -> ApiKey | None:
    """The key whose balance pays: none for test keys and for payments that came with the request."""
    return bill.key if bill.key is not None and not bill.key.is_test else None
