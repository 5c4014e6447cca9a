"""How registries did lately, measured from the attempts: what /v1/states tells and what operators look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from jurisdictions.codes import PLACES
from scrapers.failures import Failure, Health
from scrapers.models import ANSWERED, ScrapeAttempt

OVER = timedelta(hours=24)
AT_MOST = 5_000  # attempts; newer ones first, so a busy day is measured over its last hours
ENOUGH = 30  # of one state: with fewer among those, its own newest ones of the whole day are looked at
_NO_FAILURE = {*ANSWERED, *(failure.value for failure in Failure if failure.is_answer)}
_NOT_ASKED = {failure.value for failure in Failure if failure.facts.health is Health.UNKNOWN}


@dataclass(frozen=True, slots=True)
class Measured:
    """How a registry did in the last 24 hours: milliseconds, the share of attempts it answered (0..1), their number."""

    p50_ms: int | None = None
    p95_ms: int | None = None
    success_rate: float | None = None
    attempts: int = 0


def measure(*, now: datetime) -> Mapping[str, Measured]:
    """By state; one that nobody asked is not in it. The sandbox does not count."""
    lately = (
        ScrapeAttempt.objects.filter(sandbox=False, started_at__gte=now - OVER)
        .exclude(outcome__in=_NOT_ASKED)
        .order_by("-started_at")
    )
    rows = list(lately.values_list("state", "outcome", "duration_ms")[:AT_MOST])
    by_state: dict[str, list[tuple[str, int]]] = {state: [] for state in PLACES}
    for state, outcome, duration in rows:
        by_state.setdefault(state, []).append((outcome, duration))
    if len(rows) == AT_MOST:  # whole states may be behind those
        for state in [state for state, attempts in by_state.items() if len(attempts) < ENOUGH]:
            by_state[state] = list(lately.filter(state=state).values_list("outcome", "duration_ms")[:ENOUGH])
    return {state: _summary(attempts) for state, attempts in by_state.items() if attempts}


def _summary(attempts: list[tuple[str, int]]) -> Measured:
    good = sorted(duration for outcome, duration in attempts if outcome in _NO_FAILURE)
    rate = round(len(good) / len(attempts), 4)
    return Measured(_nearest(good, 0.50), _nearest(good, 0.95), rate, len(attempts))


def _nearest(ordered: list[int], share: float) -> int | None:
    """Nearest-rank percentile."""
    return ordered[max(0, -int(-len(ordered) * share // 1) - 1)] if ordered else None
