"""Days that are over are counted once; today is counted on from where it was left, and says what all of it comes to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing import accounts
from lookups import selectors
from lookups.models import DayCount, Lookup
from lookups.operations import daily

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def ask(number: int, at: datetime, verdict: str | None = "found", **more: object) -> None:
    account = accounts.open_account(name="Acme", now=at)
    row = {"account": account, "state": "NY", "kind": "business_entity", "asked": "Acme", "verdict": verdict}
    row |= {"created_at": at, "ended_at": at if verdict else None}
    Lookup.objects.bulk_create(Lookup(**{**row, **more}) for _ in range(number))


class TestDaysThatAreOver:
    def test_show_what_was_counted(self) -> None:
        for day in range(3):
            ask(day + 1, NOON + timedelta(days=day))
            ask(1, NOON + timedelta(days=day), "unavailable")
            ask(2, NOON + timedelta(days=day), sandbox=True)
        today = NOON + timedelta(days=2)
        counted = daily.list_days(until=today.date(), days=5)
        assert daily.keep_days(now=today) == 2
        assert daily.list_days(until=today.date(), days=5) == counted
        ask(1, today)
        assert daily.list_days(until=today.date(), days=5)[-1].lookups == counted[-1].lookups + 1

    def test_wait_for_what_has_not_ended(self) -> None:
        for day, verdict in enumerate(("found", None, "found")):
            ask(1, NOON + timedelta(days=day), verdict)
        assert daily.keep_days(now=NOON + timedelta(days=9)) == 1
        Lookup.objects.open().update(verdict="not_found", ended_at=NOON)
        assert daily.keep_days(now=NOON + timedelta(days=9)) == 8
        assert DayCount.objects.count() == 9


class TestToday:
    def test_is_counted_on_from_where_it_was_left(self) -> None:
        """However much was asked before, the new rows are read; what was open counts once it ends."""
        ask(300, NOON)
        ask(1, NOON + timedelta(minutes=5), None)
        now = NOON + timedelta(hours=1)
        assert selectors.get_day(now=now).lookups == 301
        Lookup.objects.open().update(verdict="found", source="stored", ended_at=now)
        ask(2, now - timedelta(seconds=1), source="stored")
        with CaptureQueriesContext(connection) as asked:
            day = selectors.get_day(now=now)
        assert (day.lookups, day.cache_hit_rate_pct) == (303, 1.0)
        assert "12:05" in asked.captured_queries[0]["sql"]
        assert selectors.get_day(now=now + timedelta(days=1)).lookups == 0
