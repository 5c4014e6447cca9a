"""The ledger itself: entries that nobody can change, and the holds that are still open.

Each entry says by how much it changed the three places money can be in (available, held, spent) and what the account
had afterwards; what is available is negative where money that was spent has been taken back. Summing the changes from
the first entry on gives the account's sums at any moment.
"""

from __future__ import annotations

import re

from django.db import models
from django.db.models import F, Q, Sum

from billing.models.accounts import Account, ApiKey


def _moves(kinds: list[str], *, available: int = 0, held: int = 0, spent: int = 0) -> Q:
    """Return the condition that entries of `kinds` move exactly `amount` in these directions (-1, 0, 1)."""
    return Q(
        kind__in=kinds,
        amount__gte=0,
        available_change=F("amount") * available,
        held_change=F("amount") * held,
        spent_change=F("amount") * spent,
    )


class Hold(models.Model):
    """Money set aside for work that is still running; ends captured, released or expired."""

    class State(models.TextChoices):
        """How far the hold is; only `open` holds have something remaining."""

        OPEN = "open", "open"
        CAPTURED = "captured", "captured"
        RELEASED = "released", "released"
        EXPIRED = "expired", "expired"

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="holds")
    key = models.ForeignKey(ApiKey, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    amount = models.BigIntegerField(help_text="What was asked for, in 1/10,000 USD.")
    remaining = models.BigIntegerField(help_text="Neither captured nor given back yet, in 1/10,000 USD.")
    is_free = models.BooleanField(default=False, help_text="Held for an internal account: nothing is charged.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    reference = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["expires_at"], condition=Q(state="open"), name="hold_open_by_expiry")]
        constraints = [
            models.CheckConstraint(
                condition=Q(remaining__gte=0, amount__gte=F("remaining")), name="hold_remaining_within_amount"
            ),
            models.CheckConstraint(
                condition=Q(state="open", ended_at__isnull=True)
                | Q(state__in=["captured", "released", "expired"], remaining=0, ended_at__isnull=False),
                name="hold_ended_holds_nothing",
            ),
        ]

    def __str__(self) -> str:
        return f"hold #{self.pk} ({self.state})"


APPROVED_BY = "approved by "
_APPROVER = re.compile(rf"\s*\({APPROVED_BY}[\w.@+-]*\)?$")  # a long note is cut


class LedgerEntry(models.Model):
    """One movement of money. Written by `billing.ledger` alone; a database trigger refuses change and removal."""

    class Kind(models.TextChoices):
        """What happened; the words stand in statements."""

        DEPOSIT = "deposit", "deposit"
        FREE_GRANT = "free_grant", "free lookups"
        HOLD = "hold", "hold"
        CAPTURE = "capture", "capture"
        RELEASE = "release", "release"
        CHARGE = "charge", "charge"
        REFUND = "refund", "refund"
        ADJUST = "adjust", "adjustment"
        REVERSAL = "reversal", "reversal"

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="entries", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    amount = models.BigIntegerField(help_text="In 1/10,000 USD; negative only where an adjustment or a reversal takes.")
    available_change = models.BigIntegerField(default=0)
    held_change = models.BigIntegerField(default=0)
    spent_change = models.BigIntegerField(default=0)
    available_after = models.BigIntegerField()
    held_after = models.BigIntegerField()
    spent_after = models.BigIntegerField()
    created_at = models.DateTimeField()

    idempotency_key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64, help_text="Tells a repeated request from another one under its key.")
    reference = models.CharField(max_length=200, blank=True, default="")
    request_id = models.CharField(
        max_length=64, blank=True, default="", help_text="Of the request that asked for the work; empty: of none."
    )
    hold = models.ForeignKey(Hold, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    key = models.ForeignKey(ApiKey, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    refunds = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="refunded_by", db_index=False
    )
    source = models.CharField(max_length=30, blank=True, default="", help_text="Where a deposit came from.")
    operator = models.CharField(max_length=150, blank=True, default="", help_text="The person who moved the money.")
    reason = models.CharField(max_length=60, blank=True, default="")
    note = models.CharField(max_length=500, blank=True, default="")
    # The chain of the account (`billing.chain`): the hash of its entry before, and the one over all of this one
    previous_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    hash = models.CharField(max_length=64, default="", editable=False)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "ledger entries"
        indexes = [
            # A statement is added up from it alone
            models.Index(fields=["account", "id", "kind", "available_change", "held_change"], name="entry_by_account"),
            models.Index(fields=["account", "created_at", "id"], name="entry_of_account_by_time"),  # seen alone
            models.Index(fields=["created_at"], name="entry_by_time"),
            models.Index(fields=["account", "created_at"], condition=Q(kind="refund"), name="entry_of_refund"),
            models.Index(fields=["refunds"], condition=Q(refunds__isnull=False), name="entry_refunding"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["account", "idempotency_key"], name="entry_once_per_key"),
            models.CheckConstraint(
                condition=_moves(["deposit", "free_grant"], available=1)
                | _moves(["hold"], available=-1, held=1)
                | _moves(["capture"], held=-1, spent=1)
                | _moves(["release"], available=1, held=-1)
                | _moves(["charge"], available=-1, spent=1)
                | _moves(["refund"], available=1, spent=-1)
                | Q(kind__in=["adjust", "reversal"], available_change=F("amount"), held_change=0, spent_change=0),
                name="entry_moves_as_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(held_after__gte=0, spent_after__gte=0)
                & (Q(available_after__gte=0) | Q(amount=0) | ~Q(kind__in=["hold", "charge"])),
                name="entry_buys_nothing_on_debt",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"

    @property
    def deposited_after(self) -> int:
        """Everything ever paid in, less what was taken back, after this entry."""
        return self.available_after + self.held_after + self.spent_after

    @property
    def customer_reference(self) -> str:
        """What it was for, as its customer reads it: without who of the staff approved what was given."""
        return "" if self.operator and self.reference.startswith(APPROVED_BY) else self.reference

    @property
    def customer_note(self) -> str:
        """The note, without who of the staff approved a refund of an outage."""
        return _APPROVER.sub("", self.note) if self.operator else self.note

    def sum_given_back(self) -> int:
        """What of a capture or charge was refunded since."""
        given: int | None = LedgerEntry.objects.filter(refunds=self).aggregate(total=Sum("amount"))["total"]
        return given or 0
