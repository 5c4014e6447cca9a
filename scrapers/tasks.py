"""Upkeep of the portals' side: thin doors for the queue."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.db.models import Max
from django.utils import timezone

from jurisdictions.clock import now_at_most
from scrapers.bulk_data import refresh
from scrapers.evidence import bodies
from scrapers.models import ANSWERED, ScrapeAttempt
from scrapers.operations import contact_report

KEPT_FOR = timedelta(days=30)


@shared_task(name="scrapers.tasks.prune_attempts")
def prune_attempts(**_: object) -> int:
    """Delete attempts after 30 days; returns how many.

    Each registry's last good answer stays: how long ago that was is what operators ask first.
    """
    now = now_at_most()
    good = ScrapeAttempt.objects.filter(sandbox=False, outcome__in=ANSWERED).order_by()
    last = good.values("state").annotate(last=Max("pk")).values("last")
    old = ScrapeAttempt.objects.filter(started_at__lt=now - KEPT_FOR).exclude(pk__in=last)
    deleted, _by_model = old.delete()
    return deleted


@shared_task(name="scrapers.tasks.prune_bodies")
def prune_bodies(**_: object) -> int:
    """Forget what registries sent once it was kept for long enough, and what is too much; returns how many bodies."""
    return bodies.prune(now=now_at_most())


@shared_task(name="scrapers.tasks.sweep_bodies")
def sweep_bodies(**_: object) -> int:
    """Take away what killed processes left beside the bytes of evidence; returns how many files."""
    return bodies.sweep(now=now_at_most())


@shared_task(name="scrapers.tasks.meet_registries", acks_late=False)  # takes half an hour: never handed out twice
def meet_registries(**_: object) -> dict[str, str]:
    """Ask the registries that are on for their canaries, once one of them has been met; returns each result."""
    return contact_report.write_weekly(now=timezone.now())


@shared_task(name="scrapers.tasks.refresh_bulk_data", acks_late=False)  # may take hours: never handed out twice
def refresh_bulk_data(**_: object) -> dict[str, str]:
    """Fetch and load anew what registries publish as files; returns what came of each."""
    return refresh.refresh_all(now=timezone.now())
