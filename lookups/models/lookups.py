"""One row for every question that was accepted, and what came of it: the centre of everything that is shown of it.

A reply, a bulk row, a line of CSV, a webhook and a page are renderings of this row; none of them is kept.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from lookups.models.idempotency import IdempotencyRecord
from lookups.verdicts import BILLED, Verdict, find_verdict

if TYPE_CHECKING:
    from lookups.models.bulk import BulkJob


class LookupQuerySet(models.QuerySet["Lookup"]):
    """Lookups by how far they are."""

    def open(self) -> Self:
        """Those that have not ended."""
        return self.filter(verdict__isnull=True)

    def unattended(self, before: datetime, now: datetime) -> Self:
        """Open ones from before that moment that no job answers: their caller's process was lost.

        Not those whose own payment may have moved money: their answer is owed. Nor those that are asked again under
        their `Idempotency-Key` now: that request answers them.
        """
        owed = Q(payment__state__in=("settling", "unknown", "paid"), payment__taken_back=0)
        lost = self.open().filter(job__isnull=True, repeats__isnull=True, created_at__lt=before)
        again = IdempotencyRecord.objects.running().filter(account=OuterRef("account"), ask_id=OuterRef("ask_id"))
        return lost.exclude(owed).exclude(Exists(again.filter(lease_until__gt=now)))

    def whole(self) -> Self:
        """With everything that a reply tells of them."""
        return self.select_related("version__entity", "filing_set", "payment")

    def rows_of(self, bulk: BulkJob) -> Self:
        """The rows of a bulk request, in the order asked."""
        return self.filter(bulk=bulk).order_by("position")


class Lookup(models.Model):
    """A question of one payer and its outcome. Written when it is accepted, ended once, never changed after that."""

    class Source(models.TextChoices):
        """Where the answer came from."""

        LIVE = "live", "live"
        STORED = "stored", "stored record"
        COPY = "copy", "copy of bulk data"

    class Origin(models.TextChoices):
        """By which door it came in."""

        API = "api", "API"
        PAGE = "page", "workspace"
        BULK = "bulk", "bulk request"
        WATCH = "watch", "watch"

    ask_id = models.UUIDField(unique=True, default=uuid.uuid4, help_text="The same ask is never charged twice.")
    origin = models.CharField(max_length=5, choices=Origin.choices, default=Origin.API)
    account = models.ForeignKey(
        "billing.Account", on_delete=models.PROTECT, null=True, blank=True, related_name="lookups", db_index=False
    )
    payment = models.OneToOneField(
        "billing.Payment", on_delete=models.PROTECT, null=True, blank=True, related_name="lookup"
    )
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,  # few rows have one: the index below holds those alone
        help_text="Who asked in the workspace.",
    )
    hold = models.ForeignKey("billing.Hold", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    bulk = models.ForeignKey(
        "lookups.BulkJob", on_delete=models.PROTECT, null=True, blank=True, related_name="lookups", db_index=False
    )
    position = models.PositiveIntegerField(null=True, blank=True, help_text="Its row in the bulk request, from 0.")
    repeats = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="repetitions",
        help_text="The row before it that asks the same: ended and paid for together.",
        db_index=False,
    )
    ref = models.CharField(max_length=200, null=True, blank=True, help_text="The customer's own mark, echoed.")
    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    asked = models.CharField(max_length=200)
    question = models.JSONField(default=dict, help_text="The whole question, to ask it again after a crash.")
    sandbox = models.BooleanField(default=False)
    price = models.BigIntegerField(default=0, help_text="Quoted when it was accepted, in 1/10,000 USD.")
    request_id = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField()

    verdict = models.CharField(
        max_length=11, null=True, blank=True, choices=[(one.value, one.value.replace("_", " ")) for one in Verdict]
    )
    reason = models.CharField(max_length=40, blank=True, default="", help_text="Why nothing is known, as a word.")
    refusal = models.JSONField(null=True, blank=True, help_text="What the sentence of a refusal names.")
    version = models.ForeignKey(
        "lookups.RecordVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="lookups"
    )
    filing_set = models.ForeignKey(
        "lookups.FilingSet", on_delete=models.PROTECT, null=True, blank=True, related_name="lookups", db_index=False
    )
    match = models.JSONField(null=True, blank=True, help_text="How well the record fits the question.")
    related = models.JSONField(default=list, blank=True, help_text="Other records that fit.")
    candidates = models.JSONField(default=list, blank=True, help_text="Records that come near, where none was chosen.")
    name_check = models.JSONField(null=True, blank=True, help_text="What is known of a name.")
    total = models.PositiveIntegerField(default=0)
    note = models.TextField(blank=True, default="")
    evidence = models.JSONField(null=True, blank=True, help_text="sourceUrl, retrievedAt, sha256 of what was read.")
    reading = models.ForeignKey(
        "scrapers.Reading", on_delete=models.PROTECT, null=True, blank=True, related_name="lookups"
    )
    source = models.CharField(max_length=6, choices=Source.choices, default=Source.LIVE)
    data_as_of = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Until when a stored answer serves.")
    reader_version = models.CharField(max_length=16, blank=True, default="")
    reader_built_at = models.CharField(max_length=40, blank=True, default="")
    retry_at = models.DateTimeField(null=True, blank=True, help_text="When its registry may be asked again.")
    shared = models.BooleanField(default=False, help_text="Answered by a fetch that somebody else's question started.")
    cost = models.BigIntegerField(default=0, help_text="Charged to the balance, in 1/10,000 USD.")
    balance_after = models.BigIntegerField(null=True, blank=True, help_text="What was left then, in 1/10,000 USD.")
    attempt_id = models.BigIntegerField(null=True, blank=True, help_text="The scrape attempt that answered.")
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = LookupQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["created_at"], name="lookup_by_time"),
            # An account's usage is counted from it alone: to see its rows would be ten times as long
            models.Index(
                fields=["account", "created_at", "sandbox", "state", "key", "origin", "verdict", "cost"],
                name="lookup_of_account_by_time",
            ),
            # A list is of one mode, often of a verdict or a state: what is passed over is not looked up in the table
            models.Index(fields=["account", "-id", "sandbox", "verdict", "state"], name="lookup_of_account_newest"),
            models.Index(fields=["account", "ref"], condition=Q(ref__isnull=False), name="lookup_by_ref"),
            models.Index(fields=["created_at"], condition=Q(verdict__isnull=True), name="lookup_open"),
            models.Index(fields=["asked_by"], condition=Q(asked_by__isnull=False), name="lookup_by_person"),
            models.Index(fields=["repeats"], condition=Q(repeats__isnull=False), name="lookup_repeating"),
            models.Index(fields=["filing_set"], condition=Q(filing_set__isnull=False), name="lookup_of_filings"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["bulk", "position"], name="lookup_once_per_row"),
            models.CheckConstraint(
                condition=Q(cost=0) | Q(verdict__in=BILLED, cost__gt=0, sandbox=False), name="lookup_only_found_costs"
            ),
            models.CheckConstraint(
                condition=Q(account__isnull=False) | Q(payment__isnull=False, cost=0), name="lookup_has_a_payer"
            ),
            models.CheckConstraint(
                condition=Q(verdict__isnull=True, ended_at__isnull=True)
                | Q(verdict__isnull=False, ended_at__isnull=False),
                name="lookup_ends_with_a_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.asked}: {self.verdict or 'open'}"

    @property
    def public_id(self) -> str:
        """What the customer calls it: `lk_…`, or `nc_…` of a name check."""
        return f"{'nc' if self.kind == 'name_check' else 'lk'}_{self.ask_id.hex}"

    @property
    def livemode(self) -> bool:
        """Whether a real registry was asked."""
        return not self.sandbox

    @property
    def is_from_copy(self) -> bool:
        """Whether a loaded copy answered; `source` says so of what was found alone."""
        return bool((self.evidence or {}).get("fromRegister"))

    @property
    def outcome(self) -> Verdict | None:
        """The verdict with all that follows from it; None while it is open."""
        return find_verdict(self.verdict)

    @property
    def charged(self) -> int:
        """What the customer paid, to a balance or with the request itself, in 1/10,000 USD."""
        if self.payment is not None:
            return self.payment.amount if self.verdict in BILLED and self.price else 0
        return self.cost


class DayCount(models.Model):
    """What was asked on a day (UTC) that is over, once all of it has ended. All but `sandbox` are of live lookups."""

    day = models.DateField(primary_key=True)
    lookups = models.PositiveIntegerField()
    found = models.PositiveIntegerField()
    unavailable = models.PositiveIntegerField()
    sandbox = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.day}"


class UsageSum(models.Model):
    """So many lookups of one account's day (UTC) that is over, where they were many; of such a day all are there."""

    day = models.DateField()
    account = models.ForeignKey("billing.Account", on_delete=models.PROTECT, related_name="+", db_index=False)
    sandbox = models.BooleanField()
    state = models.CharField(max_length=2)
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    origin = models.CharField(max_length=5)
    verdict = models.CharField(max_length=11)
    lookups = models.PositiveIntegerField()
    spent = models.PositiveBigIntegerField(help_text="In 1/10,000 USD.")

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["account", "day"], name="usage_by_account")]

    def __str__(self) -> str:
        return f"{self.day} {self.state}: {self.lookups}"
