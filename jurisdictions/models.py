"""What operators or health change about a jurisdiction; all else is an attribute in code."""

from __future__ import annotations

from django.db import models

from jurisdictions.codes import PLACES


class Jurisdiction(models.Model):
    """One row a jurisdiction: its switch and its health."""

    STATUSES = ("active", "degraded", "inactive")

    code = models.CharField(max_length=2, primary_key=True)
    enabled = models.BooleanField(default=False, help_text="Whether this registry is asked at all.")
    status = models.CharField(max_length=8, choices=[(word, word) for word in STATUSES], default="inactive")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it is off or degraded; shown to customers.")
    note = models.TextField(blank=True, help_text="For operators only.")
    last_tested_at = models.DateTimeField(null=True, blank=True)
    verified_live_at = models.DateTimeField(null=True, blank=True, help_text="When a live answer was last confirmed.")
    contact = models.JSONField(
        null=True, blank=True, editable=False, help_text="What came of asking for its canaries last."
    )

    class Meta:
        ordering = ["code"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=("active", "degraded", "inactive")), name="jurisdiction_status"
            ),
            models.CheckConstraint(
                condition=models.Q(enabled=True) | models.Q(status="inactive"), name="jurisdiction_off_is_inactive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"

    @property
    def name(self) -> str:
        """The jurisdiction's name."""
        return PLACES[self.code].name


class SwitchChange(models.Model):
    """One turn of a jurisdiction's switch by a person; kept for ever, so that no reason is lost with the next turn."""

    jurisdiction = models.ForeignKey(Jurisdiction, on_delete=models.PROTECT, related_name="switch_changes")
    enabled = models.BooleanField(verbose_name="on", help_text="How it was left.")
    sentence = models.CharField(
        max_length=300, blank=True, help_text="What customers read from then on, or had read until then."
    )
    why = models.CharField(max_length=500, blank=True, help_text="For operators: why it was done.")
    terms = models.CharField(max_length=1000, blank=True, help_text="What the portal's owner said of programs then.")
    operator = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(enabled=True) | ~models.Q(sentence=""), name="switch_off_says_why_to_customers"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.jurisdiction_id} {'on' if self.enabled else 'off'} by {self.operator}"
