"""One row per question that was answered: the service's own memory of its work, and the proof of each charge."""

from __future__ import annotations

import uuid

from django.db import models


class Lookup(models.Model):
    """A question of a customer with its outcome. Written in the transaction that charges for it, never changed."""

    class Outcome(models.TextChoices):
        """How a question ended."""

        FOUND = "found", "found"
        NOT_FOUND = "not_found", "not found"
        UNAVAILABLE = "source_unavailable", "source unavailable"
        REFUSED = "refused", "refused by the registry"

    class Source(models.TextChoices):
        """Where the answer came from."""

        LIVE = "live", "live"
        CACHE = "cache", "stored record"

    ask_id = models.UUIDField(unique=True, default=uuid.uuid4, help_text="The same ask is never charged twice.")
    account = models.ForeignKey(
        "billing.Account", on_delete=models.PROTECT, null=True, blank=True, related_name="lookups"
    )
    payment = models.OneToOneField(
        "billing.Payment", on_delete=models.PROTECT, null=True, blank=True, related_name="lookup"
    )
    key = models.ForeignKey("billing.ApiKey", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    hold = models.ForeignKey("billing.Hold", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    answer = models.ForeignKey(
        "lookups.StoredAnswer", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=2)
    kind = models.CharField(max_length=16)
    asked = models.CharField(max_length=200)
    sandbox = models.BooleanField(default=False)
    source = models.CharField(max_length=5, choices=Source.choices)
    outcome = models.CharField(max_length=18, choices=Outcome.choices)
    reason = models.CharField(max_length=40, blank=True, default="")
    shared = models.BooleanField(default=False, help_text="Answered by a fetch that somebody else's question started.")
    cost = models.BigIntegerField(default=0, help_text="Charged to the balance, in 1/10,000 USD.")
    attempt_id = models.BigIntegerField(null=True, blank=True, help_text="The scrape attempt that answered.")
    duration_ms = models.PositiveIntegerField()
    request_id = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["created_at"], name="lookup_by_time"),
            models.Index(fields=["account", "created_at"], name="lookup_by_account_and_time"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(cost=0) | models.Q(outcome="found", cost__gt=0, sandbox=False),
                name="lookup_only_found_costs",
            ),
            models.CheckConstraint(
                condition=models.Q(account__isnull=False) | models.Q(payment__isnull=False, cost=0),
                name="lookup_has_a_payer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.asked}: {self.outcome}"
