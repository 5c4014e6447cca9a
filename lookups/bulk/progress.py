"""How far a bulk job is, in numbers: read by the API, by the admin and by the messages about its end."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from lookups.models import BulkJob, Lookup
from lookups.verdicts import BILLED, Verdict

NOTHING_THERE = (Verdict.NOT_FOUND.value, Verdict.AMBIGUOUS.value)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a bulk job is, counted in rows; `cost` in units of 1/10,000 USD."""

    status: str
    completed: int
    found: int
    not_found: int
    failed: int
    cost: int


def get_progress(bulk: BulkJob) -> Progress:
    """Count the rows, and what was charged for them, in one query."""
    count = Lookup.objects.filter(bulk=bulk).aggregate(
        ended=Count("pk", filter=Q(verdict__isnull=False)),
        begun=Count("pk", filter=Q(verdict__isnull=False) | Q(job__status="processing") | Q(job__attempts__gt=0)),
        found=Count("pk", filter=Q(verdict__in=BILLED)),
        not_found=Count("pk", filter=Q(verdict__in=NOTHING_THERE)),
        cancelled=Count("pk", filter=Q(verdict=Verdict.CANCELLED.value)),
        cost=Sum("cost", default=0),
    )
    failed = count["ended"] - count["found"] - count["not_found"] - count["cancelled"]
    return Progress(
        status=_word(bulk, count),
        completed=count["ended"],
        found=count["found"],
        not_found=count["not_found"],
        failed=failed,
        cost=count["cost"],
    )


def _word(bulk: BulkJob, count: dict[str, int]) -> str:
    if bulk.cancelled_at is not None:
        return "cancelled"
    if count["ended"] == bulk.total:
        return "complete"
    return "processing" if count["begun"] else "queued"
