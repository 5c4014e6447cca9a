"""What a month came to, written down when it was closed."""

from __future__ import annotations

from django.db import models


class MonthClose(models.Model):
    """A closed month (its first day), with the debit and credit of every account of the chart, in 1/10,000 USD."""

    month = models.DateField(unique=True)
    entries = models.IntegerField()
    totals = models.JSONField(help_text='{"cash": [debit, credit], …}')
    operator = models.CharField(max_length=150)
    closed_at = models.DateTimeField()

    class Meta:
        ordering = ["-month"]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"


class DaySum(models.Model):
    """What the entries of one kind of a day (UTC) that is over come to: entries stay as they are, so it does, too."""

    day = models.DateField()
    kind = models.CharField(max_length=10)
    source = models.CharField(max_length=30, blank=True)
    reason = models.CharField(max_length=60, blank=True)
    up = models.BigIntegerField(help_text="Of the amounts above zero, in 1/10,000 USD.")
    down = models.BigIntegerField(help_text="Of those below.")
    available = models.BigIntegerField(help_text="By how much they changed what is available.")
    held = models.BigIntegerField(help_text="By how much they changed what is held.")

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["day", "kind", "source", "reason"], name="day_sum_once"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.kind}"


class Receipt(models.Model):
    """The number of a receipt or an invoice: without gaps, in the order they were asked for, never given twice."""

    class Kind(models.TextChoices):
        """What it is of."""

        RECEIPT = "receipt", "receipt"
        INVOICE = "invoice", "invoice"

    kind = models.CharField(max_length=7, choices=Kind.choices)
    number = models.PositiveIntegerField()
    entry = models.OneToOneField("billing.LedgerEntry", on_delete=models.PROTECT, related_name="receipt")
    issued_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["kind", "number"], name="receipt_number_once")]

    def __str__(self) -> str:
        return f"{'R' if self.kind == self.Kind.RECEIPT else 'I'}-{self.number:06}"
