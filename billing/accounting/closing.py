"""Months that are closed: what the books came to, written down once, and compared ever after."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from billing import money
from billing.accounting import chart
from billing.models import LedgerEntry, MonthClose
from billing.statements import quote_formula, to_csv

AFTER = timedelta(hours=1)  # by then whatever was under way at midnight has its entry
COLUMNS = (
    "time",
    "entry",
    "customer",
    "kind",
    "debit",
    "credit",
    "amount_usd",
    "reference",
    "source",
    "reason",
    "operator",
)


class NotYet(ValueError):
    """The month has not ended, an earlier one with entries is not closed, or the books begin after it."""


def close(month: date, *, operator: str, now: datetime) -> MonthClose:
    """Write down what a month (any day of it) came to; a month that is closed is returned as it is. Raises NotYet."""
    first, end = bounds(month)
    known = MonthClose.objects.filter(month=first.date()).first()
    if known is not None:
        return known
    if now < end + AFTER:
        raise NotYet(f"{first:%Y-%m} can be closed from {end + AFTER:%Y-%m-%d %H:%M} UTC on.")
    if not chart.list_entries(until=end).exists():  # closed, it would stay among the others for ever
        name = first.date().isoformat()[:7]
        raise NotYet(f"The books have no entry until the end of {name}: there is nothing to close.")
    before = chart.list_entries(until=first).aggregate(last=Max("created_at"))["last"]
    if before is not None and not MonthClose.objects.filter(month=bounds(before.date())[0].date()).exists():
        raise NotYet(f"{before:%Y-%m} has entries and is not closed.")
    entries = chart.list_entries(since=first, until=end)
    try:
        with transaction.atomic():
            return MonthClose.objects.create(
                month=first.date(),
                entries=entries.count(),
                totals=_totals(entries),
                operator=operator,
                closed_at=now,
            )
    except IntegrityError:  # somebody else did at the same moment
        return MonthClose.objects.get(month=first.date())


def list_changed(since: datetime | None = None) -> list[MonthClose]:
    """The closed months that do not come to what was written down: entries came, went or were changed since.

    Of those that ended since then; None: of all.
    """
    changed = []
    for closed in MonthClose.objects.all():
        first, end = bounds(closed.month)
        if since is not None and end < since:
            continue
        entries = chart.list_entries(since=first, until=end)
        if (entries.count(), _totals(entries)) != (closed.entries, closed.totals):
            changed.append(closed)
    return changed


def write_journal(month: date) -> Iterator[str]:
    """The month's journal as CSV, a line an entry, amounts in dollars with four decimals; safe to open."""
    first, end = bounds(month)
    journal = chart.list_journal(chart.list_entries(since=first, until=end))
    return to_csv(chain([COLUMNS], (_cells(entry, posting) for entry, posting in journal)))


def _cells(entry: LedgerEntry, posting: chart.Posting) -> list[Any]:
    return [
        entry.created_at.isoformat(),
        entry.pk,
        entry.account_id,
        entry.kind,
        posting.debit,
        posting.credit,
        money.to_decimal_string(posting.amount),
        *map(quote_formula, (entry.reference, entry.source, entry.reason, entry.operator)),
    ]


def bounds(month: date) -> tuple[datetime, datetime]:
    """When the month of a day begins, and when the next one does (UTC)."""
    first = month.replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return datetime.combine(first, time(), UTC), datetime.combine(following, time(), UTC)


def _totals(entries: Any) -> dict[str, list[int]]:
    return {account.value: [sums.debit, sums.credit] for account, sums in chart.total(entries).items()}
