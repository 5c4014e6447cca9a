"""A thousand watches are looked at all day long, not all at midnight."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from lookups.watches.schedule import find_next

DAY = timedelta(days=1)
PERIOD = {"day": DAY, "week": 7 * DAY}
MOMENTS = [
    datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC),
    datetime(2028, 2, 29, 12, tzinfo=UTC),
    datetime(2026, 7, 1, tzinfo=UTC),
]


def names(number: int) -> list[uuid.UUID]:
    chance = random.Random(7)
    return [uuid.UUID(int=chance.getrandbits(128)) for _ in range(number)]


@pytest.mark.parametrize("every", ["day", "week", "month"])
@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_each_is_looked_at_once_a_period_at_its_own_time(every: str, moment: datetime) -> None:
    for name in names(200):
        first = find_next(name, every, after=moment)
        second = find_next(name, every, after=first)
        assert moment < first < second
        assert find_next(name, every, after=second - timedelta(seconds=1)) == second
        if every == "month":
            assert (second.year, second.month) != (first.year, first.month)
            assert second.day == first.day
            assert first - moment <= 31 * DAY
        else:
            assert first - moment <= PERIOD[every] == second - first


@pytest.mark.parametrize("every", ["day", "week", "month"])
def test_a_thousand_are_spread_over_the_hours(every: str) -> None:
    hours = Counter(find_next(name, every, after=MOMENTS[0]).hour for name in names(1_000))
    assert len(hours) == 24
    assert max(hours.values()) < 2 * 1_000 / 24


def test_weeks_are_spread_over_the_days() -> None:
    days = Counter(find_next(name, "week", after=MOMENTS[0]).weekday() for name in names(1_000))
    assert len(days) == 7
    assert max(days.values()) < 2 * 1_000 / 7
