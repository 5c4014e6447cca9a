"""What was asked on each day, as staff look back on it: live lookups, what came of them, and the sandbox's beside."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db import transaction
from django.db.models import Count, Max, Min, Q, QuerySet
from django.db.models.functions import TruncDate

from lookups.models import DayCount, Job, Lookup, UsageSum
from lookups.models.jobs import is_stuck
from lookups.operations import usage
from lookups.verdicts import Verdict

SETTLES = timedelta(hours=1)  # after a day is over nothing is written any more that was asked on it


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC). All but `sandbox` are of live lookups; those that have not ended are among `lookups`."""

    day: date
    lookups: int = 0
    found: int = 0
    unavailable: int = 0
    sandbox: int = 0


@dataclass(frozen=True, slots=True)
class OpenJobs:
    """Live jobs that have not ended: now, how many of them are stuck, and how many there were a day ago."""

    now: int
    stuck: int
    a_day_ago: int


def list_days(*, until: date, days: int) -> list[Day]:
    """The `days` days that end with `until`, oldest first; those that are not kept are counted."""
    wanted = [until - timedelta(days=back) for back in reversed(range(days))]
    kept = DayCount.objects.filter(day__gte=wanted[0], day__lte=until).values(*Day.__dataclass_fields__)
    known = {row["day"]: Day(**row) for row in kept}
    after = max(known, default=None)
    first = after + timedelta(days=1) if after else wanted[0]
    known |= _count(first, until) if first <= until else {}
    return [known.get(day, Day(day)) for day in wanted]


def keep_days(*, now: datetime) -> int:
    """Count the days that are over, once, up to the first with a lookup that has not ended; return how many."""
    last = (now - SETTLES).date() - timedelta(days=1)
    _forget_after(last)
    oldest_open = Lookup.objects.open().aggregate(at=Min("created_at"))["at"]
    if oldest_open is not None:
        last = min(last, oldest_open.astimezone(UTC).date() - timedelta(days=1))
    kept = DayCount.objects.aggregate(last=Max("day"))["last"]
    oldest = Lookup.objects.aggregate(at=Min("created_at"))["at"]
    if oldest is None:
        return 0
    day, days = kept + timedelta(days=1) if kept else oldest.astimezone(UTC).date(), 0
    while day <= last:
        counted = _count(day, day).get(day, Day(day))
        with transaction.atomic():
            if DayCount.objects.get_or_create(day=day, defaults=asdict(counted))[1]:
                usage.keep_day(day, _list_asked(day, day))
        day, days = day + timedelta(days=1), days + 1
    return days


def _forget_after(last: date) -> None:
    """Count those days anew when they are over: a clock that ran ahead took them for that."""
    with transaction.atomic():
        if DayCount.objects.filter(day__gt=last).delete()[0]:
            UsageSum.objects.filter(day__gt=last).delete()


def count_open_jobs(*, now: datetime) -> OpenJobs:
    """Live jobs alone: nobody waits for what is made up."""
    then = now - timedelta(days=1)
    waiting = Job.objects.live().order_by()
    counts = waiting.open().aggregate(all=Count("pk"), stuck=Count("pk", filter=is_stuck(now)))
    before = waiting.filter(Q(ended_at__isnull=True) | Q(ended_at__gt=then), created_at__lte=then)
    return OpenJobs(counts["all"], counts["stuck"], before.count())


def _count(first: date, last: date) -> dict[date, Day]:
    """In one query, by the index of times."""
    live = Q(sandbox=False)
    rows = (
        _list_asked(first, last)
        .annotate(day=TruncDate("created_at", tzinfo=UTC))
        .values("day")
        .annotate(
            lookups=Count("pk", filter=live),
            found=Count("pk", filter=live & Q(verdict=Verdict.FOUND.value)),
            unavailable=Count("pk", filter=live & Q(verdict=Verdict.UNAVAILABLE.value)),
            made_up=Count("pk", filter=Q(sandbox=True)),
        )
    )
    return {
        row["day"]: Day(row["day"], row["lookups"], row["found"], row["unavailable"], row["made_up"]) for row in rows
    }


def _list_asked(first: date, last: date) -> QuerySet[Lookup]:
    until = _midnight(last + timedelta(days=1))
    return Lookup.objects.filter(created_at__gte=_midnight(first), created_at__lt=until).order_by()


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
