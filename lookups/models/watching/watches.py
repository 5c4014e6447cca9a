"""A company that is looked at again and again for a customer, each look, and what the next one is compared with."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q


class WatchQuerySet(models.QuerySet["Watch"]):
    """Watches by what is to be done with them."""

    def kept(self) -> Self:
        """Those that nobody has deleted."""
        return self.filter(deleted_at__isnull=True)

    def due(self, now: datetime) -> Self:
        """Those whose time has come."""
        return self.kept().filter(status=Watch.Status.ACTIVE, next_at__lte=now)


class Watch(models.Model):
    """One company, how often it is looked at, for which changes, and who hears of them.

    Once it was found it is asked for by the registry's identifier, whatever it is called by then. A deleted watch stays
    as long as its events are kept.
    """

    class Every(models.TextChoices):
        """How often it is looked at."""

        DAY = "day", "day"
        WEEK = "week", "week"
        MONTH = "month", "month"

    class Status(models.TextChoices):
        """Whether it is looked at."""

        ACTIVE = "active", "active"
        PAUSED = "paused", "paused"

    class PauseReason(models.TextChoices):
        """Why it is not."""

        REQUESTED = "requested", "asked for"
        INSUFFICIENT_BALANCE = "insufficient_balance", "the balance does not cover a check"
        BUDGET_EXCEEDED = "budget_exceeded", "the month's budget is spent"
        KEY_ENDED = "key_ended", "its API key has ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="watches", db_index=False)
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, related_name="+")
    sandbox = models.BooleanField(default=False)
    state = models.CharField(max_length=2)
    entity_id = models.CharField(
        max_length=120, blank=True, default="", help_text="The state's own identifier; empty until it was found."
    )
    entity_name = models.CharField(max_length=200, blank=True, default="", help_text="As it was asked for.")
    name = models.CharField(max_length=500, blank=True, default="", help_text="As the registry wrote it last.")
    every = models.CharField(max_length=5, choices=Every.choices)
    categories = models.JSONField(help_text="The changes that are told.")
    webhook_url = models.CharField(max_length=500, blank=True, default="", help_text="Empty: the account's.")
    email_digest = models.BooleanField(default=False)
    tell_unchanged = models.BooleanField(default=False)
    max_per_month = models.PositiveIntegerField(null=True, blank=True, help_text="Checks in a month (UTC) at most.")
    ref = models.CharField(max_length=200, null=True, blank=True, help_text="The customer's own mark, echoed.")
    status = models.CharField(max_length=6, choices=Status.choices, default=Status.ACTIVE)
    pause_reason = models.CharField(max_length=20, choices=PauseReason.choices, blank=True, default="")
    paused_at = models.DateTimeField(null=True, blank=True)
    next_at = models.DateTimeField(null=True, blank=True, help_text="When it is looked at next; empty: not.")
    turns = models.PositiveIntegerField(default=0, help_text="How often it was looked at.")
    request_id = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = WatchQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "watches"
        constraints = [
            models.CheckConstraint(
                condition=Q(status="active", pause_reason="", paused_at__isnull=True)
                | Q(status="paused", paused_at__isnull=False, next_at__isnull=True) & ~Q(pause_reason=""),
                name="watch_fits_its_status",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True) | Q(next_at__isnull=True), name="watch_deleted_is_not_asked"
            ),
            models.CheckConstraint(condition=~Q(entity_id="", entity_name=""), name="watch_names_a_company"),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(next_at__isnull=False), name="watch_due"),
            models.Index(fields=["account", "sandbox", "-created_at"], name="watch_by_account"),
            models.Index(fields=["state", "entity_id"], name="watch_by_company"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} ({self.state} {self.name or self.entity_name or self.entity_id})"

    @property
    def public_id(self) -> str:
        """What the customer calls it."""
        return f"watch_{self.id.hex}"

    @property
    def livemode(self) -> bool:
        """Whether a real registry is asked."""
        return not self.sandbox


class WatchCheck(models.Model):
    """One look: the lookup that was asked for it, and what came of comparing. Ended once."""

    class Result(models.TextChoices):
        """What came of it; the words of the wire."""

        BASELINE = "baseline", "first reading"
        UNCHANGED = "unchanged", "unchanged"
        CHANGED = "changed", "changed"
        READER_CHANGED = "reader_changed", "read by another reader: first reading anew"
        ABSENT = "absent", "not found"
        UNCLEAR = "unclear", "nothing is known"

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="checks", db_index=False)
    kind = models.CharField(max_length=16, help_text="Its record, or the liens on its name.")
    lookup = models.OneToOneField("lookups.Lookup", on_delete=models.PROTECT, related_name="watch_check")
    turn = models.PositiveIntegerField(help_text="How often the watch had been looked at before.")
    unchanged_price = models.BigIntegerField(help_text="Where nothing has changed, quoted with the lookup's.")
    copy_price = models.BigIntegerField(help_text="Of an answer from a loaded copy, quoted with the lookup's.")
    result = models.CharField(max_length=14, choices=Result.choices, blank=True, default="")
    not_checked = models.JSONField(default=list, blank=True, help_text="Fields that the source did not show.")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["watch", "kind"], condition=Q(ended_at__isnull=True), name="watch_check_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, result="") | Q(ended_at__isnull=False) & ~Q(result=""),
                name="watch_check_ends_with_a_result",
            ),
        ]
        indexes = [
            models.Index(fields=["watch", "-id"], name="watch_check_by_watch"),
            models.Index(fields=["watch", "created_at"], name="watch_check_by_month"),
            models.Index(fields=["id"], condition=Q(ended_at__isnull=True), name="watch_check_open"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} check {self.turn}: {self.result or 'open'}"


class WatchBaseline(models.Model):
    """What the next reading of one question of a watch is compared with: all that is known of it until now.

    A field that the last reading did not show is kept from the reading before, and `carried` says from which lookup.
    """

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="baselines", db_index=False)
    kind = models.CharField(max_length=16)
    facts = models.JSONField(null=True, blank=True, help_text="Empty: it was never found.")
    known = models.JSONField(default=list, help_text="The fields among them that some reading has shown.")
    carried = models.JSONField(default=dict, blank=True, help_text="Field -> lookup that showed it, if an earlier one.")
    lookup = models.ForeignKey(
        "lookups.Lookup", on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Read last by."
    )
    reader = models.CharField(max_length=80, blank=True, default="")
    read_at = models.DateTimeField(null=True, blank=True, help_text="The moment that its facts are from.")
    absent_lookup = models.ForeignKey(
        "lookups.Lookup",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="First missed by.",
    )
    absent_reader = models.CharField(max_length=80, blank=True, default="")
    absent_at = models.DateTimeField(null=True, blank=True)
    is_gone = models.BooleanField(default=False, help_text="It was said to have disappeared.")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["watch", "kind"], name="watch_baseline_once")]

    def __str__(self) -> str:
        return f"{self.watch_id} {self.kind}"
