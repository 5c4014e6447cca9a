"""Monthly budgets of accounts and keys: how much a month (UTC) may cost before a person has to raise it.

Called by the ledger while the account's row is locked. What is held counts as used until it is given back.
A key and those that replace it have one budget: each of them has the whole count, written together.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.db.models import Case, F, Q, QuerySet, Sum, Value, When

from billing.models import Account, ApiKey, LedgerEntry

MOST = 1_000_000  # USD that people may type; an account's own budget stands on two pages


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
        less = Case(When(budget_used__gte=amount, then=F("budget_used") - amount), default=Value(0))
        if ApiKey.objects.filter(pk=key_id, budget_month=month).update(budget_used=less):
            _list_others(key_id).filter(budget_month=month).update(budget_used=less)


def list_same(key_id: int) -> list[int]:
    """Return the ids of a key, of those it replaced and of those that replaced it: they share one budget."""
    rotated = ApiKey.objects.filter(account__keys=key_id, replaces__isnull=False)
    before = dict(rotated.values_list("pk", "replaces_id"))
    after = {old: new for new, old in before.items()}
    same = [key_id]
    for step in (before, after):
        at = key_id
        while at in step:
            at = step[at]
            same.append(at)
    return same


def used_by_keys(*, key_ids: list[int], month: date) -> int:
    """Return the units these keys held or spent since the first of `month`, from the entries.

    What a hold of the month before gives back was counted there, as `give_back` has it.
    """
    start = datetime(month.year, month.month, 1, tzinfo=UTC)
    kinds = [LedgerEntry.Kind.HOLD, LedgerEntry.Kind.RELEASE, LedgerEntry.Kind.CHARGE]
    entries = LedgerEntry.objects.filter(key_id__in=key_ids, kind__in=kinds, created_at__gte=start)
    entries = entries.exclude(hold__created_at__lt=start)
    return max(0, -(entries.aggregate(total=Sum("available_change"))["total"] or 0))


def _take_from_key(*, key_id: int, amount: int, month: date) -> int | None:
    """Count against the key's budget in one conditional update; return None, or what is left when it does not fit."""
    used = Case(When(budget_month=month, then=F("budget_used")), default=Value(0))
    within = Q(monthly_budget__isnull=True) | Q(monthly_budget__gte=F("used_now") + amount)
    keys = ApiKey.objects.filter(pk=key_id).annotate(used_now=used)
    if keys.filter(within).update(budget_used=used + amount, budget_month=month):
        _list_others(key_id).update(budget_used=used + amount, budget_month=month)
        return None
    row = keys.values("monthly_budget", "used_now").get()
    return int(max(0, (row["monthly_budget"] or 0) - row["used_now"]))


def _list_others(key_id: int) -> QuerySet[ApiKey]:
    """The other keys of the same chain of rotations; the account's lock keeps their counts equal to its own."""
    return ApiKey.objects.filter(pk__in=list_same(key_id)).exclude(pk=key_id)
