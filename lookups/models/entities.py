"""Who a company is, and what its registry said of it, reading after reading.

A version is written only when the facts differ from the last; a further reading of the same facts moves its
`last_read_at`. Versions are never changed otherwise: a database trigger refuses it. Records of the sandbox registry
never mix with real ones.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models

from jurisdictions.codes import PLACES


class Entity(models.Model):
    """One company of one registry, by the name it had when it was read last."""

    state = models.CharField(max_length=2)
    entity_id = models.CharField(max_length=120, help_text="The state's own identifier.")
    sandbox = models.BooleanField(default=False)
    slug = models.CharField(max_length=240, help_text="Last part of the entity page's address.")
    name = models.CharField(max_length=500)
    name_key = models.CharField(max_length=500, help_text="The name as it is compared: no legal form, no punctuation.")
    last_read_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entities"
        ordering = ["-last_read_at"]
        constraints = [
            models.UniqueConstraint(fields=["state", "entity_id", "sandbox"], name="entity_once_per_registry"),
        ]
        indexes = [
            models.Index(fields=["state", "slug"], name="entity_by_page"),
            models.Index(fields=["state", "name_key"], name="entity_by_name"),
            models.Index(fields=["-last_read_at"], name="entity_by_time"),
            # Of all states, for the admin; the pattern class serves "begins with" under any collation of PostgreSQL
            models.Index(fields=["name_key"], name="entity_by_beginning", opclasses=["varchar_pattern_ops"]),
            models.Index(fields=["entity_id"], name="entity_by_id"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.state} {self.entity_id})"

    @property
    def page_url(self) -> str:
        """The address of the public page of this record, from the root of the site."""
        return f"/entity/{PLACES[self.state].slug}/{self.slug}/"


class FormerSlug(models.Model):
    """The last part of the address that an entity's page had under a name before: it leads to the present one.

    A trigger on the entity's table writes it (migration 0017).
    """

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="former_slugs")
    state = models.CharField(max_length=2)
    slug = models.CharField(max_length=240)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["state", "slug", "entity"], name="former_slug_once")]

    def __str__(self) -> str:
        return f"{self.state} {self.slug}"


class RecordVersion(models.Model):
    """What the registry said of one entity, from `first_read_at` to `last_read_at`.

    `data` has the wire's flat names and the state's own text. The proof is that of the last reading.
    """

    class Reason(models.TextChoices):
        """Why it was written."""

        READ = "read", "the registry was read, and said something new"
        READ_ANEW = "read_anew", "today's reader read kept bytes otherwise"

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField(help_text="1 for the first.")
    reason = models.CharField(
        max_length=9,
        choices=Reason.choices,
        default=Reason.READ,
        db_default=Reason.READ,  # for what the version before writes while both run
        help_text="Whether the registry said something new, or we read the same bytes better.",
    )
    data = models.JSONField()
    normalized = models.JSONField()
    facts = models.CharField(max_length=64, help_text="SHA-256 of both, to tell whether anything differs.")
    evidence = models.JSONField(help_text="sourceUrl, retrievedAt, sha256 of what was read last.")
    reading = models.ForeignKey(
        "scrapers.Reading",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="versions",
        help_text="The last reading of these facts.",
    )
    first_read_at = models.DateTimeField()
    last_read_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True, help_text="The day the source says its data is from.")
    reader_version = models.CharField(max_length=16)
    reader_built_at = models.CharField(max_length=40)

    class Meta:
        ordering = ["entity", "-number"]
        constraints = [models.UniqueConstraint(fields=["entity", "number"], name="version_once_per_number")]

    def __str__(self) -> str:
        return f"{self.entity_id} version {self.number}"

    @property
    def is_correction(self) -> bool:
        """Whether a later reader read the bytes of its reading otherwise; of which source that was, nobody keeps."""
        return self.reason == self.Reason.READ_ANEW

    @property
    def data_as_of(self) -> datetime:
        """The moment the data is from: the source's own word, or else when it was read."""
        return self.as_of or self.last_read_at


class FilingSet(models.Model):
    """The UCC filings that one question found, from `first_read_at` to `last_read_at`; kept like a record's version."""

    state = models.CharField(max_length=2)
    question = models.CharField(max_length=64)
    sandbox = models.BooleanField(default=False)
    filings = models.JSONField()
    facts = models.CharField(max_length=64, help_text="SHA-256 of the filings, to tell whether anything differs.")
    first_read_at = models.DateTimeField()
    last_read_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["question", "state", "sandbox"], name="filings_by_question")]

    def __str__(self) -> str:
        return f"{self.state} filings #{self.pk}"


class Identifiers(models.Model):
    """What other registers were found to call the company of one lookup, which asked for it. Never changed.

    `lei` and `cik` each have a `status`, and what was found. The bytes of `exchanges` are kept as those of registries.
    """

    lookup = models.OneToOneField("lookups.Lookup", on_delete=models.CASCADE, related_name="identifiers")
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="identifiers", db_index=False)
    name = models.CharField(max_length=500, help_text="With which theirs were compared.")
    lei = models.JSONField()
    cik = models.JSONField()
    exchanges = models.JSONField(default=list, blank=True)
    is_answer = models.BooleanField(help_text="Whether the next lookup of it may be given the same for a day.")
    asked_at = models.DateTimeField(help_text="When the registers were asked, or their copies read.")

    class Meta:
        verbose_name_plural = "identifiers"
        ordering = ["-asked_at"]
        indexes = [models.Index(fields=["entity", "-asked_at"], name="identifiers_by_time")]

    def __str__(self) -> str:
        return f"identifiers of {self.name}"
