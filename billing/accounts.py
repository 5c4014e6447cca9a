"""Opens accounts, so that every one of them starts with its free lookups through the ledger."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from billing import ledger, prices
from billing.models import Account

PAY_PER_REQUEST = "pay_per_request"
DEMO = "demo"
OLDEST_STORED = 365  # days, the most that an account may set
FREE_GRANT = "free-grant"  # as every account has one at most, by its idempotency key


def open_account(
    *, name: str, email: str = "", kind: str = "user", now: datetime, free_lookups: bool = True
) -> Account:
    """Create an account of `kind` "user" or "internal"; a user's starts with the free lookups as its first entry.

    Without `free_lookups` it starts with nothing.
    """
    with transaction.atomic():
        account = Account.objects.create(name=name, email=email, kind=Account.Kind(kind), created_at=now)
        grant = prices.free_grant() if free_lookups else 0
        if grant and not account.is_internal:
            ledger.deposit(
                account_id=account.pk, amount=grant, idempotency_key=FREE_GRANT, source=ledger.FREE_GRANT, now=now
            )
            account.refresh_from_db()
    return account


def pay_per_request_account(*, now: datetime) -> Account:
    """Return the account that lookups paid by request are booked on; made when the first one is."""
    account, _ = Account.objects.get_or_create(
        role=PAY_PER_REQUEST, defaults={"name": "Pay per request", "created_at": now}
    )
    return account


def demo_account(*, now: datetime) -> Account:
    """Return the account of what people try on the first page, which is never charged; made for the first of it."""
    account, _ = Account.objects.get_or_create(
        role=DEMO, defaults={"name": "Search box of the first page", "kind": Account.Kind.INTERNAL, "created_at": now}
    )
    return account
