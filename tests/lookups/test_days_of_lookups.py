"""Days that are over are counted once; today is counted on from where it was left, and says what all of it comes to."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing import accounts, keys
from lookups import selectors
from lookups.models import DayCount, Job, Lookup, UsageSum
from lookups.operations import daily, usage
from tests.billing.test_differences import pay

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
        days = [NOON.date() + timedelta(days=day) for day in (-2, -1, 0, 1, 2)]
        assert counted == [
            *map(daily.Day, days[:2]),
            *(daily.Day(day, number + 1, number, 1, 2) for number, day in enumerate(days[2:], 1)),
        ]
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

    def test_are_counted_an_hour_after_midnight_and_not_before(self) -> None:
        """What was asked in their last second may still be on its way into the table."""
        night = datetime(2026, 10, 31, 23, 59, 59, 999999, tzinfo=UTC)
        ask(1, night)
        midnight = datetime(2026, 11, 1, tzinfo=UTC)
        assert daily.keep_days(now=midnight + timedelta(minutes=59)) == 0
        ask(1, night)
        ask(1, midnight)
        assert daily.keep_days(now=midnight + timedelta(hours=1)) == 1
        assert list(DayCount.objects.values_list("day", "lookups")) == [(night.date(), 2)]

    def test_are_not_counted_again(self) -> None:
        for day in range(3):
            ask(1, NOON + timedelta(days=day))
        today = NOON + timedelta(days=3)
        daily.keep_days(now=today)
        counted = daily.list_days(until=today.date(), days=4)
        Lookup.objects.update(verdict="unavailable")
        assert daily.keep_days(now=today) == 0
        assert daily.list_days(until=today.date(), days=4) == counted

    def test_are_counted_anew_where_a_clock_that_ran_ahead_took_them_for_over(self) -> None:
        """What was asked after that on such a day was in no number of it any more, nor in the account's usage."""
        account, ahead = accounts.open_account(name="Acme", now=NOON), NOON + timedelta(days=2)
        yesterday = NOON - timedelta(days=1)
        for day in (yesterday, NOON):
            ask(usage.MANY, day, account=account)
        assert daily.keep_days(now=ahead) == 3
        ask(usage.MANY, NOON + timedelta(hours=1), account=account)
        assert daily.keep_days(now=NOON + timedelta(hours=2)) == 0  # the clock was set right again
        assert daily.list_days(until=ahead.date(), days=3)[0].lookups == 2 * usage.MANY
        assert list(UsageSum.objects.values_list("day", "lookups")) == [(yesterday.date(), usage.MANY)]
        assert daily.keep_days(now=ahead) == 2
        for sums in (DayCount.objects, UsageSum.objects):
            assert sums.get(day=NOON.date()).lookups == 2 * usage.MANY

    def test_are_kept_whole_by_the_next_where_the_one_that_counted_them_was_killed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class PowerCut(BaseException):
            pass

        account = accounts.open_account(name="Acme", now=NOON)
        ask(usage.MANY, NOON, account=account)
        with monkeypatch.context() as killed:
            killed.setattr(UsageSum.objects, "bulk_create", Mock(side_effect=PowerCut))
            with pytest.raises(PowerCut):
                daily.keep_days(now=NOON + timedelta(days=1))
        assert daily.keep_days(now=NOON + timedelta(days=1)) == 1
        assert UsageSum.objects.get().lookups == usage.MANY

    def test_are_kept_though_what_was_asked_was_paid_by_no_account(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """But with its request."""
        monkeypatch.setattr(usage, "MANY", 1)
        ask(1, NOON, account=None, payment=pay())
        assert daily.keep_days(now=NOON + timedelta(days=1)) == 1
        assert not UsageSum.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_are_kept_once_however_many_count_them(self, on_postgres: None, at_once: Any) -> None:
        ask(usage.MANY, NOON, account=accounts.open_account(name="Acme", now=NOON))
        at_once(*[lambda: daily.keep_days(now=NOON + timedelta(days=3))] * 4)
        assert DayCount.objects.count() == 3
        assert UsageSum.objects.get().lookups == usage.MANY


class TestOpenJobs:
    def test_are_those_of_now_and_those_of_a_day_ago(self) -> None:
        """By whom somebody sees whether a pile grows."""
        account = accounts.open_account(name="Acme", now=NOON)
        key = keys.issue(account=account, name="server", now=NOON)[0]
        day = timedelta(days=1)
        for number, (accepted, ended) in enumerate(
            (
                (NOON - day, None),
                (NOON - 2 * day, NOON - day / 2),
                (NOON - 3 * day / 2, NOON - day / 2),
                (NOON - 2 * day, NOON - day),
                (NOON - day / 2, None),
            )
        ):
            ask(1, accepted, None, account=account, key=key)
            row: dict[str, Any] = {"account": account, "key": key, "lookup": Lookup.objects.latest("pk")}
            row |= {"created_at": accepted, "deadline": NOON + day, "ended_at": ended, "ask_id": uuid.uuid4()}
            row |= {"status": "failed" if ended else "pending", "position": number, "state": "NY"}
            Job.objects.create(**row, estimated_seconds=1)
        lost = {"status": "processing", "claim": uuid.uuid4(), "lease_until": NOON}
        Job.objects.filter(created_at=NOON - day).update(**lost)
        assert daily.count_open_jobs(now=NOON) == daily.OpenJobs(now=2, stuck=1, a_day_ago=3)


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
