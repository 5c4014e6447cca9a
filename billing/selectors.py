"""Reading what is owed: balances, keys, alerts. Nothing here changes anything."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from billing.models import Account, ApiKey, Payment, Reconciliation


@dataclass(frozen=True, slots=True)
class Balance:
    """An account's sums, in units of 1/10,000 USD; `available + held + spent == deposited`."""

    available: int
    held: int
    spent: int
    deposited: int


def get_account(account_id: int) -> Account:
    """Return the account; raise Account.DoesNotExist when there is none."""
    return Account.objects.get(pk=account_id)


def get_balance(account_id: int) -> Balance:
    """Return the account's sums in one query; raise Account.DoesNotExist when there is none."""
    row = Account.objects.values_list("available", "held", "spent", "deposited").get(pk=account_id)
    return Balance(*row)


def list_keys(account_id: int) -> QuerySet[ApiKey]:
    """Return the account's keys, newest first, revoked ones included."""
    return ApiKey.objects.filter(account_id=account_id).order_by("-id")


def find_alert() -> Reconciliation | None:
    """Return the latest reconciliation when it found something that does not add up, else None."""
    latest = Reconciliation.objects.order_by("-id").first()
    return latest if latest is not None and latest.mismatches else None


def count_unknown_payments() -> int:
    """Return how many payments may or may not have moved money: a person or the sweep has to find out."""
    return Payment.objects.filter(state=Payment.State.UNKNOWN).count()
