"""What registries answered: the records themselves, and which question each of them answers.

Two tables, because one company is the answer to many questions ("apple", "Apple Inc.", id 3284652), and a newer
answer to any of them is news about the same company. Answers of the sandbox registry never mix with real ones.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models

from jurisdictions.codes import PLACES


class StoredEntity(models.Model):
    """One company as its registry showed it last. `data` has the wire's flat names and the state's own text."""

    state = models.CharField(max_length=2)
    entity_id = models.CharField(max_length=120, help_text="The state's own identifier.")
    sandbox = models.BooleanField(default=False)
    slug = models.CharField(max_length=240, help_text="Last part of the entity page's address.")
    name = models.CharField(max_length=500)
    name_key = models.CharField(max_length=500, help_text="The name as it is compared: no legal form, no punctuation.")
    data = models.JSONField()
    normalized = models.JSONField()
    evidence = models.JSONField(help_text="sourceUrl, retrievedAt, sha256 of what was read.")
    retrieved_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True, help_text="The day the source says its data is from.")
    version = models.CharField(max_length=16)
    built_at = models.CharField(max_length=40)

    class Meta:
        verbose_name_plural = "stored entities"
        ordering = ["-retrieved_at"]
        constraints = [
            models.UniqueConstraint(fields=["state", "entity_id", "sandbox"], name="entity_once_per_registry"),
        ]
        indexes = [
            models.Index(fields=["state", "slug"], name="entity_by_page"),
            models.Index(fields=["state", "name_key"], name="entity_by_name"),
            models.Index(fields=["-retrieved_at"], name="entity_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.state} {self.entity_id})"

    @property
    def page_url(self) -> str:
        """The address of the public page of this record, from the root of the site."""
        return f"/entity/{PLACES[self.state].slug}/{self.slug}/"

    @property
    def data_as_of(self) -> datetime:
        """The moment the data is from: the source's own word, or else when it was read."""
        return self.as_of or self.retrieved_at


class StoredAnswer(models.Model):
    """The newest answer to one question: a company (`entity`), or UCC filings (`filings`).

    `question` is the SHA-256 of the normalized question (see `lookups.lookup.questions`), so that differently written
    names that a filing clerk would call the same share their answer.
    """

    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    question = models.CharField(max_length=64)
    sandbox = models.BooleanField(default=False)
    asked = models.CharField(max_length=200, help_text="The question in words, as it was asked last.")
    entity = models.ForeignKey(StoredEntity, on_delete=models.CASCADE, null=True, blank=True, related_name="answers")
    match = models.JSONField(null=True, blank=True, help_text="How well the company fits this question.")
    related = models.JSONField(default=list, blank=True)
    filings = models.JSONField(null=True, blank=True)
    total = models.PositiveIntegerField(default=1)
    evidence = models.JSONField()
    note = models.TextField(blank=True, default="")
    retrieved_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True)
    version = models.CharField(max_length=16)
    built_at = models.CharField(max_length=40)

    class Meta:
        ordering = ["-retrieved_at"]
        constraints = [
            models.UniqueConstraint(fields=["question", "state", "kind", "sandbox"], name="answer_once_per_question"),
            models.CheckConstraint(
                condition=models.Q(kind="ucc", filings__isnull=False, entity__isnull=True)
                | models.Q(kind="business_entity", entity__isnull=False, filings__isnull=True),
                name="answer_fits_its_kind",
            ),
        ]
        indexes = [models.Index(fields=["retrieved_at"], name="answer_by_time")]

    def __str__(self) -> str:
        return f"{self.state} {self.asked}"
