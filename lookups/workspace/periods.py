"""A period of whole days (UTC) as the address bar says it: a month, or from one day to another."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.http import QueryDict

LONGEST = 366  # days: what is counted for a page is bounded
_MONTH = re.compile(r"(20\d\d|21\d\d)-(0[1-9]|1[0-2])")
_DAY = re.compile(r"(20\d\d|21\d\d)-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Period:
    """From `first` to `last`, both included."""

    first: date
    last: date

    @property
    def since(self) -> datetime:
        """When it begins."""
        return datetime.combine(self.first, time(), tzinfo=UTC)

    @property
    def until(self) -> datetime:
        """When it is over."""
        return datetime.combine(self.last + timedelta(days=1), time(), tzinfo=UTC)

    @property
    def length(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    @property
    def is_month(self) -> bool:
        """Whether it is one whole month."""
        return self.first.day == 1 and self.last == end_of_month(self.first)

    @property
    def query(self) -> str:
        """What the address bar says of it."""
        return f"month={self.first:%Y-%m}" if self.is_month else f"from={self.first}&to={self.last}"

    def list_days(self) -> list[date]:
        """Each of its days."""
        return [self.first + timedelta(days=number) for number in range(self.length)]

    def without(self, days: set[date]) -> list[Period]:
        """What is left of it without these days, in as few parts as there are."""
        parts: list[Period] = []
        for day in self.list_days():
            if day in days:
                continue
            if parts and parts[-1].last == day - timedelta(days=1):
                parts[-1] = Period(parts[-1].first, day)
            else:
                parts.append(Period(day, day))
        return parts

    def before(self) -> Period:
        """What it is compared with: the same days of the month before, or as many days as it has."""
        if self.first.day != 1 or (self.first.year, self.first.month) != (self.last.year, self.last.month):
            return Period(self.first - timedelta(days=self.length), self.first - timedelta(days=1))
        end = self.first - timedelta(days=1)
        same = end if self.is_month else end.replace(day=min(end.day, self.last.day))
        return Period(end.replace(day=1), same)


def end_of_month(day: date) -> date:
    """The last day of its month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def month_of(day: date) -> Period:
    """The whole month that a day falls into."""
    return Period(day.replace(day=1), end_of_month(day))


def last_days(number: int, *, today: date) -> Period:
    """So many days, the last of them today."""
    return Period(today - timedelta(days=number - 1), today)


def read(asked: QueryDict, *, today: date) -> tuple[Period, str]:
    """The period of a query string, this month where it names none; and what is wrong with it, as a sentence."""
    this_month = Period(today.replace(day=1), today)
    month, first, last = (asked.get(name, "") for name in ("month", "from", "to"))
    if month and not (first or last):
        found = _MONTH.fullmatch(month)
        if not found:
            return this_month, "Write a month as 2026-11."
        whole = month_of(date(int(found[1]), int(found[2]), 1))
        return (this_month, "") if whole.first == this_month.first else (whole, "")
    if not (first or last):
        return this_month, ""
    start, end = _read_day(first or f"{this_month.first}"), _read_day(last or f"{today}")
    if start is None or end is None:
        return this_month, "Write a day as 2026-11-22."
    if start > end:
        return this_month, "The first day is after the last one."
    if (end - start).days >= LONGEST:
        return this_month, f"At most {LONGEST} days can be shown at once."
    return Period(start, end), ""


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
