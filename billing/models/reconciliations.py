"""What each comparison of the ledger found, so that an alert stays visible until someone looked.

Rows are kept as they were written: a database trigger refuses change and removal (`billing.append_only`).
"""

from __future__ import annotations

from django.db import models


class Reconciliation(models.Model):
    """One run: how many accounts were compared and which of them do not add up."""

    ran_at = models.DateTimeField()
    accounts = models.IntegerField()
    mismatches = models.JSONField(default=list, help_text="One object per account that does not add up.")
    differences = models.IntegerField(null=True, help_text="How many differences were open after it.")
    since = models.DateTimeField(null=True, help_text="Rows before that were not read one by one; empty: all were.")
    provider_until = models.DateTimeField(null=True, help_text="How far the card provider was compared; empty: not.")
    chain_until = models.BigIntegerField(null=True, help_text="The last block that was compared; empty: none.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.ran_at:%Y-%m-%d %H:%M}: {len(self.mismatches)} mismatches in {self.accounts} accounts"
