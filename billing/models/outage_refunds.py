"""What many lookups cost, given back in one act: which charges, who wanted it, and how far it is."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q


class OutageRefundQuerySet(models.QuerySet["OutageRefund"]):
    """Refunds of outages by how far they are."""

    def waiting(self) -> Self:
        """Those that nobody has decided."""
        return self.filter(state=OutageRefund.State.WAITING)

    def under_way(self) -> Self:
        """Those that are decided, and not through."""
        return self.filter(state=OutageRefund.State.UNDER_WAY)


class OutageRefund(models.Model):
    """The charges that one person wants to give back, as they were confirmed. Kept for ever, like what it has moved."""

    class State(models.TextChoices):
        """How far it is; what is under way is gone on with by the clock until it is done."""

        WAITING = "waiting", "waits for a second person"
        UNDER_WAY = "under_way", "under way"
        DONE = "done", "done"
        REJECTED = "rejected", "rejected"

    subject = models.CharField(max_length=300, help_text="Which lookups, in words.")
    charges = models.JSONField(editable=False, help_text="The ledger entries to be given back, in their order.")
    count = models.PositiveIntegerField(help_text="How many charges.")
    accounts = models.PositiveIntegerField(help_text="Of how many accounts.")
    amount = models.BigIntegerField(help_text="What they came to when it was confirmed, in 1/10,000 USD.")
    refunded = models.BigIntegerField(default=0, help_text="What was given back, in 1/10,000 USD.")
    position = models.PositiveIntegerField(default=0, editable=False, help_text="So many charges are seen to.")
    reason = models.CharField(max_length=60)
    note = models.CharField(max_length=500, blank=True, default="")
    token = models.CharField(max_length=200, unique=True, editable=False, help_text="Confirmed twice, it is one act.")
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State.choices)
    decided_by = models.CharField(max_length=150, blank=True, default="", help_text="Empty: nobody else was needed.")
    decided_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    objects = OutageRefundQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="outage_refund_of_something"),
            models.CheckConstraint(condition=Q(refunded__lte=F("amount")), name="outage_refund_within_amount"),
            models.CheckConstraint(
                condition=Q(state="rejected") | ~Q(decided_by=F("asked_by")), name="outage_refund_by_a_second_person"
            ),
            models.CheckConstraint(
                condition=Q(state="done", done_at__isnull=False) | (~Q(state="done") & Q(done_at__isnull=True)),
                name="outage_refund_done_at_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"], condition=Q(state__in=["waiting", "under_way"]), name="outage_refund_open"
            )
        ]

    def __str__(self) -> str:
        return f"refund of {self.subject}"
