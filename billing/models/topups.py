"""Top-ups by card, which messages of the card provider were seen (each counts once), and what was taken back."""

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
    created_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["id"], condition=Q(state="mismatch"), name="topup_mismatched")]
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="topup_of_something")]

    def __str__(self) -> str:
        return f"top-up #{self.pk} ({self.state})"


class ProviderEvent(models.Model):
    """A message of the card provider that was handled; its id is unique, so a repetition does nothing."""

    event_id = models.CharField(max_length=255, unique=True)
    kind = models.CharField(max_length=100)
    outcome = models.CharField(max_length=100, blank=True, default="")
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"


class Reversal(models.Model):
    """What is known of one refund or dispute of a payment. It only ever grows, so the order of messages is nothing."""

    class Kind(models.TextChoices):
        """Who took it back, and how; the words are the reasons of ledger entries."""

        REFUND = "card_refund", "card refund"
        DISPUTE = "dispute", "dispute"
        STAFF = "by_staff", "entered by staff"
        GIVEN_BACK = "given_back", "given back by staff"

    payment_reference = models.CharField(max_length=255, db_index=True, help_text="The payment's name at its method.")
    kind = models.CharField(max_length=11, choices=Kind.choices)
    name = models.CharField(
        max_length=255, unique=True, help_text="A dispute's own name; a payment's for its refunds, which add up."
    )
    amount = models.BigIntegerField(help_text="The most that was heard of, in 1/10,000 USD.")
    withdrawn = models.BooleanField(default=False, help_text="The money has left us. An inquiry moves none.")
    reinstated = models.BooleanField(default=False, help_text="It has come back: the dispute was won.")
    is_settled = models.BooleanField(default=False, help_text="The ledger has it; off: its payment is not credited.")
    heard_at = models.DateTimeField()
    seen_at = models.DateTimeField(
        null=True, blank=True, help_text="When the transfer that gave a payment back was seen on the chain; empty: not."
    )

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["heard_at"], condition=Q(is_settled=False), name="reversal_open")]
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="reversal_of_something")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.payment_reference}"

    @property
    def gone(self) -> int:
        """What is gone by it now, in 1/10,000 USD."""
        return self.amount if self.withdrawn and not self.reinstated else 0
