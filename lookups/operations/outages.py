"""What an outage, or a reader that was wrong for a while, leaves behind: answers to pay back, jobs to ask again.

An outage is a state and a time, or lookups that somebody has chosen. Both are read as of one moment: what ends between
the question and its confirmation is not meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum, TextField, Value
from django.db.models.functions import Cast, Coalesce

from billing import outage_refunds
from billing.accounts import PAY_PER_REQUEST
from billing.ledger_errors import InsufficientFunds
from billing.outage_refunds import Refundable
from jurisdictions.codes import PLACES
from lookups.jobs import operator_actions
from lookups.models import Job, Lookup
from lookups.privacy import erasure
from lookups.reconciling import charges
from lookups.verdicts import BILLED, Verdict

LONGEST = timedelta(days=31)
MOST_JOBS = 1_000  # asked again in one act; whoever confirms waits for it


@dataclass(frozen=True, slots=True)
class Outage:
    """Which lookups are meant: those of `state` from `since` until `until`, or those of `ids`; as of `as_of`."""

    as_of: datetime
    state: str = ""
    since: datetime | None = None
    until: datetime | None = None
    ids: Sequence[int] = ()

    def __str__(self) -> str:
        if self.ids:
            return f"{len(self.ids)} chosen {'lookup' if len(self.ids) == 1 else 'lookups'}"
        return f"{PLACES[self.state].name}, {self.since:%Y-%m-%d %H:%M} to {self.until:%Y-%m-%d %H:%M} UTC"

    def list_lookups(self) -> QuerySet[Lookup]:
        """The live lookups that are meant, found by their id or by the time they were asked.

        Not those of an account that was erased: what is given back to it would be nobody's.
        """
        ended = Lookup.objects.filter(sandbox=False, ended_at__lte=self.as_of)
        ended = ended.exclude(asked=erasure.ERASED, question={})
        if self.ids:
            return ended.filter(pk__in=self.ids)
        return ended.filter(created_at__gte=self.since, created_at__lt=self.until, state=self.state)


@dataclass(frozen=True, slots=True)
class Answers:
    """What customers paid for in an outage. `lookups`: all that ended; `by_request`: paid without a balance."""

    lookups: int
    free: int
    by_request: int
    refundable: Refundable


@dataclass(frozen=True, slots=True)
class FailedJobs:
    """What failed in an outage and may be asked again: how many, for how many accounts, at what price together."""

    jobs: int
    accounts: int
    amount: int


def count_answers(outage: Outage) -> Answers:
    """See what was paid for and is not given back yet."""
    meant = outage.list_lookups()
    sold = meant.filter(cost__gt=0)
    all_, paid = meant.count(), meant.filter(payment__isnull=False, verdict__in=BILLED).count()
    found = outage_refunds.count(charges.list_charges(sold.order_by("pk").iterator(chunk_size=500)))
    return Answers(all_, all_ - sold.count() - paid, paid, found)


def list_failed_jobs(outage: Outage) -> QuerySet[Job]:
    """The live jobs of customers that failed in it and were not asked again since; a watch looks again by itself.

    Not those that were cancelled, or of a bulk request that was: who has given it up would pay for what is found. Nor
    those whose customer has asked the same since, and paid or waits for it; of several that failed, the last alone.
    """
    failed = Job.objects.live().filter(status=Job.Status.FAILED, ended_at__lte=outage.as_of, watch__isnull=True)
    failed = failed.exclude(bulk__cancelled_at__isnull=False).exclude(account__role=PAY_PER_REQUEST)
    failed = failed.filter(lookup__in=outage.list_lookups().exclude(verdict=Verdict.CANCELLED.value))
    return failed.exclude(Exists(_list_later(failed)))


def _list_later(failed: QuerySet[Job]) -> QuerySet[Lookup]:
    """The lookups that ask the same as a job after it, and are paid for, will be, or are those of a job among these."""
    theirs = {name: OuterRef(f"lookup__{name}") for name in ("account", "state", "kind", "asked")}
    owed = Q(verdict__isnull=True) | Q(verdict__in=BILLED) | Q(job__in=failed)
    later = Lookup.objects.filter(owed, sandbox=False, pk__gt=OuterRef("lookup"), **theirs)
    whole, mark = Cast(OuterRef("lookup__question"), TextField()), Coalesce(OuterRef("lookup__ref"), Value(""))
    marked = later.annotate(whole=Cast("question", TextField()), mark=Coalesce("ref", Value("")))
    return marked.filter(whole=whole, mark=mark)


def count_failed_jobs(outage: Outage) -> FailedJobs:
    """See what asking them again would hold; each is quoted at what it was accepted at."""
    found = list_failed_jobs(outage).order_by()
    sums = found.aggregate(jobs=Count("pk"), accounts=Count("account", distinct=True), amount=Sum("lookup__price"))
    return FailedJobs(sums["jobs"], sums["accounts"], sums["amount"] or 0)


def ask_again(outage: Outage, *, now: datetime, note: Callable[[Job], None]) -> tuple[list[Job], int]:
    """Have the failed jobs asked again, each paid for anew; returns those that are, and how many could not be paid.

    `note` writes down each that is, in its own transaction: what breaks off half-way is known as far as it came.
    """
    asked: list[Job] = []
    short = 0
    for job in list_failed_jobs(outage).order_by("created_at")[:MOST_JOBS]:
        try:
            with transaction.atomic():
                if operator_actions.do_over(job, now=now):
                    note(job)
                    asked.append(job)
        except InsufficientFunds:
            short += 1
    return asked, short
