"""One row an attempt: what operators need to see why a state did not answer."""

from __future__ import annotations

from django.db import models


class ScrapeAttempt(models.Model):
    """One conversation with one portal. Never holds a page, a key or a customer's account."""

    OUTCOMES = (
        "found",
        "not_found",
        "down",
        "blocked",
        "layout_changed",
        "rate_limited",
        "disabled",
        "timeout",
        "refused",
    )

    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    question = models.CharField(max_length=200)
    sandbox = models.BooleanField(default=False)
    outcome = models.CharField(max_length=16, choices=[(word, word.replace("_", " ")) for word in OUTCOMES])
    detail = models.TextField(blank=True)
    stages = models.JSONField(default=list)
    unread_labels = models.PositiveIntegerField(default=0)
    duration_ms = models.PositiveIntegerField()
    version = models.CharField(max_length=16)
    started_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["state", "-started_at"], name="attempt_state_time")]
        ordering = ["-started_at"]

    def __str__(self) -> str:
        return f"{self.state} {self.question}: {self.outcome}"
