"""The business by day: what came in, what was spent, what customers still have with us, what is held."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, Sum
from django.db.models.functions import TruncDate

from billing.models import LedgerEntry

Kind = LedgerEntry.Kind
_PAID_IN = Q(kind=Kind.DEPOSIT)
_GIVEN = Q(kind=Kind.FREE_GRANT)
_ADJUSTED = Q(kind=Kind.ADJUST)


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC), in units of 1/10,000 USD; `outstanding` and `held` are what stood at its end."""

    day: date
    deposits: int
    grants: int
    adjustments: int
    spend: int
    outstanding: int
    held: int


def list_days(*, until: date, days: int = 30) -> list[Day]:
    """Return the `days` days that end with `until`, oldest first, days without any movement included."""
    first = until - timedelta(days=days - 1)
    start, end = _midnight(first), _midnight(until + timedelta(days=1))
    before = LedgerEntry.objects.filter(created_at__lt=start).aggregate(
        available=Sum("available_change", default=0), held=Sum("held_change", default=0)
    )
    moved = {
        row["day"]: row
        for row in LedgerEntry.objects.filter(created_at__gte=start, created_at__lt=end)
        .annotate(day=TruncDate("created_at", tzinfo=UTC))
        .order_by()
        .values("day")
        .annotate(
            deposits=Sum("amount", filter=_PAID_IN, default=0),
            grants=Sum("amount", filter=_GIVEN, default=0),
            adjustments=Sum("amount", filter=_ADJUSTED, default=0),
            spend=Sum("spent_change", default=0),
            available=Sum("available_change", default=0),
            held=Sum("held_change", default=0),
        )
    }
    available, held = before["available"], before["held"]
    result = []
    for day in (first + timedelta(days=number) for number in range(days)):
        row: dict[str, Any] = dict(moved.get(day, {}))
        available += row.get("available", 0)
        held += row.get("held", 0)
        sums: dict[str, int] = {name: row.get(name, 0) for name in ("deposits", "grants", "adjustments", "spend")}
        result.append(Day(day=day, **sums, outstanding=available + held, held=held))
    return result


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
