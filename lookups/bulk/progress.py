"""How far a bulk job is, in numbers: read by the API, by the admin and by the messages about its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from lookups.models import BulkJob, Lookup
from lookups.verdicts import BILLED, Verdict

NOTHING_THERE = (Verdict.NOT_FOUND.value, Verdict.AMBIGUOUS.value)
_ENDED = Q(verdict__isnull=False)
_NUMBERS = {
    "ended": Count("pk", filter=_ENDED),
    "begun": Count("pk", filter=_ENDED | Q(job__status="processing") | Q(job__attempts__gt=0)),
    "found": Count("pk", filter=Q(verdict__in=BILLED)),
    "not_found": Count("pk", filter=Q(verdict__in=NOTHING_THERE)),
    "cancelled": Count("pk", filter=Q(verdict=Verdict.CANCELLED.value)),
    "charged": Sum("cost", default=0),
}
_NOTHING = dict.fromkeys(_NUMBERS, 0)


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
    return list_progress([bulk])[0][1]


def list_progress(bulks: list[BulkJob]) -> list[tuple[BulkJob, Progress]]:
    """Each with its numbers, in one query for all."""
    rows = Lookup.objects.filter(bulk__in=bulks).order_by().values("bulk")
    is_over = all(bulk.ended_at is not None for bulk in bulks)  # then nobody asks what has begun: that is in the jobs
    wanted = {name: number for name, number in _NUMBERS.items() if name != "begun" or not is_over}
    counts: dict[Any, Any] = {count["bulk"]: count for count in rows.annotate(**wanted)}
    return [(bulk, _read(bulk, counts.get(bulk.pk, _NOTHING))) for bulk in bulks]


def _read(bulk: BulkJob, count: dict[str, int]) -> Progress:
    return Progress(
        status=_word(bulk, count),
        completed=count["ended"],
        found=count["found"],
        not_found=count["not_found"],
        failed=count["ended"] - count["found"] - count["not_found"] - count["cancelled"],
        cost=count["charged"],
    )


def _word(bulk: BulkJob, count: dict[str, int]) -> str:
    if bulk.cancelled_at is not None:
        return "cancelled"
    if count["ended"] == bulk.total:
        return "complete"
    return "processing" if count.get("begun") else "queued"
