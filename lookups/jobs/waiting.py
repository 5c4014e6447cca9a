"""What a caller who waits for a job is told: how long it will take, when to ask, and when it is tried next."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from lookups.models import Job

POLL_MS = 3000  # how often a waiting client should ask
LONGEST_POLL_MS = 60_000


@dataclass(frozen=True, slots=True)
class Forecast:
    """`seconds` until an answer may be there (never 0), `poll_ms` until the caller should ask.

    `next_try_at` is set while the registry is left alone after it failed.
    """

    seconds: int
    poll_ms: int
    next_try_at: datetime | None = None


def find_next_try(job: Job, *, now: datetime) -> datetime | None:
    """When the job's registry is asked again, where it is waited for."""
    waits = job.status == Job.Status.PENDING and job.not_before is not None and job.not_before > now
    return job.not_before if waits else None


def forecast(job: Job, *, now: datetime) -> Forecast:
    """By the planned retry if there is one; else by the estimate, which shrinks."""
    next_try_at = find_next_try(job, now=now)
    if next_try_at is None:
        gone = int((now - job.created_at).total_seconds())
        return Forecast(max(1, job.estimated_seconds - gone), POLL_MS)
    left = (next_try_at - now).total_seconds()
    poll_ms = min(LONGEST_POLL_MS, max(POLL_MS, math.ceil(left * 1000)))
    return Forecast(math.ceil(left) + job.estimated_seconds, poll_ms, next_try_at)
