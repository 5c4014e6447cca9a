"""One fetch for one question at a time: who asks what is already being asked waits for that answer.

The lease is a database row, so this holds across threads, processes and machines. Every waiting caller still pays
for its own answer; that is the caller's business, not done here.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction

from lookups.models import Flight
from lookups.questions import Question

Landing = dict[str, Any]

GRACE = timedelta(seconds=10)  # what storing an answer may take on top of fetching it
_FIRST_LOOK, _LOOK_EVERY = 0.05, 0.25
_KEEP = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place on a flight; the pilot is the one who asks the portal. `attempt_id`: the row that tells how, by then."""

    flight_id: int
    pilot: uuid.UUID | None
    attempt_id: int | None = None

    @property
    def is_pilot(self) -> bool:
        """Whether this caller has to fetch."""
        return self.pilot is not None


class FlightLost(Exception):
    """The fetch that this caller shared broke down inside the service; nothing is known of the question."""


def board(*, question: Question, sandbox: bool, budget_seconds: float, now: datetime) -> Ticket:
    """Start a flight for this question, or join the one that is in the air."""
    asks = {"question": question.digest, "state": question.state, "kind": question.kind, "sandbox": sandbox}
    lease_until = now + timedelta(seconds=budget_seconds) + GRACE
    while True:
        pilot = uuid.uuid4()
        try:
            with transaction.atomic():
                flight = Flight.objects.create(**asks, pilot=pilot, lease_until=lease_until, started_at=now)
            return Ticket(flight.pk, pilot)
        except IntegrityError:
            found = Flight.objects.filter(**asks, landed_at__isnull=True).values_list("pk", "lease_until").first()
        if found is None:
            continue  # it landed between our two looks: this is a new question again
        if found[1] <= now and _take_over(found[0], pilot, lease_until, now):
            return Ticket(found[0], pilot)
        return Ticket(found[0], None)


def wait(
    ticket: Ticket, *, budget_seconds: float, now: datetime
) -> tuple[Ticket, Landing | None]:  # fmt: skip
    """Wait until the flight lands. Returns the landing, None when the budget is used up, or a pilot's ticket.

    The latter when the pilot's lease ran out: the caller then asks the portal itself.
    """
    started, pause = time.monotonic(), _FIRST_LOOK
    while True:
        elapsed = time.monotonic() - started
        moment = now + timedelta(seconds=elapsed)
        row = Flight.objects.filter(pk=ticket.flight_id).values_list("landing", "lease_until").first()
        if row is None:
            raise FlightLost
        landing, lease_until = row
        if landing is not None:
            return ticket, landing
        left = budget_seconds - elapsed
        if left <= 0:
            return ticket, None
        if lease_until <= moment:
            pilot = uuid.uuid4()
            if _take_over(ticket.flight_id, pilot, moment + timedelta(seconds=left) + GRACE, moment):
                return Ticket(ticket.flight_id, pilot), None
        release_connection()
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LOOK_EVERY)


def land(ticket: Ticket, *, landing: Landing, now: datetime) -> None:
    """Tell those who wait what came of it; does nothing when somebody took the flight over meanwhile."""
    assert ticket.pilot is not None
    mine = Flight.objects.filter(pk=ticket.flight_id, pilot=ticket.pilot, landed_at__isnull=True)
    told = {"attempt_id": ticket.attempt_id} if ticket.attempt_id else {}
    mine.update(landing={**landing, **told}, landed_at=now)


def prune(*, now: datetime) -> int:
    """Forget flights that landed an hour ago or were abandoned; returns how many."""
    landed, _ = Flight.objects.filter(landed_at__lt=now - _KEEP).delete()
    lost, _ = Flight.objects.filter(landed_at__isnull=True, lease_until__lt=now - _KEEP).delete()
    return landed + lost


def release_connection() -> None:
    """Give the database connection back before something slow: 100 waiting threads must not hold 100 of them."""
    if not connection.in_atomic_block:
        connection.close()


def _take_over(flight_id: int, pilot: uuid.UUID, lease_until: datetime, now: datetime) -> bool:
    """Become the pilot of a flight whose lease ran out; of several who try, one does."""
    abandoned = Flight.objects.filter(pk=flight_id, landed_at__isnull=True, lease_until__lte=now)
    return bool(abandoned.update(pilot=pilot, lease_until=lease_until))
