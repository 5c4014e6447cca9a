"""How operators narrow the list of jobs: by kind, by the reason of a failure, and by age."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from lookups.models import Job
from lookups.models.jobs import is_stuck
from lookups.verdicts import Breakdown, Verdict
from scrapers.failures import list_unanswered


def _failed(verdict: Verdict, reason: str) -> Q:
    return Q(lookup__verdict=verdict.value, lookup__reason=reason)


REASONS: dict[str, tuple[str, Q]] = {
    **{failure.value: (failure.label, _failed(Verdict.UNAVAILABLE, failure.value)) for failure in list_unanswered()},
    **{why.value: (why.facts.label, _failed(Verdict.FAILED, why.value)) for why in Breakdown},
    **{end.value: (end.facts.label, Q(lookup__verdict=end.value)) for end in (Verdict.REFUSED, Verdict.CANCELLED)},
}


class KindFilter(admin.SimpleListFilter):
    """Asked one by one, as part of a bulk request, or by a watch."""

    title, parameter_name = "kind", "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("single", "single"), ("bulk", "of a bulk request"), ("watch", "of a watch")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        of = {"single": Job.objects.single(), "bulk": Job.objects.of_bulk_jobs(), "watch": Job.objects.of_watches()}
        chosen = of.get(self.value() or "")
        return queryset if chosen is None else queryset.filter(pk__in=chosen)


class ReasonFilter(admin.SimpleListFilter):
    """Why it failed."""

    title, parameter_name = "reason", "why"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(word, label) for word, (label, _) in REASONS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        chosen = REASONS.get(self.value() or "")
        return queryset.filter(chosen[1], status=Job.Status.FAILED) if chosen else queryset


class AgeFilter(admin.SimpleListFilter):
    """Since when, and whether it is later than it should be."""

    title, parameter_name = "age", "age"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("open", "open now"),
            ("hour", "of the last hour"),
            ("day", "of the last day"),
            ("waiting", "open for over five minutes"),
            ("stuck", "stuck: its worker was lost"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        now = timezone.now()
        which = {
            "open": Q(status__in=Job.OPEN),
            "hour": Q(created_at__gte=now - timedelta(hours=1)),
            "day": Q(created_at__gte=now - timedelta(days=1)),
            "waiting": Q(status__in=Job.OPEN, created_at__lte=now - timedelta(minutes=5)),
            "stuck": is_stuck(now),
        }.get(self.value() or "")
        return queryset if which is None else queryset.filter(which)
