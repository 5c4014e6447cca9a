"""The line of the statement that one lookup was paid by, for its page."""

from __future__ import annotations

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
