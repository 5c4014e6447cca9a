"""Up to a thousand questions in one request. Each row is a lookup; each different question has one job.

Before it, there may be the table that somebody brought, being made ready; after it, what its rows were asked again.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models


class BulkJobQuerySet(models.QuerySet["BulkJob"]):
    """Bulk jobs by how far they are."""

    def open(self) -> Self:
        """Those that have not ended."""
        return self.filter(ended_at__isnull=True)


class BulkJob(models.Model):
    """One request. Its price is held as a whole and settled job by job; the jobs say how far it is."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="bulk_jobs")
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, related_name="+")
    hold = models.ForeignKey("billing.Hold", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    accepts_stored = models.BooleanField()
    stored_price = models.BigIntegerField(
        default=0, help_text="Of a stored answer, quoted when it was accepted, in 1/10,000 USD."
    )
    total = models.PositiveIntegerField(help_text="Rows asked for, repetitions counted.")
    questions = models.PositiveIntegerField(help_text="Different questions: what is fetched and paid for.")
    webhook_url = models.CharField(
        max_length=500, blank=True, default="", help_text="Told when it has ended; empty: the account's."
    )
    emails_results = models.BooleanField(default=False, help_text="Its results are mailed to the account.")
    request_id = models.CharField(max_length=64, blank=True, default="")
    asked_hash = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of all that was asked; empty: before it was kept."
    )
    created_at = models.DateTimeField()
    deadline = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = BulkJobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["ended_at"], name="bulk_by_end")]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        """What the customer calls it."""
        return f"bulk_{self.id.hex}"


class BulkDraftQuerySet(models.QuerySet["BulkDraft"]):
    """Drafts by what became of them."""

    def open(self) -> Self:
        """Those that nobody has bought."""
        return self.filter(bulk__isnull=True)

    def abandoned(self, before: datetime) -> Self:
        """Those that nobody has bought, and nobody has touched since that moment."""
        return self.open().filter(changed_at__lte=before)


class BulkDraft(models.Model):
    """A table on its way to a bulk job, which gets its id. Afterwards the columns that come along to the results.

    `table` has `headers`, `notes` and `rows`, each with its `line` in the file, its `cells`, their `kinds`, what was
    mended (`own`, by field), and whether it was `dropped`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="+")
    sandbox = models.BooleanField(default=False)
    name = models.CharField(max_length=200, help_text="Of the file.")
    table = models.JSONField()
    mapping = models.JSONField(help_text="Which column fills which field.")
    revision = models.PositiveIntegerField(default=1, help_text="Grows with every change: a price is of one revision.")
    bulk = models.OneToOneField(
        BulkJob, on_delete=models.PROTECT, null=True, blank=True, related_name="draft", help_text="What was bought."
    )
    left_out = models.JSONField(default=list, blank=True, help_text="Rows that were not asked: line, name, why.")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    objects = BulkDraftQuerySet.as_manager()

    class Meta:
        ordering = ["-changed_at"]
        indexes = [
            models.Index(fields=["account", "-changed_at"], condition=models.Q(bulk__isnull=True), name="draft_open")
        ]

    def __str__(self) -> str:
        return f"draft {self.pk}"


class RowAnswer(models.Model):
    """A row of a bulk job asked once more in other words: with the id of a candidate, or a name that was mended.

    The row stays as it ended. One question is asked once for a row, whoever clicks how often: who makes this row asks.
    """

    row = models.ForeignKey("lookups.Lookup", on_delete=models.PROTECT, related_name="answers", db_index=False)
    digest = models.CharField(max_length=64, help_text="Of the question, with its state.")
    ask_id = models.UUIDField(default=uuid.uuid4, help_text="Of the lookup that asks it.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["row", "digest"], name="row_answer_once")]

    def __str__(self) -> str:
        return f"answer #{self.pk}"
