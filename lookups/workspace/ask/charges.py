"""The line of the statement that one lookup was paid by, for its page, and what of it was given back."""

from __future__ import annotations

from django.db.models import Sum

from billing.models import LedgerEntry
from lookups.models import Lookup

PAID = (LedgerEntry.Kind.CAPTURE, LedgerEntry.Kind.CHARGE)


def find_charge(lookup: Lookup) -> LedgerEntry | None:
    """What was taken for it from the account's balance; None where nothing was."""
    if not lookup.cost or lookup.account_id is None:
        return None
    own = {f"lookup:{lookup.ask_id}{part}" for part in (":taken", ":charge")}
    paid = LedgerEntry.objects.filter(account_id=lookup.account_id, kind__in=PAID)
    named = paid.filter(idempotency_key__in=own).first()
    if named is not None or lookup.hold_id is None or lookup.bulk_id is not None:
        return named
    return paid.filter(idempotency_key=f"hold:{lookup.hold_id}:capture").first()


def count_given_back(charge: LedgerEntry | None) -> int:
    """How much of it was refunded since, in 1/10,000 USD."""
    given = LedgerEntry.objects.filter(refunds=charge) if charge is not None else LedgerEntry.objects.none()
    return given.aggregate(total=Sum("amount"))["total"] or 0
