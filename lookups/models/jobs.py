"""A lookup that is answered later: who works on it and when it is tried next. What came of it is in its `Lookup`.

The row is the truth about the work: a message in the queue only wakes a worker.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Expression, Q

from billing.models import ApiKey


def is_ready(now: datetime | Expression) -> Q:
    """Pending jobs whose time has come: new ones, and those put off until before `now`."""
    return Q(Q(not_before__isnull=True) | Q(not_before__lte=now), status=Job.Status.PENDING)


def is_running(now: datetime | Expression) -> Q:
    """Jobs that a worker has."""
    return Q(status=Job.Status.PROCESSING, lease_until__gt=now)


def is_stuck(now: datetime | Expression) -> Q:
    """Jobs whose worker was lost."""
    return Q(status=Job.Status.PROCESSING, lease_until__lte=now)


def is_due(now: datetime | Expression) -> Q:
    """Jobs that a worker may take."""
    return Q(is_ready(now) | is_stuck(now), deadline__gt=now)


def is_barred(now: datetime) -> Q:
    """Pending jobs whose key no longer works or whose account is closed: nobody begins them any more."""
    ended = Q(key__revoked_at__lte=now) | Q(key__expires_at__lte=now) | Q(account__is_active=False)
    return Q(ended, status=Job.Status.PENDING)


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs by how far they are; the conditions above serve counts as well."""

    def open(self) -> Self:
        """Those that have not ended."""
        return self.filter(status__in=Job.OPEN)

    def single(self) -> Self:
        """Those that were asked one by one."""
        return self.filter(bulk__isnull=True, watch__isnull=True)

    def of_bulk_jobs(self) -> Self:
        """Those that are questions of a bulk job."""
        return self.filter(bulk__isnull=False)

    def of_watches(self) -> Self:
        """Those that are checks of watches."""
        return self.filter(watch__isnull=False)

    def queued(self) -> Self:
        """Those that take turns behind what people wait for: questions of bulk jobs and of watches."""
        return self.filter(Q(bulk__isnull=False) | Q(watch__isnull=False))

    def live(self) -> Self:
        """Those that ask real registries."""
        return self.exclude(key__mode=ApiKey.Mode.TEST)

    def due(self, now: datetime | Expression) -> Self:
        """Those that a worker may take."""
        return self.filter(is_due(now))

    def overdue(self, now: datetime) -> Self:
        """Open ones whose deadline passed and that no worker has."""
        return self.open().filter(deadline__lte=now).exclude(is_running(now))

    def barred(self, now: datetime) -> Self:
        """Those that nobody begins any more, as their key or account has ended."""
        return self.filter(is_barred(now))

    def unchanged(self, job: Job) -> Self:
        """This one, if it is still as it was read: nobody has claimed or ended it since."""
        return self.filter(pk=job.pk, claim=job.claim, status=job.status)

    def claimed_like(self, job: Job) -> Self:
        """This one, if the worker it was read for still has it."""
        return self.filter(pk=job.pk, claim=job.claim, status=Job.Status.PROCESSING)


class Job(models.Model):
    """One question that was accepted, paid for by a hold, and ends once: complete or failed.

    A worker owns it by its `claim` until `lease_until`; a job whose worker was lost goes back to pending and is
    settled under the same `ask_id`, so it is charged once or not at all.
    """

    class Status(models.TextChoices):
        """The words of the wire."""

        PENDING = "pending", "pending"
        PROCESSING = "processing", "processing"
        COMPLETE = "complete", "complete"
        FAILED = "failed", "failed"

    OPEN = (Status.PENDING, Status.PROCESSING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="jobs")
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, related_name="+")
    hold = models.ForeignKey("billing.Hold", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    bulk = models.ForeignKey("lookups.BulkJob", on_delete=models.CASCADE, null=True, blank=True, related_name="jobs")
    watch = models.ForeignKey("lookups.Watch", on_delete=models.CASCADE, null=True, blank=True, related_name="jobs")
    position = models.PositiveIntegerField(default=0, help_text="First row of the bulk request that asks this.")
    lookup = models.OneToOneField("lookups.Lookup", on_delete=models.PROTECT, related_name="job")
    ask_id = models.UUIDField(unique=True)
    state = models.CharField(max_length=2)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True, help_text="The registry failed; tried again from then on.")
    attempts = models.PositiveSmallIntegerField(default=0)
    estimated_seconds = models.PositiveIntegerField()
    request_id = models.CharField(max_length=64, blank=True, default="")
    is_awaited = models.BooleanField(
        default=False,
        db_default=False,  # for what the version before writes while both run
        editable=False,
        help_text="A person asked, and then a program asked the same: a webhook tells of it.",
    )
    created_at = models.DateTimeField()
    deadline = models.DateTimeField(help_text="When it fails if nobody answered it by then.")
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="pending", claim__isnull=True, ended_at__isnull=True)
                | Q(status="processing", claim__isnull=False, lease_until__isnull=False, ended_at__isnull=True)
                | Q(status__in=["complete", "failed"], ended_at__isnull=False),
                name="job_fits_its_status",
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=Q(status__in=["pending", "processing"]), name="job_open"),
            models.Index(fields=["key"], condition=Q(status__in=["pending", "processing"]), name="job_open_by_key"),
            models.Index(fields=["ended_at"], name="job_by_end"),
            models.Index(
                fields=["account", "state", "created_at", "position"],
                condition=Q(status__in=["pending", "processing"], bulk__isnull=False),
                name="job_open_of_bulk",
            ),
            models.Index(
                fields=["account", "state", "created_at"],
                condition=Q(status__in=["pending", "processing"], watch__isnull=False),
                name="job_open_of_watch",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} ({self.status})"

    @property
    def public_id(self) -> str:
        """What the customer calls it."""
        return f"job_{self.id.hex}"
