"""What was taken back, in its three places: the refunds and disputes, the payment's row, and the ledger.

They are few, so all are compared every time; each payment in one statement, as they are changed in one transaction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, CharField, Exists, F, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat, Greatest

from billing.accounting.reconciling.findings import Finding
from billing.accounts import PAY_PER_REQUEST
from billing.models import Account, Difference, LedgerEntry, Reversal, TopUp
from billing.reversals import list_returnable

Name = Difference.Name
NAMES = (Name.REVERSAL_WITHOUT_PAYMENT, Name.REVERSAL_DIFFERS)
KEY = re.compile(r"reversal:(topup|payment):(\d{1,18}):\d+")
COMMON = Account.objects.filter(role=PAY_PER_REQUEST).values("pk")
OF_PAYMENT = Coalesce(F("account"), Subquery(COMMON[:1]))  # a lookup paid by request is booked on one common account
SETTLED_WITHIN = timedelta(hours=1)  # what was heard of at the very moment of its payment waits for the sweep


def compare(now: datetime) -> Iterator[Finding]:
    """Find the payments whose three sums differ, and what was taken back of none."""
    entries = list(LedgerEntry.objects.filter(kind=LedgerEntry.Kind.REVERSAL).order_by("pk"))
    named = {"topup": set[int](), "payment": set[int]()}
    for entry in entries:
        if found := KEY.fullmatch(entry.idempotency_key):
            named[found[1]].add(int(found[2]))
    # Only what is paid: nothing is taken back of anything else
    topups = TopUp.objects.filter(state=TopUp.State.PAID)
    payments = list_returnable().annotate(owner=OF_PAYMENT)
    topups = topups.annotate(owner=F("account"))
    for word, credits, reference in (("topup", topups, "payment_intent"), ("payment", payments, "reference")):
        yield from _compare_sums(word, credits, reference, named[word], now)
    owners = {("topup", *pair) for pair in topups.filter(pk__in=named["topup"]).values_list("pk", "owner")}
    paid = payments.filter(pk__in=named["payment"]).values_list("pk", "owner")
    owners |= {("payment", *pair) for pair in paid}
    for entry in entries:
        found = KEY.fullmatch(entry.idempotency_key)
        if found is None or (found[1], int(found[2]), entry.account_id) not in owners:
            numbers = {"ledger": entry.amount, "account": entry.account_id}
            yield Finding(Name.REVERSAL_WITHOUT_PAYMENT, f"entry {entry.pk}", numbers)


def _compare_sums(word: str, credits: Any, reference: str, named: set[int], now: datetime) -> Iterator[Finding]:
    """Yield the top-ups ("topup") or payments whose row, facts and entries do not say the same."""
    prefix = Concat(Value(f"reversal:{word}:"), Cast(OuterRef("pk"), CharField()), Value(":"))
    entries = LedgerEntry.objects.filter(
        account=OuterRef("owner"), kind=LedgerEntry.Kind.REVERSAL, idempotency_key__startswith=prefix
    )
    facts = Reversal.objects.filter(payment_reference=OuterRef(reference))
    gone = facts.filter(withdrawn=True, reinstated=False)
    refunds, others = gone.filter(kind=Reversal.Kind.REFUND), gone.exclude(kind=Reversal.Kind.REFUND)
    whole, single = refunds.filter(name=OuterRef(reference)), refunds.exclude(name=OuterRef(reference))
    failed = facts.filter(kind=Reversal.Kind.REFUND, reinstated=True)
    by = "payment_reference"
    rows = credits.filter(Q(pk__in=named) | ~Q(taken_back=0) | Exists(facts)).annotate(
        booked=_sum(entries, "account"),
        refunded=Greatest(_sum(whole, by) - _sum(failed, by), _sum(single, by), output_field=BigIntegerField()),
        gone=F("refunded") + _sum(others, by),  # as `reversals.sum_gone` has it
        waits=Exists(facts.filter(is_settled=False, heard_at__gt=now - SETTLED_WITHIN)),
        named_as=F(reference),
    )
    for row in rows.order_by("pk").values("pk", "amount", "taken_back", "booked", "gone", "waits", "named_as"):
        facts_say = min(row["amount"], row["gone"])
        if row["taken_back"] == -row["booked"] and (row["waits"] or facts_say == row["taken_back"]):
            continue
        numbers = {"heard": facts_say, "row": row["taken_back"], "ledger": -row["booked"]}
        yield Finding(Name.REVERSAL_DIFFERS, f"{word} {row['pk']} ({row['named_as']})", numbers)


def _sum(rows: Any, by: str) -> Coalesce:
    total = rows.order_by().values(by).annotate(total=Sum("amount")).values("total")
    return Coalesce(Subquery(total, output_field=BigIntegerField()), Value(0))
