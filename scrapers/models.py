"""One row an attempt: what operators need to see why a state did not answer."""

from __future__ import annotations

from typing import Self

from django.db import models

from scrapers.failures import Failure, list_unanswered

ANSWERED = ("found", "not_found")  # what a registry says when it is read as it should be
FAILED = tuple(failure.value for failure in list_unanswered())


class ScrapeAttempt(models.Model):
    """One conversation with one portal. Never holds a key or a customer's account; pages only where it failed.

    `asked_by` is the mark of whoever asked, who may ask again under it; nothing here knows what it stands for.
    """

    OUTCOMES = (*ANSWERED, *(failure.value for failure in Failure))  # a question that is refused is neither

    asked_by = models.UUIDField(null=True, blank=True, db_index=True, editable=False)
    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    question = models.CharField(max_length=200)
    sandbox = models.BooleanField(default=False)
    outcome = models.CharField(max_length=16, choices=[(word, word.replace("_", " ")) for word in OUTCOMES])
    detail = models.TextField(blank=True)
    stages = models.JSONField(default=list)
    unread_labels = models.PositiveIntegerField(default=0)
    duration_ms = models.PositiveIntegerField()
    waited_ms = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Of these, until it might ask at the portal's pace."
    )
    version = models.CharField(max_length=16)
    started_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["state", "-started_at"], name="attempt_state_time"),
            # The last 24 hours of all states: /v1/states measures them on every call that is not cached.
            models.Index(fields=["-started_at"], name="attempt_by_time"),
            # The newest answer and the newest failure of each state at once, also among a month's 150,000 of the other.
            models.Index(
                fields=["state", "-started_at"],
                name="attempt_answered",
                condition=models.Q(sandbox=False, outcome__in=ANSWERED),
            ),
            models.Index(
                fields=["state", "-started_at"],
                name="attempt_failed",
                condition=models.Q(sandbox=False, outcome__in=FAILED),
            ),
        ]
        ordering = ["-started_at"]

    def __str__(self) -> str:
        return f"{self.state} {self.question}: {self.outcome}"


class ReadingQuerySet(models.QuerySet["Reading"]):
    """Conversations by what came of them."""

    def failed(self) -> Self:
        """Those in which nothing could be read."""
        return self.exclude(outcome__in=ANSWERED)


class Reading(models.Model):
    """One conversation with one registry, word for word: the evidence of whatever is told of it. Hostile text inside.

    `exchanges` are records of requests and answers in their order (see `scrapers.transport.exchanges.to_kept`); the
    bytes of the answers are in `Body` under their hashes. Without our keys, cookies and headers of ours. Written by
    `scrapers.evidence.readings` alone, and never changed. It outlives its attempt, which is only looked at for a month.
    """

    attempt = models.ForeignKey(  # which may be gone by now
        ScrapeAttempt, on_delete=models.DO_NOTHING, db_constraint=False, related_name="readings"
    )
    state = models.CharField(max_length=2)
    sandbox = models.BooleanField(default=False)
    kind = models.CharField(max_length=16)
    outcome = models.CharField(max_length=16)
    question = models.JSONField(help_text="What was asked, as the registry's reader takes it.")
    reader_version = models.CharField(max_length=16)
    reader_built_at = models.CharField(max_length=40)
    reader_revision = models.CharField(max_length=16, help_text="Of the source of what reads this state.")
    read_at = models.DateTimeField()
    exchanges = models.JSONField()
    sha256 = models.CharField(max_length=64, help_text="Of the hashes of the exchanges.")
    keep_until = models.DateTimeField(help_text="The bytes are kept so long, and the row as long as a lookup cites it.")

    objects = ReadingQuerySet.as_manager()

    class Meta:
        ordering = ["-read_at"]
        indexes = [
            models.Index(fields=["keep_until"], name="reading_by_end"),
            models.Index(
                fields=["state", "-read_at"], condition=~models.Q(outcome__in=ANSWERED), name="reading_failed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.read_at:%Y-%m-%d %H:%M}: {self.outcome}"


class Body(models.Model):
    """Bytes that a registry sent, our keys cut out, under their SHA-256; see `scrapers.evidence.bodies`."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size = models.PositiveIntegerField(help_text="Bytes.")
    packed_size = models.PositiveIntegerField(help_text="Bytes, compressed.")
    packed = models.BinaryField(null=True, blank=True, help_text="Empty: they are in the folder or at the S3 service.")
    keep_until = models.DateTimeField()

    class Meta:
        verbose_name_plural = "bodies"
        indexes = [models.Index(fields=["keep_until"], name="body_by_end")]

    def __str__(self) -> str:
        return self.sha256


class Breaker(models.Model):
    """How a portal is treated that failed lately; no row: at its own pace. Written by `operations.breaker` alone."""

    state = models.CharField(max_length=8, primary_key=True, help_text="Whose portal: a state's, or GLEIF.")
    failures = models.PositiveIntegerField(default=0, help_text="In a row.")
    trips = models.PositiveIntegerField(default=0, help_text="How often in a row it was left alone.")
    reason = models.CharField(max_length=16, blank=True, default="")
    detail = models.CharField(max_length=500, blank=True, default="")
    open_until = models.DateTimeField(null=True, blank=True, help_text="Not asked before; then by one question first.")
    probe_until = models.DateTimeField(null=True, blank=True, help_text="That question is under way until then.")
    slowness = models.PositiveSmallIntegerField(default=1, help_text="The pace is divided by this.")
    slow_until = models.DateTimeField(null=True, blank=True, help_text="No step of the pace is regained before.")
    last_question = models.CharField(max_length=200, blank=True, default="")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["state"]
        constraints = [
            models.CheckConstraint(condition=models.Q(slowness__in=(1, 2, 4, 8)), name="breaker_slowness"),
            models.CheckConstraint(
                condition=models.Q(open_until__isnull=True) | ~models.Q(reason=""), name="breaker_open_for_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state}: {'open' if self.open_until else 'closed'}, {self.failures} failures"


class BulkCopy(models.Model):
    """One loading of a state's bulk data. Exactly one copy a state answers; the old one stays until then."""

    STATES = ("loading", "current", "replaced", "refused")

    state = models.CharField(max_length=8, help_text="Whose: a state's, GLEIF's or EDGAR's.")
    url = models.URLField(max_length=300)
    file = models.CharField(max_length=300, help_text="The file being read, so that a broken load can go on.")
    sha256 = models.CharField(max_length=64, blank=True, default="", help_text="Of that file.")
    as_of = models.DateTimeField(help_text="The day the data is from.")
    status = models.CharField(max_length=8, choices=[(word, word) for word in STATES], default="loading")
    rows_read = models.PositiveBigIntegerField(default=0)
    entities = models.PositiveBigIntegerField(default=0)
    detail = models.TextField(blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "bulk copies"
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["state"], condition=models.Q(status="current"), name="bulk_copy_one_current"
            ),
            models.UniqueConstraint(
                fields=["state"], condition=models.Q(status="loading"), name="bulk_copy_one_loading"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} bulk data of {self.as_of:%Y-%m-%d} ({self.status})"


class BulkEntity(models.Model):
    """One entity of a copy: its comparison key for searching, its whole record for answering."""

    copy = models.ForeignKey(BulkCopy, on_delete=models.CASCADE, db_index=False)
    entity_id = models.CharField(max_length=40)
    name_key = models.CharField(max_length=200)
    record = models.JSONField()

    class Meta:
        indexes = [
            # The pattern class lets PostgreSQL use the index for "begins with" under any collation.
            models.Index(
                fields=["copy", "name_key"], name="bulk_entity_name", opclasses=["int8_ops", "varchar_pattern_ops"]
            ),
            models.Index(fields=["copy", "entity_id"], name="bulk_entity_id"),
        ]

    def __str__(self) -> str:
        return f"{self.entity_id} {self.name_key}"


class BulkName(models.Model):
    """A name that an entity of a copy had or has beside its present one, by its comparison key."""

    KINDS = ("former", "assumed")

    copy = models.ForeignKey(BulkCopy, on_delete=models.CASCADE, db_index=False)
    entity_id = models.CharField(max_length=40)
    name_key = models.CharField(max_length=200)
    name = models.TextField()
    kind = models.CharField(max_length=8, choices=[(word, word) for word in KINDS])

    class Meta:
        indexes = [models.Index(fields=["copy", "name_key"], name="bulk_name_key")]

    def __str__(self) -> str:
        return f"{self.entity_id} {self.name}"
