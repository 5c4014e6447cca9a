"""What customers are sent unasked, by webhook or e-mail: written with the event itself, sent until it has arrived.

Of what webhooks are signed with nothing is here but what the secrets are derived from.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q

from billing.models import Account


def is_due(now: datetime) -> Q:
    """Messages that a worker may take: their time has come, and nobody has them or that worker was lost."""
    return Q(is_idle(now), status=Delivery.Status.PENDING, next_at__lte=now)


def is_idle(now: datetime) -> Q:
    """Messages that nobody is sending."""
    return Q(claim__isnull=True) | Q(lease_until__lte=now)


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Messages by how far they are."""

    def pending(self) -> Self:
        """Those that have neither arrived nor been given up."""
        return self.filter(status=Delivery.Status.PENDING)

    def due(self, now: datetime) -> Self:
        """Those that a worker may take."""
        return self.filter(is_due(now))

    def idle(self, now: datetime) -> Self:
        """Those that nobody is sending."""
        return self.filter(is_idle(now))

    def on_their_way(self, now: datetime) -> Self:
        """Those that a worker is sending."""
        return self.filter(claim__isnull=False, lease_until__gt=now)

    def claimed_like(self, delivery: Delivery) -> Self:
        """This one, if the worker it was read for still has it."""
        return self.pending().filter(pk=delivery.pk, claim=delivery.claim)


class Delivery(models.Model):
    """One message to one address: the outbox row, and the truth about it.

    Written in the transaction that ends the work it tells of, so it exists exactly when that has ended. Worked on under
    `claim` until `lease_until`; a delivery whose worker was lost is sent again, under the same name.
    """

    class Channel(models.TextChoices):
        """How it is sent."""

        WEBHOOK = "webhook", "webhook"
        EMAIL = "email", "e-mail"

    class Event(models.TextChoices):
        """The words of the wire."""

        LOOKUP_COMPLETE = "lookup.complete", "lookup.complete"
        LOOKUP_FAILED = "lookup.failed", "lookup.failed"
        BULK_COMPLETE = "bulk.complete", "bulk.complete"
        BULK_CANCELLED = "bulk.cancelled", "bulk.cancelled"
        WATCH_CHANGED = "watch.changed", "watch.changed"
        WATCH_UNCHANGED = "watch.unchanged", "watch.unchanged"
        WATCH_UNCLEAR = "watch.unclear", "watch.unclear"
        WATCH_PAUSED = "watch.paused", "watch.paused"
        WATCH_DIGEST = "watch.digest", "watch.digest"
        TEST = "webhook.test", "webhook.test"

    class Status(models.TextChoices):
        """Whether it has arrived."""

        PENDING = "pending", "pending"
        DELIVERED = "delivered", "delivered"
        GIVEN_UP = "given_up", "given up"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="deliveries", db_index=False)
    job = models.ForeignKey(
        "lookups.Job", on_delete=models.CASCADE, null=True, blank=True, related_name="deliveries", db_index=False
    )
    bulk = models.ForeignKey(
        "lookups.BulkJob", on_delete=models.CASCADE, null=True, blank=True, related_name="deliveries", db_index=False
    )
    watch_event = models.ForeignKey(
        "lookups.WatchEvent", on_delete=models.CASCADE, null=True, blank=True, related_name="deliveries", db_index=False
    )
    livemode = models.BooleanField(help_text="Off: it tells of what was asked with a test key.")
    channel = models.CharField(max_length=7, choices=Channel.choices)
    event = models.CharField(max_length=15, choices=Event.choices)
    address = models.CharField(max_length=500, blank=True, help_text="Where it goes; looked up again before each try.")
    body = models.TextField(blank=True, default="", help_text="The exact text of a webhook; a mail is made when sent.")
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Since it was written or sent again by hand.")
    next_at = models.DateTimeField(null=True, blank=True, help_text="When it is tried next; empty once it is over.")
    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    last_answer = models.CharField(max_length=300, blank=True, default="")
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["job", "event", "channel"], name="delivery_once_per_job"),
            models.UniqueConstraint(fields=["bulk", "event", "channel"], name="delivery_once_per_bulk"),
            models.UniqueConstraint(fields=["watch_event", "channel"], name="delivery_once_per_watch_event"),
            models.CheckConstraint(
                condition=Q(status="pending", next_at__isnull=False, delivered_at__isnull=True)
                | Q(status="delivered", next_at__isnull=True, claim__isnull=True, delivered_at__isnull=False)
                | Q(status="given_up", next_at__isnull=True, claim__isnull=True, delivered_at__isnull=True),
                name="delivery_fits_its_status",
            ),
            models.CheckConstraint(
                condition=Q(event__startswith="lookup.", job__isnull=False, bulk__isnull=True, watch_event__isnull=True)
                | Q(event__startswith="bulk.", job__isnull=True, bulk__isnull=False, watch_event__isnull=True)
                | Q(
                    event__in=["watch.changed", "watch.unchanged", "watch.unclear", "watch.paused"],
                    job__isnull=True,
                    bulk__isnull=True,
                    watch_event__isnull=False,
                )
                | Q(
                    event__in=["webhook.test", "watch.digest"],
                    job__isnull=True,
                    bulk__isnull=True,
                    watch_event__isnull=True,
                ),
                name="delivery_tells_of_one_thing",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(status="pending"), name="delivery_due"),
            models.Index(fields=["lease_until"], condition=Q(claim__isnull=False), name="delivery_at_work"),
            models.Index(fields=["created_at"], name="delivery_by_time"),
            models.Index(fields=["account", "livemode", "created_at"], name="delivery_by_account_and_time"),
        ]

    def __str__(self) -> str:
        return f"{self.message_id} ({self.event}, {self.status})"

    @property
    def message_id(self) -> str:
        """What the receiver knows it by, the same in every try."""
        return f"msg_{self.id.hex}"

    @property
    def plain_address(self) -> str:
        """The address without what may be a password in it: neither a user nor a query."""
        if self.channel == self.Channel.EMAIL:
            return self.address
        place, _, _ = self.address.partition("#")[0].partition("?")
        scheme, separator, rest = place.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


class DeliveryAttempt(models.Model):
    """One try to deliver, as it went. Never changed."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField()
    status_code = models.PositiveIntegerField(null=True, blank=True, help_text="Of the answer; empty without one.")
    error = models.CharField(max_length=300, blank=True, default="", help_text="Empty: it arrived.")
    duration_ms = models.PositiveIntegerField()
    excerpt = models.CharField(max_length=500, blank=True, default="", help_text="How the answer began.")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.error or 'arrived'}"


class WebhookAddress(Account):
    """An account as one that webhooks are sent to: what operators look at when a customer gets none."""

    class Meta:
        proxy = True
        verbose_name = "webhook address"
        verbose_name_plural = "webhook addresses"

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(filter(None, (self.webhook_url, self.test_webhook_url))) or 'no address'}"


class WebhookSecret(models.Model):
    """One secret of an account in one mode; `notifications.webhook_secrets` makes it of the salt and an operator's key.

    The newest has no end; those before it go on signing until theirs, so that a customer can change over in peace.
    """

    account = models.ForeignKey("billing.Account", on_delete=models.CASCADE, related_name="+")
    livemode = models.BooleanField(help_text="Off: it signs what was asked with test keys.")
    salt = models.CharField(max_length=64, editable=False)
    made_at = models.DateTimeField()
    signs_until = models.DateTimeField(null=True, blank=True, help_text="Empty: the one in use.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "livemode"], condition=Q(signs_until__isnull=True), name="webhook_secret_one_in_use"
            ),
        ]

    def __str__(self) -> str:
        return f"webhook secret #{self.pk}"
