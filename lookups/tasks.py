"""What lookups do by the clock: thin doors to the functions that do it."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from django.utils import timezone

from lookups.services import flights, idempotency


@shared_task(name="lookups.tasks.prune")
def prune(**_: Any) -> int:
    """Forget landed flights and idempotency keys whose time is over; returns how many."""
    now = timezone.now()
    return flights.prune(now=now) + idempotency.prune(now=now)
