"""What the rows say of the service's work at this moment, as gauges: each with its words and a bounded set of labels.

What is counted "lately" is of the last five minutes: a counter of all time would be a count of all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Sum

from billing import selectors as billing
from billing.models import Account, LedgerEntry
from jurisdictions import selectors as jurisdictions
from lookups.jobs import broker, queue_status
from lookups.models import Lookup
from lookups.notifications import deliveries, outbox_status
from lookups.operations import health
from scrapers.models import Breaker, BulkCopy, ScrapeAttempt

LATELY = timedelta(minutes=5)
ASKED_WITHIN = timedelta(hours=1)  # lookups are found by when they were asked; few take longer to end
Values = Mapping[tuple[str, ...], float]


@dataclass(frozen=True, slots=True)
class Gauge:
    """One number, or one for each set of labels."""

    name: str
    about: str
    values: Values
    labels: tuple[str, ...] = ()


def read(*, now: datetime) -> list[Gauge]:
    """Every gauge, in some thirty queries."""
    plain = billing.list_gauges(now=now) | deliveries.list_gauges(now=now)
    return [
        *(Gauge(name, about, {(): value}) for name, (about, value) in plain.items()),
        *_lookups(now),
        *_processes(now),
        *_queue(now),
        *_registries(now),
        *_money(now),
        *_messages(now),
    ]


def _lookups(now: datetime) -> list[Gauge]:
    ended = Lookup.objects.filter(created_at__gt=now - ASKED_WITHIN, ended_at__gt=now - LATELY, sandbox=False)
    counted = ended.order_by().values_list("verdict", "reason").annotate(number=Count("pk"))
    return [
        Gauge(
            "lookups_recent",
            "Lookups that ended within the last five minutes, and were asked within the hour; not of test keys.",
            {(verdict, reason): number for verdict, reason, number in counted},
            ("verdict", "reason"),
        ),
        Gauge("lookups_open", "Lookups that have not ended.", {(): Lookup.objects.open().count()}),
    ]


def _processes(now: datetime) -> list[Gauge]:
    components = health.read(now=now).components
    ages: Values = {(one.role,): one.age.total_seconds() for one in components if one.age is not None}
    return [
        Gauge(
            "processes",
            "Processes that have said within the last 30 seconds that they live.",
            {(one.role,): one.alive for one in components},
            ("role",),
        ),
        Gauge(
            "heartbeat_age_seconds",
            "Since one of them said so last; none where none has for an hour.",
            ages,
            ("role",),
        ),
        Gauge(
            "stalled",
            "1 where work has been due for a minute and nobody who lives takes it.",
            {(one.role,): one.state is health.State.STALLED for one in components if one.role in health.TAKES},
            ("role",),
        ),
    ]


def _queue(now: datetime) -> list[Gauge]:
    lines = queue_status.count_open(now=now)
    jobs: Values = {
        (line.kind, state): number
        for line in lines
        for state, number in (
            ("due", line.due),
            ("later", line.later),
            ("running", line.running),
            ("stuck", line.stuck),
        )
    }
    ages: Values = {(line.kind,): (now - line.due_since).total_seconds() if line.due_since else 0.0 for line in lines}
    depths = broker.list_depths()
    return [
        Gauge("jobs", "Open jobs: single ones, and rows of bulk jobs.", jobs, ("kind", "state")),
        Gauge("jobs_oldest_due_seconds", "For how long the oldest of them could have been done.", ages, ("kind",)),
        Gauge("broker_up", "1 where the broker answers.", {(): depths is not None}),
        Gauge(
            "broker_messages",
            "Messages that wait in the broker.",
            {(queue,): number for queue, number in (depths or {}).items()},
            ("queue",),
        ),
    ]


def _registries(now: datetime) -> list[Gauge]:
    breakers = list(Breaker.objects.values_list("state", "open_until", "slowness"))
    resting: Values = {(state,): 1.0 for state, until, _ in breakers if until is not None and until > now}
    lately = ScrapeAttempt.objects.filter(started_at__gt=now - LATELY, sandbox=False).order_by()
    counted = lately.values_list("state", "outcome").annotate(number=Count("pk"))
    waited = lately.values_list("state").annotate(total=Sum("waited_ms"))
    off = set(jurisdictions.list_off().values_list("code", flat=True))  # nobody is answered from their copies
    copied = BulkCopy.objects.filter(status="current").exclude(state__in=off).values_list("state", "as_of")
    return [
        Gauge("breakers_open", "Portals that are left alone now.", {(): len(resting)}),
        Gauge("breaker_open", "1 for each of them.", resting, ("state",)),
        Gauge(
            "breaker_slowness",
            "What the pace of a portal is divided by that turned us away.",
            {(state,): slowness for state, _, slowness in breakers if slowness > 1},
            ("state",),
        ),
        Gauge(
            "portal_attempts_recent",
            "Attempts at portals that began within the last five minutes and have ended.",
            {(state, outcome): number for state, outcome, number in counted},
            ("state", "outcome"),
        ),
        Gauge(
            "pace_wait_seconds_recent",
            "What they waited together until they might ask, at the portal's pace.",
            {(state,): (total or 0) / 1000 for state, total in waited},
            ("state",),
        ),
        Gauge(
            "copy_age_seconds",
            "Since the day that a loaded copy is from; not of states that are switched off.",
            {(state,): (now - as_of).total_seconds() for state, as_of in copied},
            ("state",),
        ),
    ]


def _money(now: datetime) -> list[Gauge]:
    entries = LedgerEntry.objects.filter(created_at__gt=now - LATELY).order_by()
    moved = entries.values_list("kind").annotate(total=Sum("amount"))
    sums = Account.objects.aggregate(available=Sum("available"), held=Sum("held"))
    return [
        Gauge(
            "money_moved_units_recent",
            "What the ledger's entries of the last five minutes come to, in 1/10,000 USD.",
            {(kind,): total for kind, total in moved},
            ("kind",),
        ),
        Gauge(
            "balances_units",
            "What all accounts have, in 1/10,000 USD: available, and held for work under way.",
            {(name,): total or 0 for name, total in sums.items()},
            ("sum",),
        ),
    ]


def _messages(now: datetime) -> list[Gauge]:
    lines = outbox_status.read(now=now)
    ages: Values = {
        (line.channel,): (now - line.due_since).total_seconds() if line.due_since else 0.0 for line in lines
    }
    ended: Values = {
        (line.channel, outcome): number
        for line in lines
        for outcome, number in (("arrived", line.arrived), ("given_up", line.given_up))
    }
    return [
        Gauge(
            "deliveries_due",
            "Messages that could be sent now.",
            {(line.channel,): line.due for line in lines},
            ("channel",),
        ),
        Gauge("deliveries_oldest_due_seconds", "For how long the oldest could have been.", ages, ("channel",)),
        Gauge(
            "deliveries_day",
            "What became of the messages that were written within 24 hours.",
            ended,
            ("channel", "outcome"),
        ),
    ]
