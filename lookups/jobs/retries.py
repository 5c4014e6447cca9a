"""When a job whose registry did not answer is tried again: by the kind of failure, later each time, never too late.

Chance is added to every pause, so that the jobs of an hour's outage do not all come back in the same second.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from lookups.lookup.outcomes import Unavailable
from scrapers.failures import find_failure

LONGEST_PAUSE = 1800.0
JITTER = 0.3
A_TRY = timedelta(seconds=60)  # what has to be left before the deadline to make another try worth it


def find_pause(failure: Unavailable, *, tries: int, now: datetime, deadline: datetime) -> timedelta | None:
    """How long to wait after the `tries`-th try failed; None when the failure is to be told to the customer."""
    known = find_failure(failure.reason)
    first = known.facts.pause if known else None
    if first is None or not failure.retryable:
        return None
    seconds = min(LONGEST_PAUSE, first * 2 ** min(tries - 1, 10))
    seconds = max(seconds, failure.retry_after or 0.0)
    pause = timedelta(seconds=seconds * (1 + JITTER * random.random()))  # noqa: S311 - jitter, no secret
    return pause if now + pause + A_TRY <= deadline else None
