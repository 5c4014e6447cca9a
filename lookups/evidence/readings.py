"""Readings that nobody's answer rests on: canaries, first contacts, questions that nobody waited for to the end."""

from __future__ import annotations

from datetime import datetime

from scrapers.models import Reading

SLICE = 1000  # rows that go together


def prune(*, now: datetime) -> int:
    """Forget them once their time is over; returns how many. One that an answer cites stays as long as the answer."""
    forgotten = 0
    idle = Reading.objects.filter(keep_until__lt=now, lookups=None, answers=None, versions=None).order_by()
    while numbers := list(idle.values_list("pk", flat=True)[:SLICE]):
        forgotten += Reading.objects.filter(pk__in=numbers).delete()[0]
    return forgotten
