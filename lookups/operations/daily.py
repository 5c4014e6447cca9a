"""What was asked on each day, as staff look back on it: live lookups, what came of them, and the sandbox's beside."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.core.cache import cache
from django.db.models import Count, Q
from django.db.models.functions import TruncDate

from lookups.models import Job, Lookup
from lookups.models.jobs import is_stuck
from lookups.verdicts import Verdict

KEPT_SECONDS = 3600  # of a day that is over: what was asked before midnight has long ended by then


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
    """The `days` days that end with `until`, oldest first; all but the last two are read once an hour."""
    wanted = [until - timedelta(days=back) for back in reversed(range(days))]
    kept = cache.get_many([_name(day) for day in wanted[:-2]])
    known = {day: Day(**kept[_name(day)]) for day in wanted if _name(day) in kept}
    missing = [day for day in wanted if day not in known]
    counted = _count(missing[0], until)
    known |= {day: counted.get(day, Day(day)) for day in missing}
    cache.set_many({_name(day): asdict(known[day]) for day in missing if day in wanted[:-2]}, KEPT_SECONDS)
    return [known[day] for day in wanted]


def count_open_jobs(*, now: datetime) -> OpenJobs:
    """Live jobs alone: nobody waits for what is made up."""
    then = now - timedelta(days=1)
    waiting = Job.objects.live().order_by()
    counts = waiting.open().aggregate(all=Count("pk"), stuck=Count("pk", filter=is_stuck(now)))
    before = waiting.filter(Q(ended_at__isnull=True) | Q(ended_at__gt=then), created_at__lte=then)
    return OpenJobs(counts["all"], counts["stuck"], before.count())


def _count(first: date, last: date) -> dict[date, Day]:
    """In one query, by the index of times."""
    asked = Lookup.objects.filter(created_at__gte=_midnight(first), created_at__lt=_midnight(last + timedelta(days=1)))
    live = Q(sandbox=False)
    rows = (
        asked.order_by()
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


def _name(day: date) -> str:
    return f"lookups-of-{day.isoformat()}"


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
