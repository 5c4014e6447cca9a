"""Lookups that were paid by request and not delivered, and given back by hand: by which transfer, and is there one?

Staff enters it; the chain has the last word. Where it cannot be asked, what was entered stands as not seen, and the
reconciliation looks again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction

from billing import money, reversals
from billing.models import Payment, Reversal
from billing.payments import tempo
from billing.payments.method import OutcomeUnknown

log = logging.getLogger(__name__)

PREFIX = "given back: "
TOKEN_DECIMALS = 6


class GivenBack(ValueError):
    """It cannot be given back like this; nothing was written."""


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a transfer gives a payment not back, and what its payer got of us by it, in base units of the token."""

    sentence: str
    given: int = 0


def enter(payment: Payment, *, reference: str, operator: str, now: datetime) -> bool:
    """Note that a lookup which was paid by request and not delivered was paid back, outside, by this transfer of ours.

    Returns whether the chain shows the transfer. Who claims the lookup afterwards gets nothing. What was entered and
    not seen may be entered again, by another transfer too. Raises GivenBack when the payment is not owed any more,
    the chain shows another transfer or none, or it was for another payment.
    """
    seen_at = now if _is_seen(payment, reference) else None
    name = f"{PREFIX}{reference}"[:255]
    with transaction.atomic():
        owed = Payment.objects.select_for_update().get(pk=payment.pk)
        unseen = find_unseen(owed)
        if unseen is None and not owed.is_undelivered:
            raise GivenBack("Only a lookup that is paid and not delivered is given back, once.")
        known = Reversal.objects.filter(name=name).first()
        if known is not None and known != unseen:
            raise GivenBack("This transfer was entered for another payment.")
        if unseen is None:
            given = reversals.Heard(owed.reference, Reversal.Kind.GIVEN_BACK, name, owed.amount)
            reversals.hear(given, now=now, operator=operator)
        else:
            Reversal.objects.filter(pk=unseen.pk).update(name=name)
        Reversal.objects.filter(name=name).update(seen_at=seen_at)
    return seen_at is not None


def find_unseen(payment: Payment) -> Reversal | None:
    """By what a payment was given back, as long as the chain has not shown it."""
    entered = Reversal.objects.filter(payment_reference=payment.reference, kind=Reversal.Kind.GIVEN_BACK)
    return entered.filter(seen_at=None).first() if payment.reference else None


def find_objection(method: tempo.Tempo, payment: Payment, reference: str) -> Objection | None:
    """What speaks against it that this transfer gives a payment back; raise OutcomeUnknown without the node's word."""
    moved = method.find_moved(reference)
    if moved is None:
        return Objection("The chain knows no transaction of this hash.")
    if not moved:
        return Objection("This transaction has moved nothing of the token: it failed, or it does something else.")
    recipients = {recipient for _, recipient in moved}
    if payment.payer not in recipients:
        return Objection(f"This transfer went to {', '.join(sorted(recipients))}, and the payer is {payment.payer}.")
    given = moved.get((method.recipient.lower(), payment.payer), 0)
    if not given:
        return Objection(f"This transfer is not from our account, {method.recipient}.")
    if given != payment.amount * tempo.TOKEN_UNITS:
        dollars, owed = Decimal(given).scaleb(-TOKEN_DECIMALS), money.to_decimal_string(payment.amount)
        return Objection(f"This transfer is of {dollars:f} USD, and the payment was of {owed} USD.", given)
    return None


def _is_seen(payment: Payment, reference: str) -> bool:
    """Whether the chain shows the transfer; no where it cannot be asked. Raises GivenBack when it shows another one."""
    method = tempo.find()
    if method is None:
        return False
    try:
        objection = find_objection(method, payment, reference)
    except OutcomeUnknown as silence:
        log.warning("entered as given back and not looked for on the chain: %s", silence)
        return False
    if objection is not None:
        raise GivenBack(objection.sentence)
    return True
