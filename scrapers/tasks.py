"""Upkeep of the portals' side: thin doors for the queue."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from scrapers import refreshing
from scrapers.models import ScrapeAttempt

KEEP = timedelta(days=30)


@shared_task(name="scrapers.tasks.prune_attempts")
def prune_attempts(**_: object) -> int:
    """Delete attempts older than 30 days; returns how many."""
    deleted, _by_model = ScrapeAttempt.objects.filter(started_at__lt=timezone.now() - KEEP).delete()
    return deleted


@shared_task(name="scrapers.tasks.refresh_registers", acks_late=False)  # may take hours: never handed out twice
def refresh_registers(**_: object) -> dict[str, str]:
    """Fetch and load the published registers anew; returns what came of each."""
    return refreshing.refresh_all(now=timezone.now())
