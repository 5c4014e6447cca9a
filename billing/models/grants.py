"""Credit that is too much for one person to give: it waits for a second one."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q

from billing.models.accounts import Account
from billing.models.entries import LedgerEntry


class WaitingGrantQuerySet(models.QuerySet["WaitingGrant"]):
    """Grants by what became of them."""

    def waiting(self) -> Self:
        """Those that nobody has decided."""
        return self.filter(state=WaitingGrant.State.WAITING)


class WaitingGrant(models.Model):
    """What one person wants to give; another one approves it, which writes its entry, or rejects it. Kept for ever."""

    class Kind(models.TextChoices):
        """Which verb of the ledger it will be."""

        GRANT = "grant", "grant"
        ADJUST = "adjust", "adjustment"

    class State(models.TextChoices):
        """What became of it."""

        WAITING = "waiting", "waits for a second person"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    amount = models.BigIntegerField(help_text="In 1/10,000 USD.")
    reason = models.CharField(max_length=60)
    note = models.CharField(max_length=500, blank=True, default="")
    token = models.CharField(max_length=200, unique=True, editable=False, help_text="Confirmed twice, it waits once.")
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    decided_by = models.CharField(max_length=150, blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True)
    entry = models.OneToOneField(
        LedgerEntry, on_delete=models.PROTECT, null=True, blank=True, related_name="waited", editable=False
    )

    objects = WaitingGrantQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="grant_waits_upwards"),
            models.CheckConstraint(
                condition=Q(state="waiting", decided_by="", decided_at__isnull=True, entry__isnull=True)
                | (Q(state="approved", decided_at__isnull=False, entry__isnull=False) & ~Q(decided_by=""))
                | (Q(state="rejected", decided_at__isnull=False, entry__isnull=True) & ~Q(decided_by="")),
                name="grant_fits_its_state",
            ),
            models.CheckConstraint(
                condition=~Q(state="approved", decided_by=F("asked_by")), name="grant_needs_a_second_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk} ({self.state})"
