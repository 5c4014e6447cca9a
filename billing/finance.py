"""The business by day: what came in, what was given, earned and taken back, and what customers have with us."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, Min, QuerySet, Sum
from django.db.models.functions import TruncDate

from billing.accounting import chart
from billing.accounting.chart import BookAccount, Posting
from billing.models import DaySum, LedgerEntry

Kind = LedgerEntry.Kind
SETTLES = timedelta(hours=1)  # after a day is over nothing is written any more that happened on it
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
    available, held = _stood_before(first)
    rows = _group(_list_sums(first, until))
    result = []
    for day in (first + timedelta(days=number) for number in range(days)):
        available += sum(row["available"] for row in rows[day])
        held += sum(row["held"] for row in rows[day])
        result.append(_day(day, rows[day], outstanding=available + held, held=held))
    return result


def list_revenue(*, until: date, days: int) -> list[int]:
    """The revenue of the `days` days that end with `until`, oldest first, without reading what was before them."""
    first = until - timedelta(days=days - 1)
    rows = _group(_list_sums(first, until))
    all_ = (first + timedelta(days=number) for number in range(days))
    return [_day(day, rows[day], outstanding=0, held=0).revenue for day in all_]


def keep_days(*, now: datetime) -> int:
    """Add up the days that are over, once; return how many sums were written. Readers count what is not kept yet."""
    last = (now - SETTLES).date() - timedelta(days=1)
    DaySum.objects.filter(day__gt=last).delete()  # a clock that ran ahead took them for over
    kept = _kept_until()
    oldest = LedgerEntry.objects.aggregate(first=Min("created_at"))["first"]
    if oldest is None:
        return 0
    day, written = (kept + timedelta(days=1) if kept else oldest.astimezone(UTC).date()), 0
    while day <= last:
        with transaction.atomic():
            sums = [DaySum(**row) for row in _count(day, day)]
            written += len(DaySum.objects.bulk_create(sums, ignore_conflicts=True))
        day += timedelta(days=1)
    return written


def _kept_until() -> date | None:
    last: date | None = DaySum.objects.aggregate(last=Max("day"))["last"]
    return last


def _list_kept(until: date | None) -> QuerySet[DaySum]:
    """What was added up until that day: a day that is added up meanwhile is counted, and not left out or read twice."""
    return DaySum.objects.none() if until is None else DaySum.objects.filter(day__lte=until)


def _stood_before(first: date) -> tuple[int, int]:
    """What was available and held when this day began."""
    sums = {"available": Sum("available", default=0), "held": Sum("held", default=0)}
    until = _kept_until()
    kept = _list_kept(until).filter(day__lt=first).aggregate(**sums)
    if until is not None and until >= first - timedelta(days=1):
        return kept["available"], kept["held"]
    since = midnight(until + timedelta(days=1)) if until else None
    changes = {"available": Sum("available_change", default=0), "held": Sum("held_change", default=0)}
    later = chart.list_entries(since=since, until=midnight(first)).aggregate(**changes)
    return kept["available"] + later["available"], kept["held"] + later["held"]


def _list_sums(first: date, last: date) -> list[dict[str, Any]]:
    """The days' sums by what decides where entries are posted: as they were kept, and counted where they were not."""
    until = _kept_until()
    kept = list(_list_kept(until).filter(day__gte=first, day__lte=last).values())
    since = first if until is None else max(first, until + timedelta(days=1))
    return [*kept, *(_count(since, last) if since <= last else ())]


def _count(first: date, last: date) -> list[dict[str, Any]]:
    entries = chart.list_entries(since=midnight(first), until=midnight(last + timedelta(days=1)))
    by_day = chart.group(entries.annotate(day=TruncDate("created_at", tzinfo=UTC)), "day")
    changes = {"available": Sum("available_change", default=0), "held": Sum("held_change", default=0)}
    return list(by_day.annotate(**changes))


def _group(sums: list[dict[str, Any]]) -> defaultdict[date, list[dict[str, Any]]]:
    by_day: defaultdict[date, list[dict[str, Any]]] = defaultdict(list)
    for row in sums:
        by_day[row["day"]].append(row)
    return by_day


def _post(rows: list[dict[str, Any]]) -> list[Posting | None]:
    return [
        chart.post(row["kind"], row["source"], row["reason"], amount)
        for row in rows
        for amount in (row["up"], row["down"])
    ]


def _day(day: date, rows: list[dict[str, Any]], *, outstanding: int, held: int) -> Day:
    of = {account: sums.balance for account, sums in chart.add_up(_post(rows)).items()}
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


def midnight(day: date) -> datetime:
    """When a day begins (UTC)."""
    return datetime.combine(day, time.min, tzinfo=UTC)
