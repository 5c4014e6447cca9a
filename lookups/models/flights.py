"""A question on its way to a portal, visible to every process, so that the same question is not asked twice at once."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q


class Flight(models.Model):
    """One fetch. The row is the lease: who finds it in the air waits for its landing instead of asking again.

    A pilot that died leaves a lease that runs out; the next one takes the same flight over, so that those who
    wait for it are still served.
    """

    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    question = models.CharField(max_length=64)
    sandbox = models.BooleanField(default=False)
    pilot = models.UUIDField(default=uuid.uuid4, help_text="Who asks the portal; changes on a take-over.")
    lease_until = models.DateTimeField()
    landed_at = models.DateTimeField(null=True, blank=True)
    landing = models.JSONField(null=True, blank=True, help_text="What came of it, for those who waited.")
    started_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "state", "kind", "sandbox"],
                condition=Q(landed_at__isnull=True),
                name="flight_once_in_the_air",
            ),
            models.CheckConstraint(
                condition=Q(landed_at__isnull=True, landing__isnull=True)
                | Q(landed_at__isnull=False, landing__isnull=False),
                name="flight_lands_with_something",
            ),
        ]
        indexes = [models.Index(fields=["landed_at"], name="flight_by_landing")]

    def __str__(self) -> str:
        return f"{self.state} {self.kind} flight #{self.pk}"
