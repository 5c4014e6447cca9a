"""Where request counts and running lookups are counted when there is no Redis."""

from __future__ import annotations

from django.db import models


class RateWindow(models.Model):
    """How many requests a subject made in its current window; one row per subject."""

    subject = models.CharField(max_length=100, primary_key=True)
    window = models.BigIntegerField(help_text="Start of the window, epoch seconds.")
    count = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.subject}: {self.count} since {self.window}"


class ConcurrencySlot(models.Model):
    """One of the places a subject may occupy at a time; free again when its lease runs out."""

    subject = models.CharField(max_length=100)
    number = models.IntegerField()
    token = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.FloatField(default=0, help_text="Epoch seconds; in the past: free.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["subject", "number"], name="slot_once_per_number")]

    def __str__(self) -> str:
        return f"{self.subject} slot {self.number}"
