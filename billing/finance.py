"""The business by day: what came in, what was given, earned and taken back, and what customers have with us."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet, Sum
from django.db.models.functions import TruncDate

from billing.accounting import chart
from billing.accounting.chart import BookAccount, Posting
from billing.models import LedgerEntry

Kind = LedgerEntry.Kind
REVENUE = (Kind.CAPTURE, Kind.CHARGE, Kind.REFUND)  # what `BookAccount.REVENUE` and `CREDIT_REFUNDS` are made of


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC), in units of 1/10,000 USD; `outstanding` and `held` are what stood at its end.

    `paid_in` is what payers paid; `gone` is what went back to them, by refund or dispute, less what came again.
    """

    day: date
    paid_in: int = 0
    gone: int = 0
    invoiced: int = 0
    gifts: int = 0
    corrections: int = 0
    revenue: int = 0
    outstanding: int = 0
    held: int = 0


def list_days(*, until: date, days: int = 30) -> list[Day]:
    """Return the `days` days that end with `until`, oldest first, days without any movement included."""
    first = until - timedelta(days=days - 1)
    start, end = _midnight(first), _midnight(until + timedelta(days=1))
    sums = {"available": Sum("available_change", default=0), "held": Sum("held_change", default=0)}
    before = chart.list_entries(until=start).aggregate(**sums)
    by_day = chart.list_entries(since=start, until=end).annotate(day=TruncDate("created_at", tzinfo=UTC))
    stood: dict[date, Any] = {row["day"]: row for row in by_day.order_by().values("day").annotate(**sums)}
    moved = _group(by_day)
    available, held = before["available"], before["held"]
    result = []
    for day in (first + timedelta(days=number) for number in range(days)):
        row = stood.get(day, {"available": 0, "held": 0})
        available, held = available + row["available"], held + row["held"]
        result.append(_day(day, moved[day], outstanding=available + held, held=held))
    return result


def list_revenue(*, until: date, days: int) -> list[int]:
    """The revenue of the `days` days that end with `until`, oldest first, without reading what was before them."""
    first = until - timedelta(days=days - 1)
    entries = chart.list_entries(since=_midnight(first), until=_midnight(until + timedelta(days=1)))
    earning = entries.filter(kind__in=REVENUE).annotate(day=TruncDate("created_at", tzinfo=UTC))
    moved = _group(earning)
    all_ = (first + timedelta(days=number) for number in range(days))
    return [_day(day, moved[day], outstanding=0, held=0).revenue for day in all_]


def _group(by_day: QuerySet[LedgerEntry]) -> defaultdict[date, list[Posting | None]]:
    moved: defaultdict[date, list[Posting | None]] = defaultdict(list)
    for row in chart.group(by_day, "day"):
        for amount in (row["up"], row["down"]):
            moved[row["day"]].append(chart.post(row["kind"], row["source"], row["reason"], amount))
    return moved


def _day(day: date, postings: list[Posting | None], *, outstanding: int, held: int) -> Day:
    of = {account: sums.balance for account, sums in chart.add_up(postings).items()}
    return Day(
        day=day,
        paid_in=of[BookAccount.CASH],
        gone=-of[BookAccount.PAYER_REFUNDS] - of[BookAccount.CHARGEBACKS],
        invoiced=of[BookAccount.RECEIVABLE],
        gifts=of[BookAccount.GIFTS],
        corrections=of[BookAccount.CORRECTIONS],
        revenue=-of[BookAccount.REVENUE] - of[BookAccount.CREDIT_REFUNDS],
        outstanding=outstanding,
        held=held,
    )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
