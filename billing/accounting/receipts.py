"""Numbered receipts for what was paid in, and invoice numbers for what was granted against an invoice."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from billing import accounts
from billing.accounting import chart
from billing.models import Account, LedgerEntry, Payment, Receipt, TopUp
from billing.reversals import CARD

TRIES = 20


class NoReceipt(ValueError):
    """Nothing was paid by this entry."""


def find(entry: LedgerEntry) -> Receipt | None:
    """The receipt that a deposit has; None before it is numbered. Raises NoReceipt."""
    _kind_of(entry)
    return Receipt.objects.filter(entry=entry).first()


def can_have(entry: LedgerEntry) -> bool:
    """Whether something was paid by this entry, or granted against an invoice."""
    try:
        _kind_of(entry)
    except NoReceipt:
        return False
    return True


def list_paid(account_id: int) -> QuerySet[LedgerEntry]:
    """What an account paid in or was granted against an invoice, newest first: what has a receipt, or can have one."""
    paid = LedgerEntry.objects.filter(account_id=account_id, kind=LedgerEntry.Kind.DEPOSIT, amount__gt=0)
    given = Q(source=chart.STAFF) & ~Q(reason=chart.INVOICE)
    return paid.exclude(given).select_related("receipt").order_by("-id")


def sum_given_back(entries: Iterable[LedgerEntry]) -> dict[int, int]:
    """Units of what went back to the payers of these since, by a refund or a dispute, by the id of the entry."""
    paid = {(one.account_id, one.source, one.reference): one.pk for one in entries if one.reference}
    names = [name for _, _, name in paid]
    cards = TopUp.objects.filter(payment_intent__in=names).annotate(source=Value(CARD))
    by_request = Account.objects.filter(role=accounts.PAY_PER_REQUEST).values("pk")  # of a payment that names none
    others = Payment.objects.filter(reference__in=names).annotate(paid_to=Coalesce("account", by_request))
    back = [
        *cards.values_list("account", "source", "payment_intent", "taken_back"),
        *others.values_list("paid_to", "method", "reference", "taken_back"),
    ]
    return {paid[of]: units for *by, units in back if units and (of := tuple(by)) in paid}


def issue(entry: LedgerEntry, *, now: datetime) -> Receipt:
    """The receipt of a deposit, numbered when it is asked for first. Raises NoReceipt."""
    kind = _kind_of(entry)
    for _ in range(TRIES):
        known = Receipt.objects.filter(entry=entry).first()
        if known is not None:
            return known
        last = Receipt.objects.filter(kind=kind).aggregate(last=Max("number"))["last"] or 0
        try:
            with transaction.atomic():
                return Receipt.objects.create(kind=kind, number=last + 1, entry=entry, issued_at=now)
        except IntegrityError:
            continue  # somebody took this number, or numbered this entry, at the same moment
    raise RuntimeError("No number could be taken.")


def _kind_of(entry: LedgerEntry) -> Receipt.Kind:
    posting = chart.post(entry.kind, entry.source, entry.reason, entry.amount)
    if posting is None or posting.debit not in (chart.BookAccount.CASH, chart.BookAccount.RECEIVABLE):
        raise NoReceipt("Only what was paid in, or granted against an invoice, has a receipt.")
    return Receipt.Kind.RECEIPT if posting.debit is chart.BookAccount.CASH else Receipt.Kind.INVOICE
