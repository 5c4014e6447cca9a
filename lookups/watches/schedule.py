"""When a watch is looked at: at a time of its own in every period, so that a thousand of them are spread over it.

The time follows from the watch's name alone. Nothing has to be kept, and no two processes can disagree on it.
"""

from __future__ import annotations

import calendar
import uuid
from datetime import UTC, datetime, time, timedelta

DAY = timedelta(days=1)
DAYS_OF_ALL_MONTHS = 28
_MONDAY = datetime(2024, 1, 1, tzinfo=UTC)


def find_next(watch_id: uuid.UUID, every: str, *, after: datetime) -> datetime:
    """The first of its times that is later than `after`."""
    of_day = timedelta(seconds=watch_id.int % 86_400)
    day = watch_id.int // 86_400
    midnight = datetime.combine(after.astimezone(UTC).date(), time(), tzinfo=UTC)
    if every == "month":
        at = midnight.replace(day=1 + day % DAYS_OF_ALL_MONTHS) + of_day
        return at if at > after else begin_next_month(at) + timedelta(days=day % DAYS_OF_ALL_MONTHS) + of_day
    period = DAY if every == "day" else 7 * DAY
    first = _MONDAY + of_day + (timedelta() if every == "day" else (day % 7) * DAY)
    return first + ((after - first) // period + 1) * period


def begin_next_month(moment: datetime) -> datetime:
    """When the month (UTC) after the one of this moment begins."""
    first = begin_month(moment)
    return first + timedelta(days=calendar.monthrange(first.year, first.month)[1])


def begin_month(moment: datetime) -> datetime:
    """When the month (UTC) of this moment began."""
    return datetime.combine(moment.astimezone(UTC).date().replace(day=1), time(), tzinfo=UTC)


def half_of(every: str) -> timedelta:
    """Half a period: what was looked at by the way is not looked at again within it."""
    return {"day": DAY, "week": 7 * DAY, "month": 30 * DAY}[every] / 2
