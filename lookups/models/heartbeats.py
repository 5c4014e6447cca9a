"""Which processes of the service live: each writes its own row every few seconds, and takes it away when it ends."""

from __future__ import annotations

import uuid

from django.db import models


class Heartbeat(models.Model):
    """One process. A row whose time grows old is of a process that was killed, hangs, or cannot reach the database."""

    class Role(models.TextChoices):
        """What a process does, as it is started by `python -m config.launch`."""

        WEB = "web", "web"
        WORKER = "worker", "worker"
        BULK = "bulk", "bulk worker"
        BEAT = "beat", "clock"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    role = models.CharField(max_length=6, choices=Role.choices)
    host = models.CharField(max_length=253)
    pid = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField()

    class Meta:
        ordering = ["role", "started_at"]

    def __str__(self) -> str:
        return f"{self.role} on {self.host} ({self.pid})"
