"""The address bar names a period: a month, or from one day to another."""

from __future__ import annotations

from datetime import date

import pytest
from django.http import QueryDict

from lookups.workspace import periods
from lookups.workspace.periods import Period

TODAY = date(2026, 11, 22)


def read(query: str) -> tuple[str, str, str]:
    period, wrong = periods.read(QueryDict(query), today=TODAY)
    return f"{period.first}", f"{period.last}", wrong


class TestAPeriod:
    def test_is_this_month_until_today_where_nothing_is_named(self) -> None:
        assert read("") == ("2026-11-01", "2026-11-22", "")
        assert read("month=2026-11") == ("2026-11-01", "2026-11-22", "")

    def test_is_a_whole_month_or_any_days(self) -> None:
        assert read("month=2024-02") == ("2024-02-01", "2024-02-29", "")
        assert read("from=2026-10-05&to=2026-10-07") == ("2026-10-05", "2026-10-07", "")
        assert read("from=2026-11-20") == ("2026-11-20", "2026-11-22", "")

    @pytest.mark.parametrize(
        "query",
        [
            "month=2026-13",
            "month=November",
            "from=yesterday",
            "from=2026-02-30&to=2026-03-01",
            "from=2026-11-05&to=2026-11-04",
            "from=2020-01-01&to=2026-11-22",
            "to=%00",
            "month=0000-00",
        ],
    )
    def test_that_cannot_be_read_is_this_month_with_a_sentence(self, query: str) -> None:
        first, last, wrong = read(query)
        assert (first, last) == ("2026-11-01", "2026-11-22")
        assert wrong.endswith(".")

    def test_says_itself_as_the_address_bar_does(self) -> None:
        for query in ("month=2026-10", "from=2026-10-05&to=2026-10-07"):
            period, _ = periods.read(QueryDict(query), today=TODAY)
            assert period.query == query

    def test_has_days_that_meet_those_of_the_next_one(self) -> None:
        first, second = Period(date(2026, 10, 1), date(2026, 10, 31)), Period(date(2026, 11, 1), date(2026, 11, 30))
        assert first.until == second.since
        assert (first.length, len(first.list_days())) == (31, 31)


class TestWhatItIsComparedWith:
    @pytest.mark.parametrize(
        ("first", "last", "before"),
        [
            ((2026, 11, 1), (2026, 11, 22), ("2026-10-01", "2026-10-22")),  # this month until today
            ((2026, 10, 1), (2026, 10, 31), ("2026-09-01", "2026-09-30")),  # a whole month
            ((2026, 3, 1), (2026, 3, 30), ("2026-02-01", "2026-02-28")),  # February has no 30th
            ((2026, 2, 1), (2026, 2, 28), ("2026-01-01", "2026-01-31")),  # whole against whole
            ((2026, 11, 16), (2026, 11, 22), ("2026-11-09", "2026-11-15")),  # a week
            ((2026, 1, 1), (2026, 1, 5), ("2025-12-01", "2025-12-05")),
        ],
    )
    def test_is_as_long_and_lies_before(
        self, first: tuple[int, int, int], last: tuple[int, int, int], before: tuple[str, str]
    ) -> None:
        found = Period(date(*first), date(*last)).before()
        assert (f"{found.first}", f"{found.last}") == before
