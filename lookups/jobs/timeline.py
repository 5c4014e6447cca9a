"""All that is known of one job, gathered for the person who has to find out why it failed.

The attempts carry the mark of the ask, so that tries which were postponed are found as well as the last one; what was
fetched for somebody else's question is found through the lookup that shared it.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from billing.models import Hold, LedgerEntry
from jurisdictions.models import Jurisdiction
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup
from lookups.verdicts import Verdict, find_breakdown
from scrapers.failures import find_failure
from scrapers.models import Breaker, ScrapeAttempt

MOST_TRIES = 50
BEFORE = timedelta(minutes=10)  # a lookup that became a job began before it


@dataclass(frozen=True, slots=True)
class Try:
    """One conversation with the portal, and whose it was (a sentence; empty: this job's own)."""

    attempt: ScrapeAttempt
    whose: str


@dataclass(frozen=True, slots=True)
class Story:
    """The job's tries from the first to the last, its money, and how its registry is treated at the moment.

    `lookups`: what was settled under this job's ask or an earlier one of the same request, newest first. `shares`: its
    outcome came from a fetch that somebody else's question had started.
    """

    why: str
    tries: list[Try]
    lookups: list[Lookup]
    holds: list[Hold]
    entries: list[LedgerEntry]
    switch: Jurisdiction | None
    breaker: Breaker | None

    @property
    def shares(self) -> bool:
        """Whether the job's outcome is of a shared fetch."""
        return any(one.shared for one in self.lookups)


def tell(job: Job, *, now: datetime) -> Story:
    """The story of a job that was read with its hold; in at most eight queries, however many tries there were."""
    settled = list(_lookups(job))
    holds = [job.hold] if job.hold else []
    holds += [one.hold for one in settled if one.hold and one.hold not in holds]
    return Story(
        why=why(job, now=now),
        tries=_tries(job, settled, now),
        lookups=settled,
        holds=holds,
        entries=list(_entries(job, settled, holds)),
        switch=Jurisdiction.objects.filter(pk=job.state).first(),
        breaker=Breaker.objects.filter(pk=job.state).first(),
    )


def why(job: Job, *, now: datetime) -> str:
    """Where the job stands and why, as a sentence."""
    if job.status == Job.Status.PENDING:
        if job.not_before and job.not_before > now:
            return f"Its registry failed; it is tried again from {job.not_before:%Y-%m-%d %H:%M:%S} UTC on."
        return "It waits for a worker." if now < job.deadline else "Its time is over; the next sweep ends it."
    if job.status == Job.Status.PROCESSING:
        if job.lease_until and job.lease_until > now:
            return f"A worker has it until {job.lease_until:%Y-%m-%d %H:%M:%S} UTC."
        return "It is stuck: its worker was lost, and the next sweep gives it to another one."
    return why_it_ended(job.lookup)


def why_it_ended(lookup: Lookup) -> str:
    """How a lookup ended and what that means for whoever operates the service, as a sentence."""
    verdict, reason = lookup.outcome, lookup.reason
    failure = find_failure(reason)
    if verdict is Verdict.UNAVAILABLE and failure:
        return failure.facts.operator
    if verdict is Verdict.FAILED:
        return find_breakdown(reason).facts.operator
    return (verdict.facts.operator if verdict else "") or "No reason was kept."


def _lookups(job: Job) -> QuerySet[Lookup]:
    """What was settled for this question: under the job's ask, and under those before it was asked again."""
    mine = Q(pk=job.lookup_id) | Q(ask_id=job.ask_id)
    if job.request_id:
        mine |= Q(
            account=job.account_id,
            created_at__gte=job.created_at - BEFORE,
            request_id=job.request_id,
            state=job.state,
            asked=Question.from_json(job.lookup.question).words,
        )
    return Lookup.objects.filter(mine).select_related("hold").order_by("-id")[:MOST_TRIES]


def _tries(job: Job, settled: list[Lookup], now: datetime) -> list[Try]:
    asks = {one.ask_id for one in settled} | {job.lookup.ask_id}
    shared = [one.attempt_id for one in settled if one.attempt_id]
    found = list(_attempts(Q(asked_by__in=asks) | Q(pk__in=shared)))
    tries = [Try(attempt, _whose(attempt.asked_by, job, asks)) for attempt in found]
    own = sum(attempt.asked_by == job.lookup.ask_id for attempt in found)
    if own < job.attempts:
        tries += _perhaps_shared(job, {attempt.pk for attempt in found}, now)
    return sorted(tries, key=lambda one: (one.attempt.started_at, one.attempt.pk))


def _whose(asked_by: uuid.UUID | None, job: Job, asks: set[uuid.UUID]) -> str:
    if asked_by == job.lookup.ask_id:
        return ""
    return "before it was asked again" if asked_by in asks else "fetched for somebody else's question, and shared"


def _perhaps_shared(job: Job, known: set[int], now: datetime) -> list[Try]:
    """Fetches of the same question by others while the job was open: a try that waited for one leaves no trace."""
    question = Question.from_json(job.lookup.question)
    same = Q(
        state=job.state,
        kind=question.kind,
        question=question.words,
        sandbox=job.key.is_test,
        started_at__gte=job.created_at - BEFORE,
        started_at__lte=job.ended_at or now,
    )
    meanwhile = "the same question, asked by somebody else meanwhile; a try of this job may have waited for it"
    return [Try(attempt, meanwhile) for attempt in _attempts(same) if attempt.pk not in known]


def _attempts(which: Q) -> QuerySet[ScrapeAttempt]:
    """The newest ones, with what was kept of their exchanges."""
    return ScrapeAttempt.objects.filter(which).order_by("-started_at").prefetch_related("readings")[:MOST_TRIES]


def _entries(job: Job, settled: list[Lookup], holds: list[Hold]) -> QuerySet[LedgerEntry]:
    """What moved for this job; of a bulk request's common hold only this question's share."""
    asks = [job.lookup.ask_id, *(one.ask_id for one in settled)]
    keys = {f"lookup:{ask}{part}" for ask in asks for part in ("", ":charge", ":taken", ":back")}
    mine = Q(account=job.account_id, idempotency_key__in=keys)
    if job.bulk_id is None:
        mine |= Q(hold__in=holds)
    return LedgerEntry.objects.filter(mine).order_by("id")[:MOST_TRIES]
