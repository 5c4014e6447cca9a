"""What a lookup costs whom: the ledger for live keys, nothing at all for test keys.

Kept apart from the story so that it reads without ifs about who pays.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from billing import ledger, prices
from billing.models import ApiKey, Hold

HOLD_FOR = timedelta(minutes=10)  # far longer than any fetch; the sweep gives back what a crash left behind


@dataclass(frozen=True, slots=True)
class Bill:
    """Who pays for one ask, and under which words it stands in the statement."""

    key: ApiKey
    ask_id: uuid.UUID
    reference: str

    @property
    def is_free(self) -> bool:
        """Whether the ledger is left alone: test keys cost nothing."""
        return self.key.is_test


@dataclass(frozen=True, slots=True)
class Paid:
    """What was charged and what is left, in units of 1/10,000 USD."""

    cost: int
    balance: int


def set_aside(bill: Bill, *, now: datetime) -> Hold | None:
    """Hold the price of one lookup; None for a test key. Raises ledger.InsufficientFunds.

    An ask that is taken up again after a crash finds its own hold; where that has ended unused, a new one is made.
    """
    if bill.is_free:
        return None
    token = f"lookup:{bill.ask_id}"
    while True:
        hold = ledger.hold(
            account_id=bill.key.account_id, amount=prices.LOOKUP, idempotency_key=token, reference=bill.reference,
            expires_at=now + HOLD_FOR, now=now, key=bill.key,
        )  # fmt: skip
        if hold.state == Hold.State.OPEN:
            return hold
        token = f"lookup:{bill.ask_id}:{hold.pk}"


def take(bill: Bill, hold: Hold | None, *, now: datetime) -> Paid:
    """Charge what was held. Joins the caller's transaction; raises ledger.InsufficientFunds.

    A hold that was given back meanwhile is charged anew: the answer is there, and is sold or kept back.
    """
    if hold is None:
        return _nothing(bill)
    try:
        entry = ledger.capture(hold_id=hold.pk, now=now, reference=bill.reference)
    except ledger.HoldEnded:
        return charge(bill, now=now)
    return Paid(entry.amount, entry.available_after)


def charge(bill: Bill, *, now: datetime) -> Paid:
    """Charge one lookup at once, for an answer that is there already. Raises ledger.InsufficientFunds."""
    if bill.is_free:
        return _nothing(bill)
    entry = ledger.charge(
        account_id=bill.key.account_id, amount=prices.LOOKUP, idempotency_key=f"lookup:{bill.ask_id}:charge",
        reference=bill.reference, now=now, key=bill.key,
    )  # fmt: skip
    return Paid(entry.amount, entry.available_after)


def give_back(hold: Hold | None, *, reason: str, now: datetime) -> None:
    """Release what was held, when nothing is owed; what has ended already stays as it is."""
    if hold is None:
        return
    try:
        ledger.release(hold_id=hold.pk, now=now, reason=reason)
    except ledger.HoldEnded:
        return  # the sweep was faster


def _nothing(bill: Bill) -> Paid:
    return Paid(0, bill.key.account.available)
