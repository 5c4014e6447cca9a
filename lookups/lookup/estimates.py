"""How long an answer will take, by how long the registry's last answers took."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from django.core.cache import cache

from scrapers.models import ScrapeAttempt
from scrapers.portal import Portal

MEASURED_OVER = timedelta(hours=24)
ENOUGH, AT_MOST = 5, 100  # fewer answers prove nothing, more add nothing
SHARE = 0.75  # so long that three of four were faster: rather early than late
QUICK = 0.25
LEAST_LEFT = 5
REMEMBERED = 60  # seconds, in this process: a day's times change no faster, and every live lookup asks for them


def seconds(portal: Portal, *, now: datetime) -> int:
    """Seconds that a fetch of this state takes; what its portal declares where too little was measured."""
    if portal.sandbox:
        return portal.estimated_seconds
    return _measured(portal.code, now) or portal.estimated_seconds


def still(state: str, waited: float, *, now: datetime) -> int:
    """Seconds that a fetch will still take which has taken `waited` seconds already."""
    return max(LEAST_LEFT, (_measured(state, now) or 0) - int(waited))


def outlasts(state: str, patience: float, *, now: datetime) -> bool:
    """Whether even the quick answers of this state took longer than `patience` seconds; too few prove nothing.

    Its quickest quarter, because a time has the wait for a turn in it: an hour's rush makes no registry slow.
    """
    return (_measured(state, now, share=QUICK) or 0) > patience


def _measured(state: str, now: datetime, *, share: float = SHARE) -> int | None:
    took: list[int] | None = cache.get_or_set(f"durations:{state}", lambda: _durations(state, now), REMEMBERED)
    if took is None or len(took) < ENOUGH:
        return None
    return max(1, math.ceil(took[math.ceil(len(took) * share) - 1] / 1000))


def _durations(state: str, now: datetime) -> list[int]:
    """Milliseconds of the last answers, the quickest first."""
    answered = ScrapeAttempt.objects.filter(
        state=state, sandbox=False, started_at__gte=now - MEASURED_OVER, outcome__in=("found", "not_found")
    )
    return sorted(answered.order_by("-started_at").values_list("duration_ms", flat=True)[:AT_MOST])
