"""When a portal is left alone: who fails again and again is not asked for a while, and then by one question at a time.

The state's row is read and changed by every process, so all of them leave it alone together. A portal that turned us
away (403, 429, a wall) is asked more slowly for some time, and one that named a time to come back is not asked before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from jurisdictions import services as jurisdictions
from scrapers.failures import Health, PortalBlocked, PortalError, PortalResting, find_failure
from scrapers.models import Breaker
from scrapers.transport.pace import Pace

FAILURES = 5  # in a row, until a portal is left alone
FIRST_REST, LONGEST_REST = timedelta(seconds=60), timedelta(minutes=15)
LONGEST_ASKED_FOR = timedelta(hours=24)  # a Retry-After beyond is a mistake of theirs
AHEAD = timedelta(minutes=5)  # clocks of machines differ by less
SLOWEST, SLOW_FOR = 8, timedelta(minutes=10)  # pace is halved up to three times, and regained in steps
PATIENCE = 8.0  # seconds; a time-out after less is our own hurry and says nothing of the portal
BEYOND_BUDGET = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to ask a portal once. `slowness` divides the pace.

    `probe_until`: the one question that tries it again is this one until then. `was_well`: nothing was against the
    portal when it was given.
    """

    state: str
    slowness: int = 1
    probe_until: datetime | None = None
    was_well: bool = field(default=False, compare=False)

    @property
    def is_probe(self) -> bool:
        """Whether it tries the portal again."""
        return self.probe_until is not None

    def slow_down(self, pace: Pace) -> Pace:
        """The pace to keep now."""
        if self.slowness == 1:
            return pace
        return Pace(pace.seconds * self.slowness, max(1, pace.concurrency // self.slowness))


def list_ill() -> QuerySet[Breaker]:
    """The portals that something is held against: failures, a rest or a slower pace."""
    return Breaker.objects.exclude(failures=0, open_until__isnull=True, slowness=1)


def find_rest(*, state: str, now: datetime) -> PortalResting | None:
    """Why the portal must not be asked now, as the error to tell; None when it may be."""
    row = Breaker.objects.filter(pk=state, open_until__isnull=False).first()
    return None if row is None else _resting(row, now)


def find_pace(*, state: str, pace: Pace) -> Pace:
    """The pace to keep with the portal now, for who asks it beside customers: theirs, or slower where it was slowed."""
    row = Breaker.objects.filter(pk=state).first()
    return Permit(state, row.slowness if row else 1).slow_down(pace)


def enter(*, state: str, budget_seconds: float, now: datetime, is_well: bool = False) -> Permit:
    """Ask for the right to ask a portal. Raises PortalResting, with the seconds to wait, while it is left alone.

    `is_well`: it is none of `list_ill`, as the caller knows.
    """
    row = None if is_well else Breaker.objects.filter(pk=state).first()
    if row is None:
        return Permit(state, was_well=True)
    if _is_ahead(row, now):
        Breaker.objects.filter(pk=state, open_until__gt=now).update(open_until=now, probe_until=None, changed_at=now)
        row.refresh_from_db()
    if row.open_until is None:
        return Permit(state, row.slowness)
    resting = _resting(row, now)
    if resting is None:
        free = Q(probe_until__isnull=True) | Q(probe_until__lte=now)
        mine = Breaker.objects.filter(free, pk=state, open_until__lte=now)
        until = now + timedelta(seconds=budget_seconds) + BEYOND_BUDGET
        if mine.update(probe_until=until):
            return Permit(state, row.slowness, probe_until=until)
        resting = find_rest(state=state, now=now)
    if resting is None:
        return Permit(state, row.slowness)  # somebody's probe came back well between our looks
    raise resting


def note_answer(permit: Permit, *, now: datetime) -> None:
    """The portal answered: it is well again, and regains a step of its pace where ten minutes passed since the last.

    An answer to a question from before the first failure says nothing of what came after: it heals nothing.
    """
    if permit.was_well:
        return
    well = Q(failures=0, open_until__isnull=True) & (Q(slowness=1) | Q(slow_until__gt=now))
    if not Breaker.objects.filter(pk=permit.state).exclude(well).exists():
        return  # as nearly always: nothing is written
    with transaction.atomic():
        row = Breaker.objects.select_for_update().filter(pk=permit.state).first()
        if row is None:
            return  # an operator has closed it since
        was_degraded = row.trips > 0
        row.failures = row.trips = 0
        row.open_until = row.probe_until = None
        row.reason = row.detail = row.last_question = ""
        if row.slowness > 1 and (row.slow_until is None or row.slow_until <= now):
            row.slowness, row.slow_until = row.slowness // 2, now + SLOW_FOR
        row.changed_at = now
        row.save()
        if was_degraded:
            jurisdictions.restore(code=permit.state, now=now)


def note_failure(permit: Permit, error: PortalError, *, question: str, patience: float, now: datetime) -> None:
    """The portal failed. `patience`: the seconds it had. What was not its fault does not count."""
    if error.reason.is_answer:
        note_answer(permit, now=now)
        return
    if not _counts(error, patience):
        give_back(permit)
        return
    with transaction.atomic():
        row, _ = Breaker.objects.select_for_update().get_or_create(pk=permit.state, defaults={"changed_at": now})
        again = row.failures and row.last_question == question[:200]
        if again and error.reason.facts.health is Health.ILL_BY_QUESTION:
            _unprobe(row, permit)
        else:
            _count(row, permit, error, now)
        row.last_question, row.changed_at = question[:200], now
        row.save()


def give_back(permit: Permit) -> None:
    """The portal was not asked after all: the next one may try it, unless that is under way already."""
    if permit.is_probe:
        Breaker.objects.filter(pk=permit.state, probe_until=permit.probe_until).update(probe_until=None)


def close(*, state: str, now: datetime) -> None:
    """An operator knows better: ask again at once, at the full pace."""
    Breaker.objects.filter(pk=state).delete()
    jurisdictions.restore(code=state, now=now)


def _is_ahead(row: Breaker, now: datetime) -> bool:
    """Whether its times are those of a clock that was set back since: a rest by it could last as long as that."""
    return row.changed_at > now + AHEAD


def _resting(row: Breaker, now: datetime) -> PortalResting | None:
    assert row.open_until is not None
    if _is_ahead(row, now):
        return None
    until = row.open_until
    if until <= now:
        if row.probe_until is None or row.probe_until <= now:
            return None
        until = row.probe_until
    left = max(1.0, (until - now).total_seconds())
    return PortalResting(f"left alone: {row.detail}", reason=find_failure(row.reason), retry_after=left)


def _counts(error: PortalError, patience: float) -> bool:
    match error.reason.facts.health:
        case Health.WELL | Health.UNKNOWN:
            return False
        case Health.ILL_IF_PATIENT:
            return patience >= PATIENCE
        case Health.ILL_IF_ITS_OWN:
            return isinstance(error, PortalBlocked)
        case Health.ILL | Health.ILL_BY_QUESTION:
            return True


def _count(row: Breaker, permit: Permit, error: PortalError, now: datetime) -> None:
    """One more failure: slow down where it turned us away, and leave it alone where that is due."""
    row.failures = min(row.failures + 1, 10_000)
    if error.reason.facts.slows:
        row.slowness, row.slow_until = min(SLOWEST, row.slowness * 2), now + SLOW_FOR
    asked_for = timedelta(seconds=error.retry_after) if error.retry_after else timedelta(0)
    due = row.failures >= FAILURES and row.open_until is None
    if not (due or permit.is_probe or asked_for):
        return
    rest = timedelta(0)
    if due or permit.is_probe:
        rest = min(LONGEST_REST, FIRST_REST * 2 ** min(row.trips, 8))
        row.trips = min(row.trips + 1, 10_000)
        jurisdictions.degrade(code=permit.state, reason=error.reason.facts.customer)
    rest = max(rest, min(asked_for, LONGEST_ASKED_FOR))
    row.open_until = max(row.open_until or now, now + rest)
    row.reason, row.detail = error.reason.value, error.detail[:500]
    _unprobe(row, permit)


def _unprobe(row: Breaker, permit: Permit) -> None:
    if row.probe_until == permit.probe_until:  # else it came too late, and another tries the portal now
        row.probe_until = None
