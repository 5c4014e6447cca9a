"""One fetch for one question at a time: who asks what is already being asked waits for that answer.

The lease is a database row, so this holds across threads, processes and machines. Every waiting caller still pays
for its own answer; that is the caller's business, not done here.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from jurisdictions.prepared import Blank, Change, Insertion
from lookups.lookup.questions import Question
from lookups.models import SharedFetch

Result = dict[str, Any]

GRACE = timedelta(seconds=10)  # what storing an answer may take on top of fetching it
_FIRST_LOOK, _LOOK_EVERY = 0.05, 0.25
_BEGUN = Insertion(SharedFetch, once=True)
_ENDED = Change(
    lambda: SharedFetch.objects.open().filter(id=Blank("id"), leader=Blank("leader")), ("result", "ended_at")
)
KEPT_FOR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place on a fetch; the leader is the one who asks the portal. The rows that tell how are known by its end."""

    fetch_id: int
    leader: uuid.UUID | None
    attempt_id: int | None = None
    reading_id: int | None = None

    @property
    def is_leader(self) -> bool:
        """Whether this caller has to fetch."""
        return self.leader is not None


class FetchLost(Exception):
    """The fetch that this caller shared broke down inside the service; nothing is known of the question."""


class AnswerReplaced(Exception):
    """What the fetch has stored was replaced before this caller read it, perhaps by a company of another spelling."""


def join(*, question: Question, sandbox: bool, budget_seconds: float, now: datetime) -> Ticket:
    """Start a fetch for this question, or join the one that is under way."""
    asks = {"question": question.spelled, "state": question.state, "kind": question.kind, "sandbox": sandbox}
    lease_until = now + timedelta(seconds=budget_seconds) + GRACE
    while True:
        leader = uuid.uuid4()
        fetch = SharedFetch(**asks, leader=leader, lease_until=lease_until, started_at=now)
        if _BEGUN.write(fetch):
            return Ticket(fetch.pk, leader)
        found = SharedFetch.objects.open().filter(**asks).values_list("pk", "lease_until").first()
        if found is None:
            continue  # it ended between our two looks: this is a new question again
        if found[1] <= now and _take_over(found[0], leader, lease_until, now):
            return Ticket(found[0], leader)
        return Ticket(found[0], None)


def wait(ticket: Ticket, *, budget_seconds: float, now: datetime) -> tuple[Ticket, Result | None]:
    """Wait until the fetch ends. Returns the result, None when the budget is used up, or a leader's ticket.

    The latter when the leader's lease ran out: the caller then asks the portal itself.
    """
    for elapsed in looks(budget_seconds=budget_seconds):
        moment = now + timedelta(seconds=elapsed)
        row = SharedFetch.objects.filter(pk=ticket.fetch_id).values_list("result", "lease_until").first()
        if row is None:
            raise FetchLost
        result, lease_until = row
        if result is not None:
            return ticket, result
        left = budget_seconds - elapsed
        if left > 0 and lease_until <= moment:
            leader = uuid.uuid4()
            if _take_over(ticket.fetch_id, leader, moment + timedelta(seconds=left) + GRACE, moment):
                return Ticket(ticket.fetch_id, leader), None
    return ticket, None


def looks(*, budget_seconds: float) -> Iterator[float]:
    """Yield the seconds gone by: at once, again and again, and for the last time when the budget is used up.

    For whoever waits for what another process writes; between two looks the database connection is given back.
    """
    started, pause = time.monotonic(), _FIRST_LOOK
    while True:
        elapsed = time.monotonic() - started
        yield elapsed
        if elapsed >= budget_seconds:
            return
        release_connection()
        time.sleep(min(pause, budget_seconds - elapsed))
        pause = min(pause * 1.5, _LOOK_EVERY)


def finish(ticket: Ticket, *, result: Result, now: datetime) -> None:
    """Let those who wait know what came of it; does nothing when somebody took the fetch over meanwhile."""
    assert ticket.leader is not None
    made = {"attempt_id": ticket.attempt_id, "reading_id": ticket.reading_id} if ticket.attempt_id else {}
    _ENDED.run({"result": {**result, **made}, "ended_at": now}, id=ticket.fetch_id, leader=ticket.leader)


def leave(ticket: Ticket, *, now: datetime) -> None:
    """Give the fetch up without a result: of those who wait, one takes it over."""
    assert ticket.leader is not None
    SharedFetch.objects.open().filter(pk=ticket.fetch_id, leader=ticket.leader).update(lease_until=now)


def prune(*, now: datetime) -> int:
    """Forget fetches that ended an hour ago or were abandoned; returns how many."""
    ended, _ = SharedFetch.objects.filter(ended_at__lt=now - KEPT_FOR).delete()
    lost, _ = SharedFetch.objects.abandoned(now - KEPT_FOR).delete()
    return ended + lost


def release_connection() -> None:
    """Give the database connection back before something slow: 100 waiting threads must not hold 100 of them."""
    if not connection.in_atomic_block:
        connection.close()


def _take_over(fetch_id: int, leader: uuid.UUID, lease_until: datetime, now: datetime) -> bool:
    """Become the leader of a fetch whose lease ran out; of several who try, one does."""
    return bool(SharedFetch.objects.abandoned(now).filter(pk=fetch_id).update(leader=leader, lease_until=lease_until))
