"""Up to a thousand questions in one request. Each row is a lookup; each different question has one job."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models


class BulkJobQuerySet(models.QuerySet["BulkJob"]):
    """Bulk jobs by how far they are."""

    def open(self) -> Self:
        """Those that have not ended."""
        return self.filter(ended_at__isnull=True)


class BulkJob(models.Model):
    """One request. Its price is held as a whole and settled job by job; the jobs say how far it is."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="bulk_jobs")
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, related_name="+")
    hold = models.ForeignKey("billing.Hold", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    accepts_stored = models.BooleanField()
    stored_price = models.BigIntegerField(
        default=0, help_text="Of a stored answer, quoted when it was accepted, in 1/10,000 USD."
    )
    total = models.PositiveIntegerField(help_text="Rows asked for, repetitions counted.")
    questions = models.PositiveIntegerField(help_text="Different questions: what is fetched and paid for.")
    webhook_url = models.CharField(
        max_length=500, blank=True, default="", help_text="Told when it has ended; empty: the account's."
    )
    emails_results = models.BooleanField(default=False, help_text="Its results are mailed to the account.")
    request_id = models.CharField(max_length=64, blank=True, default="")
    asked_hash = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of all that was asked; empty: before it was kept."
    )
    created_at = models.DateTimeField()
    deadline = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = BulkJobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["ended_at"], name="bulk_by_end")]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        """What the customer calls it."""
        return f"bulk_{self.id.hex}"
