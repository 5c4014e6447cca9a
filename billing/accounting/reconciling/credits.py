"""The ledger beside our own rows: what came in as credit, and what was paid for with the request.

A payment and its entry are written in one transaction and never undone. So whatever is read first is there when its
other half is read after it: payments before their entries, entries before their payments. What is being booked in
between is no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, QuerySet, Subquery, Sum

from billing.accounting.reconciling.findings import Finding, in_batches
from billing.accounts import PAY_PER_REQUEST
from billing.models import Account, Difference, LedgerEntry, Payment, TopUp
from billing.reversals import CARD

Name, Kind = Difference.Name, LedgerEntry.Kind
NAMES = (
    Name.TOPUP_NOT_BOOKED,
    Name.PAYMENT_NOT_BOOKED,
    Name.PAYMENT_NOT_CHARGED,
    Name.DEPOSIT_WITHOUT_PAYMENT,
    Name.DEPOSIT_TWICE,
    Name.DEPOSIT_DIFFERS,
    Name.GRANT_WITHOUT_OPERATOR,
    Name.FREE_GRANT_TWICE,
    Name.REFUND_WITHOUT_CHARGE,
)
STAFF = "staff"
KEY = re.compile(r"(topup|payment):(\d{1,18})\b")
Credit = TopUp | Payment


def compare(since: datetime | None) -> Iterator[Finding]:
    """Find what differs among the rows that were made since then; None: among all."""
    yield from _list_unbooked_topups(since)
    yield from _list_unbooked_payments(since)
    yield from _list_unpaid_deposits(since)
    yield from _list_grants(since)
    yield from _list_refunds(since)


def _list_unbooked_topups(since: datetime | None) -> Iterator[Finding]:
    topups = TopUp.objects.filter(state=TopUp.State.PAID, **_from("paid_at", since)).order_by("pk")
    for batch in in_batches(topups.iterator()):
        entries = _find_entries({(topup.account_id, f"topup:{topup.pk}") for topup in batch})
        for topup in batch:
            if (topup.account_id, f"topup:{topup.pk}") not in entries:
                numbers = {"topup": topup.amount, "ledger": 0, "account": topup.account_id}
                yield Finding(Name.TOPUP_NOT_BOOKED, f"top-up {topup.pk}", numbers, topup.paid_at)


def _list_unbooked_payments(since: datetime | None) -> Iterator[Finding]:
    paid = Payment.objects.filter(state=Payment.State.PAID, is_sandbox=False).order_by("pk")
    if since is not None:
        paid = paid.filter(Q(ended_at__gte=since) | Q(delivered_at__gte=since))
    for batch in in_batches(paid.iterator()):
        common = Account.objects.filter(role=PAY_PER_REQUEST).values_list("pk", flat=True).first() or 0
        wanted = {(payment.account_id or common, f"payment:{payment.pk}") for payment in batch}
        sold = {(common, f"payment:{payment.pk}:lookup") for payment in batch if payment.delivered_at}
        entries = _find_entries(wanted | sold)
        for payment in batch:
            booked = entries.get((payment.account_id or common, f"payment:{payment.pk}"))
            sale = entries.get((common, f"payment:{payment.pk}:lookup"))
            numbers = {"payment": payment.amount, "ledger": booked.amount if booked else 0}
            if booked is None:
                yield Finding(Name.PAYMENT_NOT_BOOKED, f"payment {payment.pk}", numbers, payment.ended_at)
            charged = sale.amount if sale and sale.kind == Kind.CHARGE else 0
            if payment.delivered_at and payment.purpose == Payment.Purpose.LOOKUP and charged != payment.amount:
                numbers = {"payment": payment.amount, "ledger": charged}
                yield Finding(Name.PAYMENT_NOT_CHARGED, f"payment {payment.pk}", numbers, payment.delivered_at)


def _list_unpaid_deposits(since: datetime | None) -> Iterator[Finding]:
    deposits = LedgerEntry.objects.filter(kind=Kind.DEPOSIT, **_from("created_at", since)).exclude(source=STAFF)
    for batch in in_batches(deposits.select_related("account").order_by("pk").iterator()):
        credits = _find_credits(batch)
        for entry in batch:
            credit = next((found for key in _keys(entry) if (found := credits.get(key))), None)
            name = _judge(entry, credit)
            if name is not None:
                numbers = {"ledger": entry.amount, "paid": credit.amount if credit else 0, "account": entry.account_id}
                yield Finding(name, f"entry {entry.pk} ({entry.source}, {entry.reference})", numbers, entry.created_at)


def _judge(entry: LedgerEntry, credit: Credit | None) -> Difference.Name | None:
    """What is the matter with a deposit, beside the payment that it names by its key, else by its reference."""
    if credit is None:
        return Name.DEPOSIT_WITHOUT_PAYMENT
    if isinstance(credit, TopUp):
        key, source = f"topup:{credit.pk}", CARD
        is_theirs = entry.account_id == credit.account_id
    else:
        key, source = f"payment:{credit.pk}", credit.method
        is_theirs = entry.account_id == credit.account_id or (
            credit.account_id is None and entry.account.role == PAY_PER_REQUEST
        )
    if entry.idempotency_key != key or not is_theirs:
        return Name.DEPOSIT_TWICE
    if entry.source != source:
        return Name.DEPOSIT_WITHOUT_PAYMENT
    return Name.DEPOSIT_DIFFERS if entry.amount != credit.amount else None


def _keys(entry: LedgerEntry) -> Iterator[tuple[str, object]]:
    """By what a deposit names its payment: the number in its key, or the provider's name for it."""
    if found := KEY.match(entry.idempotency_key):
        yield found[1], int(found[2])
    if entry.reference:
        yield ("topup" if entry.source == CARD else "payment"), entry.reference


def _find_credits(entries: list[LedgerEntry]) -> dict[tuple[str, object], Credit]:
    """The paid top-ups and payments that these entries name, by number and by the provider's name."""
    named: dict[str, list[Any]] = {"topup": [], "payment": []}
    for entry in entries:
        for kind, word in _keys(entry):
            named[kind].append(word)
    numbers = {kind: [word for word in words if isinstance(word, int)] for kind, words in named.items()}
    words = {kind: [word for word in words if isinstance(word, str)] for kind, words in named.items()}
    by_intent = Q(payment_intent__in=words["topup"]) | Q(session_id__in=words["topup"])
    credits: dict[tuple[str, object], Credit] = {}
    for topup in TopUp.objects.filter(Q(pk__in=numbers["topup"]) | by_intent, state=TopUp.State.PAID):
        for word in (topup.pk, topup.payment_intent, topup.session_id):
            credits["topup", word] = topup
    paid = Payment.objects.filter(state=Payment.State.PAID, is_sandbox=False)
    for payment in paid.filter(Q(pk__in=numbers["payment"]) | Q(reference__in=words["payment"])):
        for word in (payment.pk, payment.reference):
            credits["payment", word] = payment
    return credits


def _list_grants(since: datetime | None) -> Iterator[Finding]:
    entries = LedgerEntry.objects.filter(**_from("created_at", since))
    by_staff = entries.filter(Q(kind=Kind.DEPOSIT, source=STAFF) | Q(kind=Kind.ADJUST), operator="")
    for entry in by_staff.order_by("pk"):
        numbers = {"ledger": entry.amount, "account": entry.account_id}
        yield Finding(Name.GRANT_WITHOUT_OPERATOR, f"entry {entry.pk}", numbers, entry.created_at)
    free = LedgerEntry.objects.filter(kind=Kind.FREE_GRANT).order_by().values("account")
    for row in free.annotate(grants=Count("pk"), total=Sum("amount")).filter(grants__gt=1).order_by("account"):
        numbers = {"grants": row["grants"], "ledger": row["total"]}
        yield Finding(Name.FREE_GRANT_TWICE, f"account {row['account']}", numbers)


def _list_refunds(since: datetime | None) -> Iterator[Finding]:
    """A refund beside its charge and all other refunds of that, in one statement."""
    of_the_same = LedgerEntry.objects.filter(refunds=OuterRef("refunds")).order_by().values("refunds")
    total = Subquery(of_the_same.annotate(total=Sum("amount")).values("total"), output_field=BigIntegerField())
    refunds = LedgerEntry.objects.filter(kind=Kind.REFUND, **_from("created_at", since)).annotate(total=total)
    wrong: QuerySet[LedgerEntry] = refunds.filter(
        Q(refunds=None)
        | ~Q(refunds__account=F("account"))
        | ~Q(refunds__kind__in=[Kind.CAPTURE, Kind.CHARGE])
        | Q(total__gt=F("refunds__amount"))
    )
    for entry in wrong.select_related("refunds").order_by("pk"):
        numbers = {"ledger": entry.amount, "charged": entry.refunds.amount if entry.refunds else 0}
        yield Finding(Name.REFUND_WITHOUT_CHARGE, f"entry {entry.pk}", numbers, entry.created_at)


def _find_entries(keys: set[tuple[int, str]]) -> dict[tuple[int, str], LedgerEntry]:
    """The entries of these accounts and idempotency keys."""
    found = LedgerEntry.objects.filter(
        account__in={account for account, _ in keys}, idempotency_key__in={key for _, key in keys}
    )
    return {(entry.account_id, entry.idempotency_key): entry for entry in found}


def _from(column: str, since: datetime | None) -> dict[str, Any]:
    return {} if since is None else {f"{column}__gte": since}
