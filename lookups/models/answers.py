"""Which question was answered by what, last: where a stored answer is looked for."""

from __future__ import annotations

from typing import Self

from django.db import models

from lookups.models.entities import FilingSet, RecordVersion


class StoredAnswerQuerySet(models.QuerySet["StoredAnswer"]):
    """Answers with what they lead to."""

    def whole(self) -> Self:
        """With the record or the filings, and what they were read from."""
        return self.select_related("version__entity", "filing_set", "reading")


class StoredAnswer(models.Model):
    """The newest answer to one question: a company as it was then (`version`), or UCC filings (`filing_set`).

    One company answers many questions ("apple", "Apple Inc.", id 3284652). `question` is the SHA-256 of the normalized
    question (see `lookups.lookup.questions`), so that differently written names that a filing clerk would call the same
    share their answer. Answers of the sandbox registry never mix with real ones.
    """

    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    question = models.CharField(max_length=64)
    sandbox = models.BooleanField(default=False)
    asked = models.CharField(max_length=200, help_text="The question in words, as it was asked last.")
    version = models.ForeignKey(RecordVersion, on_delete=models.CASCADE, null=True, blank=True, related_name="answers")
    filing_set = models.ForeignKey(FilingSet, on_delete=models.CASCADE, null=True, blank=True, related_name="answers")
    match = models.JSONField(null=True, blank=True, help_text="How well the company fits this question.")
    related = models.JSONField(default=list, blank=True)
    total = models.PositiveIntegerField(default=1)
    evidence = models.JSONField()
    reading = models.ForeignKey(
        "scrapers.Reading", on_delete=models.PROTECT, null=True, blank=True, related_name="answers"
    )
    note = models.TextField(blank=True, default="")
    retrieved_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True)
    reader_version = models.CharField(max_length=16)
    reader_built_at = models.CharField(max_length=40)

    objects = StoredAnswerQuerySet.as_manager()

    class Meta:
        ordering = ["-retrieved_at"]
        constraints = [
            models.UniqueConstraint(fields=["question", "state", "kind", "sandbox"], name="answer_once_per_question"),
            models.CheckConstraint(
                condition=models.Q(kind="ucc", filing_set__isnull=False, version__isnull=True)
                | models.Q(kind="business_entity", version__isnull=False, filing_set__isnull=True),
                name="answer_fits_its_kind",
            ),
        ]
        indexes = [models.Index(fields=["retrieved_at"], name="answer_by_time")]

    def __str__(self) -> str:
        return f"{self.state} {self.asked}"
