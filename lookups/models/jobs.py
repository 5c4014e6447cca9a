"""A lookup that is answered later. The row is the truth about it: a message in the queue only wakes a worker."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q


class Job(models.Model):
    """One question that was accepted, paid for by a hold, and ends once: complete or failed.

    A worker owns it by its `claim` until `lease_until`; a job whose worker was lost goes back to pending and is
    settled under the same `ask_id`, so it is charged once or not at all.
    """

    class Status(models.TextChoices):
        """The words of the wire."""

        PENDING = "pending", "pending"
        PROCESSING = "processing", "processing"
        COMPLETE = "complete", "complete"
        FAILED = "failed", "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="jobs")
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, related_name="+")
    hold = models.ForeignKey("billing.Hold", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    bulk = models.ForeignKey("lookups.BulkJob", on_delete=models.CASCADE, null=True, blank=True, related_name="jobs")
    position = models.PositiveIntegerField(default=0, help_text="First row of the bulk request that asks this.")
    ask_id = models.UUIDField(unique=True)
    state = models.CharField(max_length=2)
    question = models.JSONField(help_text="The whole question, to ask it again after a crash.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True, help_text="The registry failed; tried again from then on.")
    attempts = models.PositiveSmallIntegerField(default=0)
    estimated_seconds = models.PositiveIntegerField()
    reply_status = models.PositiveSmallIntegerField(null=True, blank=True)
    reply = models.JSONField(null=True, blank=True, help_text="The body the customer gets.")
    request_id = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField()
    deadline = models.DateTimeField(help_text="When it fails if nobody answered it by then.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="pending", claim__isnull=True, ended_at__isnull=True)
                | Q(status="processing", claim__isnull=False, lease_until__isnull=False, ended_at__isnull=True)
                | Q(status__in=["complete", "failed"], ended_at__isnull=False, reply__isnull=False),
                name="job_fits_its_status",
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=Q(status__in=["pending", "processing"]), name="job_open"),
            models.Index(fields=["key"], condition=Q(status__in=["pending", "processing"]), name="job_open_by_key"),
            models.Index(fields=["ended_at"], name="job_by_end"),
            models.Index(
                fields=["account", "state", "created_at", "position"],
                condition=Q(status__in=["pending", "processing"], bulk__isnull=False),
                name="job_open_of_bulk",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} ({self.status})"

    @property
    def public_id(self) -> str:
        """What the customer calls it."""
        return f"job_{self.id.hex}"
