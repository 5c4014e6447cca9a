"""Whether the service does what it promises: which of its processes live, and since when work is due.

Read from the heartbeats and from the rows of what waits; the broker is not asked, since a message only wakes a worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Min

from lookups.jobs import queue_status
from lookups.models import Delivery
from lookups.operations import heartbeats
from lookups.operations.heartbeats import Beat

TAKES = {heartbeats.Role.WORKER: "single", heartbeats.Role.BULK: "bulk"}  # whose turn it is when such a job is due


class State(StrEnum):
    """How the processes of one role do."""

    OK = "ok"
    DOWN = "down"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class Component:
    """The processes of one role. `age`: since the last sign of any of them; None when there was none for an hour.

    `stalled`: one lives, but work has been due for a minute, and nobody has taken any.
    """

    role: str
    state: State
    alive: int
    age: timedelta | None


@dataclass(frozen=True, slots=True)
class OldestDue:
    """For how many seconds the oldest work of each kind could have been done already; None where none is due."""

    lookups: int | None
    bulk_rows: int | None
    messages: int | None


@dataclass(frozen=True, slots=True)
class Work:
    """What the service has of processes, and what they leave lying."""

    components: list[Component]
    oldest_due: OldestDue

    @property
    def is_done(self) -> bool:
        """Whether every role is filled and takes what is due."""
        return all(component.state is State.OK for component in self.components)


def read(*, now: datetime) -> Work:
    """Four roles and three kinds of work, in three queries."""
    beats = heartbeats.list_beats()
    lines = {line.kind: line for line in queue_status.count_open(now=now)}
    stalled = {role for role, kind in TAKES.items() if lines[kind].is_left_lying(now)}
    due = Delivery.objects.due(now).aggregate(since=Min("next_at"))["since"]
    return Work(
        [_component(role, [beat for beat in beats if beat.role == role], role in stalled) for role in heartbeats.Role],
        OldestDue(_age(lines["single"].due_since, now), _age(lines["bulk"].due_since, now), _age(due, now)),
    )


def _component(role: str, beats: list[Beat], stalled: bool) -> Component:
    alive = sum(beat.is_alive for beat in beats)
    ages = [abs(beat.age) for beat in beats]
    state = State.DOWN if not alive else State.STALLED if stalled else State.OK
    return Component(role, state, alive, min(ages, default=None))


def _age(since: datetime | None, now: datetime) -> int | None:
    return None if since is None else max(0, int((now - since).total_seconds()))
