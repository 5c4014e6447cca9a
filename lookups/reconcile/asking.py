"""A batch of a spreadsheet's rows as one bulk job, answered as far as it gets within the spreadsheet's minute.

The same batch again within five minutes is the same bulk job, so that a program that tries again pays once and gets
what has become ready meanwhile. What a stored record can answer is answered from it.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from datetime import datetime

from billing.models import ApiKey
from lookups.bulk import bulk_jobs
from lookups.lookup import single_flight
from lookups.lookup.asks import Stopwatch
from lookups.lookup.outcomes import NobodyAtWork, OutOfFunds
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Lookup

PATIENCE = 40.0  # seconds: OpenRefine gives up after sixty
LOOK_EVERY = 0.25


def ask(
    questions: Sequence[Question], *, key: ApiKey, request_id: str, now: datetime
) -> list[Lookup] | OutOfFunds | NobodyAtWork:
    """Each question's lookup, in the order asked; one that has no verdict yet is not ready."""
    if not questions:
        return []
    made = bulk_jobs.accept(
        wanted=[bulk_jobs.Wanted(question) for question in questions],
        key=key,
        accepts_stored=True,
        bulk_id=uuid.uuid4(),
        request_id=request_id,
        now=now,
        apart=False,
    )
    if not isinstance(made, BulkJob):
        return made
    stopwatch = Stopwatch(now)
    while True:
        found = list(bulk_jobs.list_rows(made))
        if all(one.verdict for one in found) or stopwatch.seconds >= PATIENCE:
            return found
        single_flight.release_connection()
        time.sleep(LOOK_EVERY)
