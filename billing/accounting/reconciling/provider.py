"""The ledger beside the card provider: its balance transactions against our top-ups, payments, refunds and disputes.

Not checked against the live provider: the forms of its transactions are those of its documentation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db.models import Min, Q, QuerySet

from billing import reversals
from billing.accounting.reconciling.findings import Finding
from billing.models import Difference, Payment, Reversal, TopUp
from billing.payments import stripe
from billing.payments.stripe import Movement

Name, Kind = Difference.Name, Reversal.Kind
NAMES = (
    Name.CARD_CHARGE_NOT_CREDITED,
    Name.CARD_CHARGE_DIFFERS,
    Name.CARD_CREDIT_UNKNOWN,
    Name.CARD_REFUND_UNHEARD,
    Name.CARD_DISPUTE_UNHEARD,
    Name.CARD_REVERSAL_UNKNOWN,
)
MESSAGES_TAKE = timedelta(hours=1)  # what is younger may not have been told to us yet
TOLD_WITHIN = timedelta(
    days=4
)  # the provider tries for three days to tell us: ours may be so much younger than its own
Credit = TopUp | Payment


def compare(*, since: datetime | None, now: datetime) -> tuple[list[Finding], datetime]:
    """Return what differs, and until when it was compared; raise OutcomeUnknown when the provider gives no answer.

    What the provider moved since then is compared, or all since our first credit by card.
    """
    until = now - MESSAGES_TAKE
    first = since or _find_first() or until
    movements = stripe.list_movements(since=first - TOLD_WITHIN, until=until)
    # Read after the provider's, hence with all that it can have told of them
    credits = _find_credits(movements)
    found = [
        *_compare_charges([one for one in movements if one.kind == "charge"], credits, first),
        *_compare_reversals(movements, first, until),
        *_list_unknown_credits({one.payment for one in movements if one.kind == "charge"}, first, until),
    ]
    return found, until


def _compare_charges(charges: list[Movement], credits: dict[str, Credit], first: datetime) -> Iterator[Finding]:
    """A payment's charges together beside its credit."""
    for payment, several in _by_payment(charges).items():
        taken, at = sum(one.amount for one in several), max(one.at for one in several)
        credit = credits.get(payment)
        numbers = {"provider": taken, "credit": credit.amount if credit else 0}
        if at >= first and credit is None:
            yield Finding(Name.CARD_CHARGE_NOT_CREDITED, payment or several[0].name, numbers, at)
        elif at >= first and credit is not None and credit.amount != taken:
            yield Finding(Name.CARD_CHARGE_DIFFERS, payment, numbers, at)


def _compare_reversals(movements: list[Movement], first: datetime, until: datetime) -> Iterator[Finding]:
    """What the provider gave back, or a bank took, beside what we have heard of; each in both directions."""
    known = Reversal.objects.filter(kind__in=[Kind.REFUND, Kind.DISPUTE], withdrawn=True)
    named = {one.payment for one in movements}
    heard = list(known.filter(Q(payment_reference__in=named) | Q(heard_at__gte=first, heard_at__lt=until)))
    for kind, word in ((Kind.REFUND, "refund"), (Kind.DISPUTE, "dispute")):
        name = Name.CARD_REFUND_UNHEARD if word == "refund" else Name.CARD_DISPUTE_UNHEARD
        theirs = _by_payment([one for one in movements if one.kind == word])
        for payment, several in theirs.items():
            gone, at = sum(one.amount for one in several), max(one.at for one in several)
            ours = [one for one in heard if one.payment_reference == payment and one.kind == kind]
            total = reversals.sum_gone(payment, ours)
            # Of what the provider moved before, only our side is seen here
            is_all = min(one.at for one in several) >= first and all(one.heard_at >= first for one in ours)
            if at >= first and (gone > total or (is_all and gone < total)):
                numbers = {"provider": gone, "heard": total}
                yield Finding(name if gone > total else Name.CARD_REVERSAL_UNKNOWN, payment, numbers, at)
        for one in heard:
            if one.kind == kind and first <= one.heard_at < until and one.payment_reference not in theirs:
                numbers = {"provider": 0, "heard": one.gone}
                yield Finding(Name.CARD_REVERSAL_UNKNOWN, one.payment_reference, numbers, one.heard_at)


def _list_unknown_credits(charged: set[str], first: datetime, until: datetime) -> Iterator[Finding]:
    """Credits that the provider has no charge for."""
    topups = TopUp.objects.filter(state=TopUp.State.PAID, paid_at__gte=first, paid_at__lt=until)
    for topup in topups.order_by("pk"):
        if topup.payment_intent not in charged:
            numbers = {"provider": 0, "credit": topup.amount}
            yield Finding(Name.CARD_CREDIT_UNKNOWN, f"top-up {topup.pk}", numbers, topup.paid_at)
    for payment in _paid().filter(ended_at__gte=first, ended_at__lt=until).order_by("pk"):
        if payment.reference not in charged:
            numbers = {"provider": 0, "credit": payment.amount}
            yield Finding(Name.CARD_CREDIT_UNKNOWN, f"payment {payment.pk}", numbers, payment.ended_at)


def _find_credits(movements: Iterable[Movement]) -> dict[str, Credit]:
    """What was credited for the payments of these movements, by the provider's name for them."""
    named = {one.payment for one in movements if one.payment}
    credits: dict[str, Credit] = {one.reference: one for one in _paid().filter(reference__in=named)}
    for topup in TopUp.objects.filter(state=TopUp.State.PAID, payment_intent__in=named):
        credits[str(topup.payment_intent)] = topup
    return credits


def _find_first() -> datetime | None:
    """When the first credit by card was made."""
    moments = (
        TopUp.objects.filter(state=TopUp.State.PAID).aggregate(first=Min("paid_at"))["first"],
        _paid().aggregate(first=Min("ended_at"))["first"],
    )
    return min((moment for moment in moments if moment is not None), default=None)


def _paid() -> QuerySet[Payment]:
    return Payment.objects.filter(method="stripe", state=Payment.State.PAID, is_sandbox=False)


def _by_payment(movements: Iterable[Movement]) -> dict[str, list[Movement]]:
    found: dict[str, list[Movement]] = defaultdict(list)
    for one in movements:
        found[one.payment or one.name].append(one)
    return found
