"""What payers take back of what they paid in: by a refund, a dispute, or as staff has entered it.

Every message is noted as what it says of one refund or dispute (`Reversal`), which only ever grows; what is gone of a
payment is made of them (`sum_gone`). So it is nothing in which order, in how many parts or how often messages come, nor
whether the payment is credited before them or after.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from billing import accounts, ledger, money
from billing.models import LedgerEntry, Payment, Reversal, TopUp

log = logging.getLogger(__name__)

WAITING, TAKEN_BACK, GIVEN_BACK, UNCHANGED = "waits for its top-up", "taken back", "given back", "changes nothing"
CARD = "card"
DISPUTE_WON, REFUND_FAILED = "dispute_won", "refund_failed"
Kind = Reversal.Kind


@dataclass(frozen=True, slots=True)
class Heard:
    """What one message says of a refund or dispute; `amount` in units of 1/10,000 USD."""

    payment: str
    kind: Reversal.Kind
    name: str
    amount: int
    withdrawn: bool = True
    reinstated: bool = False


def hear(heard: Heard, *, now: datetime, operator: str = "") -> str:
    """Note what a message says, and bring the ledger to it; returns what was done, in a word."""
    with transaction.atomic():
        credit = _lock_credit(heard.payment)  # before what is noted, as `settle_late` takes them
        _note(heard, now)
        if credit is None:  # what is credited by now is left to that, for it would be locked after what is noted
            return WAITING
        return settle(heard.payment, now=now, operator=operator)


def enter(credit: TopUp | Payment, *, amount: int, note: str, now: datetime, operator: str = "") -> str:
    """Take back what staff knows to be gone: a transfer that its chain has undone, a bank's letter. Once per note.

    Raises ValueError for more than was paid in.
    """
    refuse_above_paid(credit, amount)
    payment, kind = _name_of(credit), Kind.STAFF
    return hear(Heard(payment, kind, f"{payment[:100]}: {note}"[:255], money.units(amount)), now=now, operator=operator)


def refuse_above_paid(credit: TopUp | Payment, amount: int) -> None:
    """Raise ValueError for more than was paid in."""
    if amount > credit.amount:
        raise ValueError(f"Only {money.to_decimal_string(credit.amount)} USD were paid in.")


def settle(payment: str, *, now: datetime, operator: str = "") -> str:
    """Bring the ledger to what is known to be gone of a credited payment; joins the caller's transaction.

    It changes nothing when it is there already, so it may be called any number of times.
    """
    with transaction.atomic():
        credit = _lock_credit(payment)
        if credit is None:
            return WAITING
        known = list(Reversal.objects.filter(payment_reference=payment).order_by("pk"))
        new = [each for each in known if not each.is_settled]
        gone = min(credit.amount, sum_gone(payment, known))
        change = credit.taken_back - gone
        if change:
            _write(credit, payment, change, new, now, operator)
            credit.taken_back = gone
            credit.save(update_fields=["taken_back"])
        for each in new:  # as it was counted: what was noted since, by who saw no credit yet, is left to `settle_late`
            same = {"amount": each.amount, "withdrawn": each.withdrawn, "reinstated": each.reinstated}
            Reversal.objects.filter(pk=each.pk, **same).update(is_settled=True)
    return UNCHANGED if not change else TAKEN_BACK if change < 0 else GIVEN_BACK


def sum_gone(payment: str, known: Collection[Reversal]) -> int:
    """What is gone of a payment, in 1/10,000 USD, by all that is known of it.

    Refunds are told in two ways: their sum under the payment's name, and each under its own, which alone says that it
    failed. Whether that sum sinks then is not known of the provider; either way neither of the two proves too much.
    """
    refunds = [each for each in known if each.kind == Kind.REFUND]
    single = [each for each in refunds if each.name != payment]
    whole = sum(each.gone for each in refunds if each.name == payment)
    failed = sum(each.amount for each in single if each.reinstated)
    others = sum(each.gone for each in known if each.kind != Kind.REFUND)
    return max(whole - failed, sum(each.gone for each in single)) + others


def settle_late(*, now: datetime) -> int:
    """Settle what was noted at the very moment its payment was credited; returns how many payments."""
    of_topup = TopUp.objects.filter(payment_intent=OuterRef("payment_reference"), state=TopUp.State.PAID)
    of_payment = list_returnable().filter(reference=OuterRef("payment_reference"))
    credited = Reversal.objects.filter(Exists(of_topup) | Exists(of_payment), is_settled=False)
    waiting = credited.order_by().values_list("payment_reference", flat=True)
    return sum(settle(payment, now=now) != WAITING for payment in waiting.distinct())


def count_unmatched(*, now: datetime) -> int:
    """How many refunds and disputes are of no payment of ours, an hour after they were heard of."""
    return Reversal.objects.filter(is_settled=False, heard_at__lt=now - timedelta(hours=1)).count()


def _note(heard: Heard, now: datetime) -> None:
    if heard.kind == Kind.DISPUTE:  # its name was not kept before 1.4: it is learnt now
        unnamed = Reversal.objects.filter(payment_reference=heard.payment, name=f"before: {heard.payment}"[:255])
        if not Reversal.objects.filter(name=heard.name).exists():
            unnamed.update(name=heard.name)
    known, is_new = Reversal.objects.select_for_update().get_or_create(
        name=heard.name,
        defaults={
            "payment_reference": heard.payment,
            "kind": heard.kind,
            "amount": heard.amount,
            "withdrawn": heard.withdrawn,
            "reinstated": heard.reinstated,
            "heard_at": now,
        },
    )
    if is_new:
        return
    before = (known.amount, known.withdrawn, known.reinstated)
    known.amount = max(known.amount, heard.amount)
    known.withdrawn |= heard.withdrawn
    known.reinstated |= heard.reinstated
    if before != (known.amount, known.withdrawn, known.reinstated):
        known.is_settled = False
        known.save(update_fields=["amount", "withdrawn", "reinstated", "is_settled"])


def _lock_credit(payment: str) -> TopUp | Payment | None:
    """What was credited under this name, locked. Order: this, then (in the ledger) the account."""
    topup = TopUp.objects.select_for_update().filter(payment_intent=payment, state=TopUp.State.PAID).first()
    if topup is not None:
        return topup
    return list_returnable().select_for_update().filter(reference=payment[:200]).first()


def list_returnable() -> QuerySet[Payment]:
    """What was paid with a request and may go back: top-ups, and lookups that are not delivered."""
    kept = Q(purpose=Payment.Purpose.TOPUP) | Q(purpose=Payment.Purpose.LOOKUP, delivered_at=None)
    return Payment.objects.filter(kept, state=Payment.State.PAID, is_sandbox=False)


def _name_of(credit: TopUp | Payment) -> str:
    name = credit.payment_intent if isinstance(credit, TopUp) else credit.reference
    return str(name or "")


def _write(
    credit: TopUp | Payment, payment: str, change: int, causes: Sequence[Reversal], now: datetime, operator: str
) -> None:
    account_id = credit.account_id or accounts.pay_per_request_account(now=now).pk
    prefix = f"reversal:{credit._meta.model_name}:{credit.pk}:"
    written = LedgerEntry.objects.filter(account_id=account_id, idempotency_key__startswith=prefix).count()
    kind = causes[0].kind if causes else Kind.REFUND
    back = REFUND_FAILED if kind == Kind.REFUND else DISPUTE_WON
    entry = ledger.reverse(
        account_id=account_id,
        amount=change,
        idempotency_key=f"{prefix}{written + 1}",
        source=CARD if isinstance(credit, TopUp) else credit.method,
        reason=back if change > 0 else kind,
        reference=payment[:200],
        note=", ".join(cause.name for cause in causes)[:500],
        operator=operator,
        now=now,
    )
    if entry.available_after < 0:
        log.error("account %s owes %s units: what it has spent was taken back", account_id, -entry.available_after)
