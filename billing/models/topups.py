"""Top-ups by card, and which messages of the card provider were seen: each counts once."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.models.accounts import Account


class TopUp(models.Model):
    """A customer's way to the card page and back; credited by the provider's signed message alone."""

    class State(models.TextChoices):
        """created: no money yet. mismatch: paid, but not what was asked for; a person has to look."""

        CREATED = "created", "created"
        PAID = "paid", "paid"
        EXPIRED = "expired", "expired"
        FAILED = "failed", "failed"
        MISMATCH = "mismatch", "does not match"

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="topups")
    amount = models.BigIntegerField(help_text="In 1/10,000 USD.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.CREATED)
    session_id = models.CharField(max_length=255, null=True, unique=True, help_text="The provider's checkout session.")
    payment_intent = models.CharField(max_length=255, null=True, unique=True)
    taken_back = models.BigIntegerField(default=0, help_text="Refunded or disputed, in 1/10,000 USD.")
    shortfall = models.BigIntegerField(default=0, help_text="Taken back by the provider, but spent before.")
    created_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="topup_of_something")]

    def __str__(self) -> str:
        return f"top-up #{self.pk} ({self.state})"


class ProviderEvent(models.Model):
    """A message of the card provider that was handled; its id is unique, so a repetition does nothing."""

    event_id = models.CharField(max_length=255, unique=True)
    kind = models.CharField(max_length=100)
    outcome = models.CharField(max_length=100, blank=True, default="")
    waits_for = models.CharField(
        max_length=255, blank=True, default="", db_index=True, help_text="A payment whose top-up is not known yet."
    )
    content = models.JSONField(null=True, editable=False, help_text="The message, kept only while it waits.")
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
