"""Days of the books that are over are added up once, and told as if they were counted."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from billing import accounts, finance, ledger
from billing.models import DaySum, LedgerEntry

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def trade(day: int) -> None:
    """An account that pays in, and buys twice, once by a hold that stays open."""
    now = NOON + timedelta(days=day)
    account = accounts.open_account(name=f"Acme {day}", now=now)
    ledger.deposit(account_id=account.pk, amount=10_000 + day, idempotency_key="d", source="card", now=now)
    ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=now)
    until = now + timedelta(days=9)
    ledger.hold(account_id=account.pk, amount=100, idempotency_key="h", reference="", expires_at=until, now=now)


class TestDaysThatAreOver:
    def test_show_what_was_counted(self) -> None:
        for day in range(4):
            trade(day)
        today = (NOON + timedelta(days=3)).date()
        counted, two = finance.list_days(until=today), finance.list_days(until=today, days=2)
        assert finance.keep_days(now=NOON + timedelta(days=3)) > 0
        assert set(DaySum.objects.values_list("day", flat=True)) == {
            (NOON + timedelta(days=n)).date() for n in range(3)
        }
        assert finance.list_days(until=today) == counted
        assert finance.list_days(until=today, days=2) == two
        assert finance.list_revenue(until=today, days=2) == [one.revenue for one in two]
        trade(3)  # and what comes today still counts
        assert finance.list_days(until=today)[-1].revenue == counted[-1].revenue + 314

    @pytest.mark.parametrize("number", range(1, 5))
    def test_count_once_for_who_reads_while_they_are_added_up(self, number: int) -> None:
        """Just before the so many-th look at what was added up."""
        for day in range(4):
            trade(day)
        finance.keep_days(now=NOON + timedelta(days=1))
        today = NOON + timedelta(days=3)
        counted, looks = finance.list_days(until=today.date(), days=2), itertools.count(1)

        def look(execute: Any, sql: str, *more: Any) -> Any:
            if sql.startswith("SELECT") and "billing_daysum" in sql and next(looks) == number:
                finance.keep_days(now=today)
            return execute(sql, *more)

        with connection.execute_wrapper(look):
            assert finance.list_days(until=today.date(), days=2) == counted
        assert DaySum.objects.filter(day=(today - timedelta(days=1)).date()).exists()

    def test_are_not_read_again(self) -> None:
        trade(0)
        later = NOON + timedelta(days=40)
        finance.keep_days(now=later)
        assert finance.keep_days(now=later) == 0
        kept = finance.list_days(until=later.date(), days=2)
        assert kept[0].outstanding == sum(
            entry.available_change + entry.held_change for entry in LedgerEntry.objects.all()
        )

    def test_wait_until_nothing_is_written_on_them_any_more(self) -> None:
        trade(0)
        midnight = datetime(2026, 11, 21, tzinfo=UTC)
        assert finance.keep_days(now=midnight + timedelta(minutes=59)) == 0
        assert finance.keep_days(now=midnight + timedelta(minutes=61)) > 0

    def test_are_counted_anew_where_a_clock_that_ran_ahead_took_them_for_over(self) -> None:
        """What came after that on such a day was in no sum any more, of that day and of what stood ever after."""
        trade(0)
        ahead = NOON + timedelta(days=2)
        finance.keep_days(now=ahead)
        trade(0)
        stands = sum(entry.available_change + entry.held_change for entry in LedgerEntry.objects.all())
        for now in (NOON + timedelta(hours=1), ahead):  # the clock was set right; and the day is over
            finance.keep_days(now=now)
            first, *_, last = finance.list_days(until=ahead.date(), days=3)
            assert (first.revenue, first.outstanding, last.outstanding) == (2 * 314, stands, stands)
        assert set(DaySum.objects.values_list("day", flat=True)) == {NOON.date()}
