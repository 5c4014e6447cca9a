"""Payments that came with a request: what was claimed, how it ended, and no secret longer than needed."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.models.accounts import Account


class Payment(models.Model):
    """One answered challenge. The unique columns make it good for one delivery, also for two callers at once."""

    class Purpose(models.TextChoices):
        """What was bought."""

        LOOKUP = "lookup", "one lookup"
        TOPUP = "topup", "a top-up"

    class State(models.TextChoices):
        """accepted: proof is good, nothing moved. settling: money may be moving. unknown: it may have moved."""

        ACCEPTED = "accepted", "accepted"
        SETTLING = "settling", "settling"
        PAID = "paid", "paid"
        FAILED = "failed", "failed"
        UNKNOWN = "unknown", "unknown"
        ABANDONED = "abandoned", "abandoned"

    request_hash = models.CharField(
        max_length=64, blank=True, default="", editable=False, help_text="Tells this credential with this very body."
    )
    request_key = models.CharField(
        max_length=64, unique=True, null=True, editable=False, help_text="Its payer's Idempotency-Key, for a day."
    )
    body_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    challenge_id = models.CharField(max_length=64, unique=True)
    proof_hash = models.CharField(max_length=64, unique=True)
    method = models.CharField(max_length=30)
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    is_sandbox = models.BooleanField(default=False, help_text="Pretended: nothing moved, and only the sandbox answers.")
    amount = models.BigIntegerField(help_text="In 1/10,000 USD.")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="payments")
    taken_back = models.BigIntegerField(default=0, help_text="Refunded or disputed, in 1/10,000 USD.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACCEPTED)
    reference = models.CharField(max_length=200, blank=True, default="", help_text="The method's own name for it.")
    proof = models.JSONField(null=True, editable=False, help_text="Kept only until the payment has ended.")
    payer = models.CharField(max_length=200, blank=True, default="")
    detail = models.CharField(max_length=500, blank=True, default="", help_text="For operators.")
    created_at = models.DateTimeField()
    settling_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(
        null=True, blank=True, help_text="When the answer that a lookup's payment bought was there to be read."
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["created_at"], name="payment_by_time"),
            models.Index(fields=["reference"], name="payment_by_reference"),
            models.Index(fields=["payer"], name="payment_by_payer"),
            models.Index(
                fields=["ended_at"],
                condition=Q(state="paid", purpose="lookup", delivered_at__isnull=True),
                name="payment_undelivered",
            ),
            models.Index(
                fields=["created_at"], condition=Q(state__in=["accepted", "settling", "unknown"]), name="payment_open"
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="payment_of_something"),
            models.CheckConstraint(
                condition=~Q(state__in=["paid", "failed", "abandoned"]) | Q(proof__isnull=True, ended_at__isnull=False),
                name="payment_ended_keeps_no_proof",
            ),
        ]

    @property
    def is_undelivered(self) -> bool:
        """Whether it is paid, and what it has bought is owed: the answer, or the money."""
        is_lookup = self.purpose == self.Purpose.LOOKUP and not self.is_sandbox
        return is_lookup and self.state == self.State.PAID and self.delivered_at is None and not self.taken_back

    def __str__(self) -> str:
        return f"{self.method} payment #{self.pk} ({self.state})"
