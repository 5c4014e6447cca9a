"""What staff has given back by hand beside the chain: is there a transfer of ours to the payer, of that amount?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Q

from billing import giving_back
from billing.accounting.reconciling.findings import Finding
from billing.models import Difference, Payment, Reversal
from billing.payments.tempo import TOKEN_UNITS, Tempo

NAMES = (Difference.Name.GIVEN_BACK_DIFFERS,)


def compare(method: Tempo, *, since: datetime | None, now: datetime) -> Iterator[Finding]:
    """Look for what was not seen yet, and again for what was entered since then, as a chain may undo what it showed.

    What is seen is noted. Raises OutcomeUnknown when the node gives no answer.
    """
    entered = Reversal.objects.filter(kind=Reversal.Kind.GIVEN_BACK).order_by("pk")
    if since is not None:
        entered = entered.filter(Q(seen_at=None) | Q(heard_at__gte=since))
    for one in entered:
        payment = Payment.objects.filter(method=Tempo.name, reference=one.payment_reference).first()
        if payment is None:
            continue
        reference = one.name.removeprefix(giving_back.PREFIX)
        objection = giving_back.find_objection(method, payment, reference)
        seen_at = None if objection else one.seen_at or now
        if seen_at != one.seen_at:
            Reversal.objects.filter(pk=one.pk, name=one.name).update(seen_at=seen_at)  # it may have been renamed
        if objection is not None:
            numbers = {"chain": objection.given // TOKEN_UNITS, "payment": payment.amount}
            yield Finding(NAMES[0], f"payment {payment.pk} by {reference}", {**numbers, "token_units": objection.given})
