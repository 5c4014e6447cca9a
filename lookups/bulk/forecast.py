"""What is known of a bulk job before it has ended: what is stored already, how long it takes, how far each state is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q, Sum

from billing.models import Account
from lookups.bulk import bulk_jobs, queue
from lookups.jobs import lifecycle
from lookups.lookup import estimates, rows, storage
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Lookup, StoredAnswer
from lookups.verdicts import BILLED, Verdict
from scrapers import discovery

SANDBOX_SECONDS = 1
SLACK = 3  # times the estimate, until what is left is given up
ENOUGH = 5  # answers of a bulk job, from which its own pace is known


@dataclass(frozen=True, slots=True)
class StateProgress:
    """One state of a bulk job, counted in rows; `seconds` until its last row is answered, about."""

    state: str
    total: int
    ended: int
    found: int
    not_found: int
    ambiguous: int
    cost: int
    seconds: int

    @property
    def failed(self) -> int:
        """Rows that nobody could answer."""
        return self.ended - self.found - self.not_found - self.ambiguous


def count_stored(questions: Collection[Question], *, account: Account, sandbox: bool, now: datetime) -> int:
    """How many of these different questions have a stored answer that serves them, young enough for the account."""
    since, states = now - rows.max_age(account), {one.state for one in questions}
    young = StoredAnswer.objects.filter(sandbox=sandbox, retrieved_at__gt=since, state__in=states)
    stored = young.filter(question__in={one.digest for one in questions}).select_related("filing_set", "version")
    known = {(one.state, one.kind, one.question): one for one in stored}
    found = ((known.get((one.state, one.kind, one.digest)), one) for one in questions)
    return sum(answer is not None and storage.serves(answer, one, today=now.date()) for answer, one in found)


def estimate(questions: Mapping[str, int], *, sandbox: bool, now: datetime) -> timedelta:
    """How long so many questions of each state take, about: the slowest state, or all the work by all the threads."""
    work = {state: number * _seconds(state, sandbox=sandbox, now=now) for state, number in questions.items()}
    slowest = max(
        (seconds / queue.at_once((state, "test" if sandbox else "live")) for state, seconds in work.items()), default=0
    )
    return timedelta(seconds=math.ceil(max(slowest, sum(work.values()) / queue.THREADS)))


def choose_max_wait(expected: timedelta) -> timedelta:
    """Until when what is left is given up, and its price comes back."""
    return min(max(bulk_jobs.MAX_WAIT, SLACK * expected), lifecycle.LONGEST_WAIT)


def list_by_state(bulk: BulkJob, *, now: datetime) -> list[StateProgress]:
    """How far each of its states is, those with most rows first, in one query."""
    counted = (
        Lookup.objects.filter(bulk=bulk)
        .order_by()
        .values("state")
        .annotate(
            total=Count("pk"),
            ended=Count("pk", filter=Q(verdict__isnull=False)),
            asking=Count("pk", filter=Q(verdict__isnull=True, repeats__isnull=True)),
            found=Count("pk", filter=Q(verdict__in=BILLED)),
            not_found=Count("pk", filter=Q(verdict=Verdict.NOT_FOUND.value)),
            ambiguous=Count("pk", filter=Q(verdict=Verdict.AMBIGUOUS.value)),
            cost=Sum("cost", default=0),
            next_try=Max("job__not_before", filter=Q(verdict__isnull=True)),
        )
    )
    sandbox = bulk.key.is_test
    listed = [
        StateProgress(
            state=one["state"],
            total=one["total"],
            ended=one["ended"],
            found=one["found"],
            not_found=one["not_found"],
            ambiguous=one["ambiguous"],
            cost=one["cost"],
            seconds=_seconds_left(bulk, one, sandbox=sandbox, now=now),
        )
        for one in counted
    ]
    return sorted(listed, key=lambda one: (-one.total, one.state))


def _seconds_left(bulk: BulkJob, counted: Mapping[str, Any], *, sandbox: bool, now: datetime) -> int:
    """By the state's own pace in this job once some are answered; by what is known of its registry until then.

    A registry that failed is asked again at a planned time, and nothing is answered before.
    """
    state, ended, asking, next_try = (counted[name] for name in ("state", "ended", "asking", "next_try"))
    if not asking:
        return 0
    if ended >= ENOUGH:
        left = (now - bulk.created_at).total_seconds() / ended * asking
    else:
        left = estimate({state: asking}, sandbox=sandbox, now=now).total_seconds()
    if next_try:
        left = max(left, (next_try - now).total_seconds())
    return math.ceil(min(float(left), max(0.0, (bulk.deadline - now).total_seconds())))


def _seconds(state: str, *, sandbox: bool, now: datetime) -> int:
    portal = None if sandbox else discovery.find_portal(state)
    return SANDBOX_SECONDS if portal is None else estimates.seconds(portal, now=now)
