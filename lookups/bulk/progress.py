"""How far a bulk job is, in numbers: read by the API, by the admin and by what is told when it has ended."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from billing import prices
from lookups.jobs.endings import Ending
from lookups.models import BulkJob


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
    """Count the rows in one query, the shares paid in another."""
    ended = Q(job__status__in=("complete", "failed"))
    count = bulk.rows.aggregate(
        ended=Count("pk", filter=ended),
        begun=Count("pk", filter=~Q(job__status="pending") | Q(job__attempts__gt=0)),
        found=Count("pk", filter=Q(job__reply_status=Ending.ANSWERED.facts.status)),
        not_found=Count("pk", filter=Q(job__reply_status=Ending.NOT_FOUND.facts.status)),
        cancelled=Count("pk", filter=Q(job__reply_status=Ending.CANCELLED.facts.status)),
    )
    pays = bulk.hold is not None and not bulk.hold.is_free
    paid = bulk.jobs.filter(reply_status=Ending.ANSWERED.facts.status).count() if pays else 0
    failed = count["ended"] - count["found"] - count["not_found"] - count["cancelled"]
    return Progress(
        status=_word(bulk, count),
        completed=count["ended"],
        found=count["found"],
        not_found=count["not_found"],
        failed=failed,
        cost=paid * prices.LOOKUP,
    )


def _word(bulk: BulkJob, count: dict[str, int]) -> str:
    if bulk.cancelled_at is not None:
        return "cancelled"
    if count["ended"] == bulk.total:
        return "complete"
    return "processing" if count["begun"] else "queued"
