"""A question on its way to a portal, visible to every process, so that the same question is not asked twice at once."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q


class SharedFetchQuerySet(models.QuerySet["SharedFetch"]):
    """Fetches by how far they are."""

    def open(self) -> Self:
        """Those that are under way."""
        return self.filter(ended_at__isnull=True)

    def abandoned(self, now: datetime) -> Self:
        """Those under way whose leader's lease ran out."""
        return self.open().filter(lease_until__lte=now)


class SharedFetch(models.Model):
    """One fetch. The row is the lease: who finds it under way waits for its result instead of asking again.

    A leader that died leaves a lease that runs out; the next one takes the same fetch over, so that those who
    wait for it are still served.
    """

    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    question = models.CharField(max_length=64)
    sandbox = models.BooleanField(default=False)
    leader = models.UUIDField(default=uuid.uuid4, help_text="Who asks the portal; changes on a take-over.")
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True, help_text="What came of it, for those who waited.")
    started_at = models.DateTimeField()

    objects = SharedFetchQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "state", "kind", "sandbox"],
                condition=Q(ended_at__isnull=True),
                name="fetch_once_under_way",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, result__isnull=True)
                | Q(ended_at__isnull=False, result__isnull=False),
                name="fetch_ends_with_result",
            ),
        ]
        indexes = [models.Index(fields=["ended_at"], name="fetch_by_end")]

    def __str__(self) -> str:
        return f"{self.state} {self.kind} fetch #{self.pk}"
