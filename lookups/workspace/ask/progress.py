"""How far one lookup is, in the words of somebody who waits for it: who is asked, since when, and what happens next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from jurisdictions.codes import PLACES
from lookups import bodies
from lookups.jobs import waiting
from lookups.models import Job, Lookup

NOTHING_YET = "Nothing is charged until it answers."


@dataclass(frozen=True, slots=True)
class Progress:
    """What the page says of a lookup that is open; `seconds` since it was asked, `poll_ms` until one should look."""

    title: str
    text: str
    seconds: int
    poll_ms: int

    @property
    def refresh_seconds(self) -> int:
        """When a page without script loads itself again."""
        return max(2, self.poll_ms // 1000)


def read_progress(lookup: Lookup, *, now: datetime) -> Progress:
    """How far it is; only of one that has not ended."""
    name, job = PLACES[lookup.state].name, bodies.find_job(lookup)
    seconds = max(0, int((now - lookup.created_at).total_seconds()))
    if job is None:
        return Progress(f"Asking {name}…", NOTHING_YET, seconds, poll_ms=1000)
    forecast = waiting.forecast(job, now=now)
    if forecast.next_try_at is not None:
        text = f"It is queued, and {name} is asked again at {forecast.next_try_at:%H:%M} UTC. {NOTHING_YET}"
        return Progress(f"{name} did not answer", text, seconds, forecast.poll_ms)
    if job.status == Job.Status.PENDING:
        text = f"It is queued, and answered in about {_write_seconds(forecast.seconds)}. {NOTHING_YET}"
        return Progress(f"{name} is slow", text, seconds, poll_ms=2000)
    return Progress(f"Asking {name}…", f"{_write_estimate(seconds, job)} {NOTHING_YET}".strip(), seconds, poll_ms=1000)


def _write_estimate(seconds: int, job: Job) -> str:
    left = job.estimated_seconds - seconds
    return f"It takes about {_write_seconds(left)} more." if left > 1 else "It is taking longer than usual."


def _write_seconds(seconds: int) -> str:
    if seconds < 90:
        return f"{max(1, seconds)} seconds"
    return f"{round(seconds / 60)} minutes"
