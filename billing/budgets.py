"""Monthly budgets of accounts and keys: how much a month (UTC) may cost before a person has to raise it.

Called by the ledger while the account's row is locked. What is held counts as used until it is given back.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.db.models import Case, F, Q, Sum, Value, When

from billing.models import Account, ApiKey, LedgerEntry


def month_of(moment: datetime) -> date:
    """Return the first day of the month `moment` falls into, in UTC."""
    return moment.astimezone(UTC).date().replace(day=1)


def take(*, account: Account, key: ApiKey | None, amount: int, now: datetime) -> int | None:
    """Count `amount` units against the budgets; return None, or what is left of the one that would be exceeded.

    The account's count is changed on the object only (the ledger writes that row anyway), the key's in the
    database, and only for a key that has a budget: other keys cost no extra query.
    """
    month = month_of(now)
    used = account.budget_used if account.budget_month == month else 0
    if account.monthly_budget is not None and used + amount > account.monthly_budget:
        return max(0, account.monthly_budget - used)
    if key is not None and key.monthly_budget is not None:
        left = _take_from_key(key_id=key.pk, amount=amount, month=month)
        if left is not None:
            return left
    account.budget_month, account.budget_used = month, used + amount
    return None


def give_back(*, account: Account, key_id: int | None, amount: int, taken_at: datetime) -> None:
    """Undo the count of a hold that is released, when it was counted in the month still running."""
    month = month_of(taken_at)
    if account.budget_month == month:
        account.budget_used = max(0, account.budget_used - amount)
    if key_id is not None and amount:
        ApiKey.objects.filter(pk=key_id, budget_month=month).update(
            budget_used=Case(When(budget_used__gte=amount, then=F("budget_used") - amount), default=Value(0))
        )


def used_by_key(*, key_id: int, month: date) -> int:
    """Return the units a key held or spent since the first of `month`, from the entries."""
    start = datetime(month.year, month.month, 1, tzinfo=UTC)
    kinds = [LedgerEntry.Kind.HOLD, LedgerEntry.Kind.RELEASE, LedgerEntry.Kind.CHARGE]
    entries = LedgerEntry.objects.filter(key_id=key_id, kind__in=kinds, created_at__gte=start)
    return max(0, -(entries.aggregate(total=Sum("available_change"))["total"] or 0))


def _take_from_key(*, key_id: int, amount: int, month: date) -> int | None:
    """Count against the key's budget in one conditional update; return None, or what is left when it does not fit."""
    used = Case(When(budget_month=month, then=F("budget_used")), default=Value(0))
    within = Q(monthly_budget__isnull=True) | Q(monthly_budget__gte=F("used_now") + amount)
    keys = ApiKey.objects.filter(pk=key_id).annotate(used_now=used)
    if keys.filter(within).update(budget_used=used + amount, budget_month=month):
        return None
    row = keys.values("monthly_budget", "used_now").get()
    return int(max(0, (row["monthly_budget"] or 0) - row["used_now"]))
