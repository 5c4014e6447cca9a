"""Which ask was made under an `Idempotency-Key`, so that a repetition is the same ask and pays nothing."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models


class IdempotencyQuerySet(models.QuerySet["IdempotencyRecord"]):
    """Keys by how far their first request is."""

    def running(self) -> Self:
        """Those whose request is not answered yet."""
        return self.filter(is_answered=False)

    def expired(self, now: datetime) -> Self:
        """Those whose time is over."""
        return self.filter(expires_at__lte=now)


class IdempotencyRecord(models.Model):
    """One key of one account. While the first request runs its lease says how long that may take.

    `ask_id` goes with the work (and its money): whoever takes a broken first request over settles under the same
    id, so a crash between charging and answering never charges twice. The lookup or bulk job of that id is what every
    repetition is answered with.
    """

    account = models.ForeignKey("billing.Account", on_delete=models.CASCADE, related_name="+", db_index=False)
    sandbox = models.BooleanField(default=False, help_text="Asked with a test key: a live request is another one.")
    key = models.CharField(max_length=255)
    body_hash = models.CharField(max_length=64)
    ask_id = models.UUIDField(default=uuid.uuid4)
    claim = models.UUIDField(default=uuid.uuid4, help_text="Who works on it; changes when it is taken over.")
    lease_until = models.DateTimeField()
    is_answered = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    objects = IdempotencyQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["account", "sandbox", "key"], name="idempotency_once_per_key")]
        indexes = [models.Index(fields=["expires_at"], name="idempotency_by_expiry")]

    def __str__(self) -> str:
        return f"idempotency key #{self.pk} ({'answered' if self.is_answered else 'running'})"
