"""The health of the queue: what waits, what runs, what is stuck, and whether anybody works, read from the jobs' rows.

The rows are the truth; the broker's depth stands beside them, since many messages and few jobs (or the reverse) say
that something between the two is wrong. Counts are of the open jobs alone, which have an index of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import BooleanField, Count, DateTimeField, ExpressionWrapper, F, Max, Min, Q
from django.db.models.functions import Coalesce

from lookups.jobs import lifecycle
from lookups.models import Job
from lookups.models.jobs import is_ready, is_running, is_stuck
from lookups.verdicts import Verdict, find_breakdown, find_verdict
from scrapers.failures import find_failure

OVER = timedelta(hours=1)
QUIET = timedelta(minutes=1)  # due work that nobody took for so long: nobody works
BUSIEST = 5
KINDS = ("single", "bulk")
_IS_QUEUED = ExpressionWrapper(Q(bulk__isnull=False) | Q(watch__isnull=False), output_field=BooleanField())


@dataclass(slots=True)
class Line:
    """One kind of jobs. `waiting` are due or put off (`later`); `stuck` ones have lost their worker.

    `oldest` is when the oldest open one was accepted, `due_since` since when the longest due one could have been taken,
    `last_sign` the last moment at which somebody took or ended one (None: not in the last hour).
    """

    kind: str
    waiting: int = 0
    due: int = 0
    later: int = 0
    running: int = 0
    stuck: int = 0
    oldest: datetime | None = None
    due_since: datetime | None = None
    last_sign: datetime | None = None
    ended: dict[str, int] = field(default_factory=dict)
    accounts: list[tuple[int, str, int]] = field(default_factory=list)

    def is_quiet(self, now: datetime) -> bool:
        """Whether work has been due for a minute, and for as long nobody has taken or ended any."""
        waits = self.due_since is not None and self.due_since <= now - QUIET
        return waits and (self.last_sign is None or self.last_sign <= now - QUIET)

    def is_left_lying(self, now: datetime) -> bool:
        """Whether work has been due for a minute while nobody has any: the same, of the open jobs alone."""
        return not self.running and self.due_since is not None and self.due_since <= now - QUIET


def read(*, now: datetime) -> list[Line]:
    """Single jobs and those of bulk requests and watches (which share a worker), in three queries."""
    lines = {line.kind: line for line in count_open(now=now)}
    _count_ended(lines, now)
    _find_busiest(lines)
    return list(lines.values())


def count_open(*, now: datetime) -> list[Line]:
    """What is open of each kind, in one query; nothing of what has ended."""
    lines = {kind: Line(kind) for kind in KINDS}
    ready, running = is_ready(now), is_running(now)
    counted = (
        Job.objects.open()
        .order_by()
        .values(is_queued=_IS_QUEUED)
        .annotate(
            waiting=Count("pk", filter=Q(status=Job.Status.PENDING)),
            due=Count("pk", filter=ready),
            running=Count("pk", filter=running),
            stuck=Count("pk", filter=is_stuck(now)),
            oldest=Min("created_at"),
            due_since=Min(Coalesce("not_before", "created_at", output_field=DateTimeField()), filter=ready),
            lease=Max("lease_until", filter=running),
        )
    )
    for row in counted:
        line = lines["bulk" if row["is_queued"] else "single"]
        line.waiting, line.due, line.later = row["waiting"], row["due"], row["waiting"] - row["due"]
        line.running, line.stuck = row["running"], row["stuck"]
        line.oldest, line.due_since = row["oldest"], row["due_since"]
        _note_sign(line, row["lease"] - lifecycle.LEASE if row["lease"] else None)
    return list(lines.values())


def _count_ended(lines: dict[str, Line], now: datetime) -> None:
    ended = (
        Job.objects.filter(ended_at__gt=now - OVER)
        .order_by()
        .values("lookup__verdict", "lookup__reason", is_queued=_IS_QUEUED)
        .annotate(number=Count("pk"), last=Max("ended_at"))
    )
    for row in ended:
        line = lines["bulk" if row["is_queued"] else "single"]
        word = _word(row["lookup__verdict"], row["lookup__reason"])
        line.ended[word] = line.ended.get(word, 0) + row["number"]
        _note_sign(line, row["last"])
    for line in lines.values():
        line.ended = dict(sorted(line.ended.items(), key=lambda one: -one[1]))


def _word(word: str | None, reason: str) -> str:
    """What a job that ended so is counted as."""
    verdict = find_verdict(word)
    if verdict is Verdict.UNAVAILABLE and reason:
        failure = find_failure(reason)
        return f"unavailable: {failure.plain if failure else reason}"
    if verdict is Verdict.FAILED:
        return find_breakdown(reason).facts.counted
    return verdict.facts.counted if verdict else "open"


def _find_busiest(lines: dict[str, Line]) -> None:
    """The accounts with the most open jobs of each kind."""
    rows = (
        Job.objects.open()
        .order_by()
        .values("account", name=F("account__name"), is_queued=_IS_QUEUED)
        .annotate(number=Count("pk"))
        .order_by("-number", "account")[:100]
    )
    for row in rows:
        line = lines["bulk" if row["is_queued"] else "single"]
        if len(line.accounts) < BUSIEST:
            line.accounts.append((row["account"], row["name"], row["number"]))


def _note_sign(line: Line, moment: datetime | None) -> None:
    if moment is not None and (line.last_sign is None or moment > line.last_sign):
        line.last_sign = moment
