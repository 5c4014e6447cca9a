"""What the ledger said at an hour, so that a chain that was written anew from end to end is still found out."""

from __future__ import annotations

from django.db import models


class LedgerAnchor(models.Model):
    """The heads of the accounts that have changed since the anchor before, under one hash that is logged as well."""

    made_at = models.DateTimeField()
    last_entry = models.BigIntegerField(help_text="The highest number of an entry that could be seen.")
    heads = models.JSONField(default=list, help_text="[account, its last entry, that entry's hash], by account.")
    audit = models.JSONField(null=True, blank=True, help_text="[last audit event, its hash], where one is new.")
    # Unique: two clocks at the same moment make one anchor, and the chain of anchors cannot fork.
    previous_hash = models.CharField(max_length=64, blank=True, default="", unique=True)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"anchor #{self.pk}"
