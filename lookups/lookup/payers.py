"""Who pays for a question: an account by its key, or a credential that came with the request itself.

The story of a lookup talks to a payer and never asks which of the two it is. What an account pays is held, and captured
in the transaction that keeps the answer. A credential is claimed before the work; its money moves when there is an
answer, outside any transaction and before anything of that answer is kept: what finds nothing is free, since nothing
has moved by then, and what was not paid in the end leaves nothing behind.
"""

from __future__ import annotations

import uuid
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model

from billing import ledger, limits
from billing.ledger_errors import HoldEnded
from billing.models import Account, ApiKey, Hold, Payment
from billing.payments import checkout
from jurisdictions.prepared import Blank, Prepared

_BALANCE = Prepared(lambda: Account.objects.only("available").filter(id=Blank("id")))
MONEY_MOVED = (Payment.State.SETTLING, Payment.State.UNKNOWN, Payment.State.PAID)  # or may have
HOLD_FOR = timedelta(minutes=10)  # far longer than any fetch; what a crash left behind the sweep gives back before


@dataclass(frozen=True, slots=True)
class Bill:
    """The price of one lookup: which ask of which request it is for, and its words in the statement."""

    ask_id: uuid.UUID
    price: int  # 1/10,000 USD
    reference: str
    request_id: str
    shares_hold: bool = False


@dataclass(frozen=True, slots=True)
class Paid:
    """What was charged to a balance and what is left of it (None: there is none), in units of 1/10,000 USD."""

    cost: int
    balance: int | None


FREE = Paid(0, None)


class Payer:
    """One who pays for one ask. As it stands here: by no balance, without a limit, and only while the caller waits."""

    account: Account | None = None  # whose preferences count
    key: ApiKey | None = None
    payment: Payment | None = None
    receipt: str | None = None  # of money that has moved outside our ledger
    waits = False  # whether it can be answered later, as a job
    limit = 0  # questions at a time; 0: not limited here
    sandbox: bool  # whether the fictional registry is asked: test keys and pretended payments reach nothing else

    def place(self, *, now: datetime) -> AbstractContextManager[bool]:
        """Occupy one of the places that `limit` allows; False when all are taken."""
        return nullcontext(True)

    def claim(self, *, now: datetime) -> None:
        """Make sure of the payment before any work is done. Raises PaymentProblem when it is not good."""

    def hold(
        self,
        bill: Bill,
        *,
        now: datetime,
        hold_for: timedelta = HOLD_FOR,
        locked: Account | None = None,
        row: Model | None = None,
    ) -> Hold | None:
        """Hold the price; None where nothing is held. Raises InsufficientFunds.

        `locked` and `row` are those of `ledger.hold`: where it has written the row, that has its id.
        """
        return None

    def capture(self, bill: Bill, hold: Hold | None, *, now: datetime, is_locked: bool = False) -> Paid:
        """Charge what was held; of a bill that is lower than that, the rest goes back.

        Joins the caller's transaction; raises InsufficientFunds.

        A hold that was released meanwhile is charged anew: the answer is there, and is sold or kept back. The caller
        holds the lock of the lookup, so nobody else can have ended it. `is_locked`: and those of the hold's account and
        of the hold, which was read under them.
        """
        return FREE

    def charge(self, bill: Bill, *, now: datetime) -> Paid:
        """Charge at once, for an answer that is there already. Raises InsufficientFunds."""
        return FREE

    def release(self, bill: Bill, hold: Hold | None, *, reason: str, now: datetime, is_locked: bool = False) -> None:
        """Release what was held, when nothing is owed; what has ended already stays as it is.

        `is_locked`: as for `capture`.
        """

    def collect(self, bill: Bill, *, now: datetime) -> None:
        """Move what moves outside our ledger: there is an answer, and nothing of it is kept yet.

        Outside any transaction. Raises PaymentProblem: nothing is delivered.
        """

    def can_pay(self, price: int) -> bool:
        """Whether this price can be paid to the unit, and no other one is moved for it."""
        return True

    def abandon(self, *, reason: str, now: datetime) -> None:
        """Nothing is delivered: whatever `claim` took is left with the payer, unless it has moved."""

    def unclaim(self) -> None:
        """Nothing was accepted: what `claim` took is as it was before, good for the same request once more."""

    @property
    def is_owed(self) -> bool:
        """Whether money may have moved for an answer that is not delivered: its lookup stays open."""
        return False


class KeyPayer(Payer):
    """The account behind a key (which comes with it); a test key pays nothing."""

    waits = True

    def __init__(self, key: ApiKey) -> None:
        self.key: ApiKey = key
        self.account: Account = key.account
        self.limit = limits.concurrent_lookups(key)
        self.sandbox = key.is_test

    def place(self, *, now: datetime) -> AbstractContextManager[bool]:
        """See Payer."""
        return limits.freeing(limits.acquire(key=self.key, now=now))

    def hold(
        self,
        bill: Bill,
        *,
        now: datetime,
        hold_for: timedelta = HOLD_FOR,
        locked: Account | None = None,
        row: Model | None = None,
    ) -> Hold | None:
        """See Payer.

        An ask that is taken up again after a crash finds its own hold; where that has ended unused, a new one is made.
        """
        if self.key.is_test:
            return None
        token = f"lookup:{bill.ask_id}"
        while True:
            hold = ledger.hold(
                account_id=self.key.account_id,
                amount=bill.price,
                idempotency_key=token,
                reference=bill.reference,
                expires_at=now + hold_for,
                now=now,
                key=self.key,
                request_id=bill.request_id,
                locked=locked,
                row=row,
            )
            if hold.state == Hold.State.OPEN:
                return hold
            token, locked = f"lookup:{bill.ask_id}:{hold.pk}", None

    def capture(self, bill: Bill, hold: Hold | None, *, now: datetime, is_locked: bool = False) -> Paid:
        """See Payer."""
        if hold is None:
            return FREE
        locked = hold if is_locked else None
        try:
            if not bill.shares_hold and hold.remaining > bill.price:
                return self._capture_less(bill, hold, locked, now=now)
            entry = ledger.capture(
                hold_id=hold.pk, locked=locked, now=now, reference=bill.reference, **_of(bill, "taken")
            )
        except HoldEnded:
            return self.charge(bill, now=now)
        return Paid(entry.amount, max(0, entry.available_after))

    def _capture_less(self, bill: Bill, hold: Hold, locked: Hold | None, *, now: datetime) -> Paid:
        """Charge less than what was held, or nothing, and give the rest back."""
        cost, part = 0, _of(replace(bill, shares_hold=True), "taken")
        if bill.price:
            cost = ledger.capture(hold_id=hold.pk, locked=locked, now=now, reference=bill.reference, **part).amount
        rest = ledger.release(hold_id=hold.pk, locked=locked, now=now, reason="costs_less", request_id=bill.request_id)
        return Paid(cost, max(0, rest.available_after))

    def charge(self, bill: Bill, *, now: datetime) -> Paid:
        """See Payer."""
        if self.key.is_test:
            return FREE
        if not bill.price:
            return Paid(0, max(0, _BALANCE.get(id=self.key.account_id).available))
        entry = ledger.charge(
            account_id=self.key.account_id,
            amount=bill.price,
            idempotency_key=f"lookup:{bill.ask_id}:charge",
            reference=bill.reference,
            now=now,
            key=self.key,
            request_id=bill.request_id,
        )
        return Paid(entry.amount, max(0, entry.available_after))

    def release(self, bill: Bill, hold: Hold | None, *, reason: str, now: datetime, is_locked: bool = False) -> None:
        """See Payer."""
        if hold is None:
            return
        try:
            locked = hold if is_locked else None
            ledger.release(hold_id=hold.pk, locked=locked, now=now, reason=reason, **_of(bill, "back"))
        except HoldEnded:
            return  # the sweep was faster


class CredentialPayer(Payer):
    """Whoever sent a payment credential with the request: good for one delivery."""

    def __init__(self, purchase: checkout.Purchase, credential: str, word: str | None = None) -> None:
        """`word` is the request's Idempotency-Key."""
        self._purchase, self._credential, self._word = purchase, credential, word

    def claim(self, *, now: datetime) -> None:
        """See Payer. Nothing moves yet; what was paid by this very request before is taken up again."""
        self.payment = checkout.accept(self._purchase, credential=self._credential, now=now, word=self._word)
        self.sandbox = self.payment.is_sandbox

    def collect(self, bill: Bill, *, now: datetime) -> None:
        """See Payer. What is free leaves the money where it is."""
        if bill.price:
            self.receipt = checkout.settle(self._claimed, now=now, request_id=bill.request_id)

    def capture(self, bill: Bill, hold: Hold | None, *, now: datetime, is_locked: bool = False) -> Paid:
        """See Payer. The money is there; no balance has changed."""
        checkout.deliver(self._claimed, now=now, request_id=bill.request_id)
        return FREE

    def charge(self, bill: Bill, *, now: datetime) -> Paid:
        """See Payer."""
        return self.capture(bill, None, now=now) if bill.price else FREE

    def can_pay(self, price: int) -> bool:
        """See Payer. It moves what its challenge has said, or nothing."""
        return price in (0, self._purchase.amount)

    def abandon(self, *, reason: str, now: datetime) -> None:
        """See Payer."""
        checkout.abandon(self._claimed, reason=reason, now=now)

    def unclaim(self) -> None:
        """See Payer."""
        checkout.forget(self._claimed)

    @property
    def is_owed(self) -> bool:
        """See Payer."""
        return self._claimed.state in MONEY_MOVED

    @property
    def _claimed(self) -> Payment:
        assert self.payment is not None, "A credential is claimed before anything else is done."
        return self.payment


def _of(bill: Bill, what: str) -> dict[str, Any]:
    """Whose hold it is: all of it, or one lookup's part of a larger one."""
    request = {"request_id": bill.request_id}
    if not bill.shares_hold:
        return request
    return {**request, "amount": bill.price, "idempotency_key": f"lookup:{bill.ask_id}:{what}"}
