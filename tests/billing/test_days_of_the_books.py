"""Days of the books that are over are added up once, and told as if they were counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

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
