"""What a customer is told of a watched company: each change once, numbered for whoever reads them in order."""

from __future__ import annotations

import uuid

from django.db import models


class WatchEvent(models.Model):
    """One thing that happened to a watch. Never changed, but for the mail that has told it.

    `number` counts an account's events of one mode without a gap and in the order they become visible, so that nobody
    who reads on from the last number he saw misses one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey(
        "billing.Account", on_delete=models.PROTECT, related_name="watch_events", db_index=False
    )
    watch = models.ForeignKey("lookups.Watch", on_delete=models.CASCADE, related_name="events", db_index=False)
    watch_check = models.ForeignKey(
        "lookups.WatchCheck", on_delete=models.CASCADE, null=True, blank=True, related_name="events"
    )
    sandbox = models.BooleanField()
    number = models.PositiveBigIntegerField()
    category = models.CharField(max_length=11)
    code = models.CharField(max_length=24)
    severity = models.CharField(max_length=6)
    changes = models.JSONField(default=list, help_text="path, before and after of each.")
    reason = models.CharField(max_length=20, blank=True, default="", help_text="Why a watch was paused.")
    before = models.ForeignKey("lookups.Lookup", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    after = models.ForeignKey("lookups.Lookup", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True, help_text="When it was put into a mail.")
    mail = models.ForeignKey(
        "lookups.Delivery", on_delete=models.SET_NULL, null=True, blank=True, related_name="mailed_events"
    )

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["account", "sandbox", "number"], name="watch_event_once_per_number"),
        ]
        indexes = [
            models.Index(fields=["watch", "number"], name="watch_event_by_watch"),
            models.Index(fields=["account"], condition=models.Q(mailed_at__isnull=True), name="watch_event_not_mailed"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} ({self.code})"

    @property
    def public_id(self) -> str:
        """What the customer calls it."""
        return f"evt_{self.id.hex}"
