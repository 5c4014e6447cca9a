"""Who pays, and with which key they prove who they are."""

from __future__ import annotations

import unicodedata
import uuid
from datetime import datetime

from django.db import models
from django.db.models import F, Q

LOW_BALANCE = 31_400  # 3.14 USD, a hundred lookups
# Letters that are read from right to left, and signs that turn what stands after them
_TURNING = frozenset(("R", "AL", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
_SIGNS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


class Account(models.Model):
    """One customer's prepaid balance and preferences. The four sums are written by `billing.ledger` alone."""

    class Kind(models.TextChoices):
        """Who is behind the account; the words are the wire's."""

        USER = "user", "user"
        INTERNAL = "internal", "internal (never charged)"

    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True, default="")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.USER)
    role = models.CharField(
        max_length=30, null=True, unique=True, editable=False, help_text="Set for an account the service keeps itself."
    )
    is_active = models.BooleanField(default=True, help_text="Off: every key of this account is refused.")
    created_at = models.DateTimeField()

    max_cache_age_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="How old a stored record may be; empty: the service's default."
    )
    cache_first_default = models.BooleanField(
        default=False, help_text="Answer from stored records unless asked otherwise."
    )
    webhook_url = models.URLField(max_length=500, blank=True, default="")
    test_webhook_url = models.URLField(
        max_length=500, blank=True, default="", help_text="Where what was asked with test keys is told."
    )
    monthly_budget = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="The most this account may spend in a month (UTC), in 1/10,000 USD; empty: no limit.",
    )

    low_balance = models.BigIntegerField(
        null=True,
        blank=True,
        default=LOW_BALANCE,
        help_text="A mail goes out when less than this is left, in 1/10,000 USD; empty: none.",
    )

    # Sums of the entries, in units of 1/10,000 USD, kept here so that a charge reads one row. Less than nothing is
    # available where money that was spent has been taken back.
    available = models.BigIntegerField(default=0, editable=False)
    held = models.BigIntegerField(default=0, editable=False)
    spent = models.BigIntegerField(default=0, editable=False)
    deposited = models.BigIntegerField(default=0, editable=False)
    ledger_head = models.CharField(max_length=64, blank=True, default="", editable=False)  # hash of the last entry
    # What was held or spent since the first of `budget_month`, for the monthly budget.
    budget_month = models.DateField(null=True, editable=False)
    budget_used = models.BigIntegerField(default=0, editable=False)
    last_entry_at = models.DateTimeField(null=True, editable=False)
    is_above_low = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="No mail since it had enough."
    )
    owing_told_at = models.DateTimeField(null=True, editable=False, help_text="When its owner was told.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(held__gte=0), name="account_held_not_negative"),
            models.CheckConstraint(condition=Q(spent__gte=0), name="account_spent_not_negative"),
            models.CheckConstraint(
                condition=Q(deposited=F("available") + F("held") + F("spent")), name="account_sums_agree"
            ),
            models.CheckConstraint(condition=Q(kind__in=["user", "internal"]), name="account_kind_known"),
            models.CheckConstraint(
                condition=Q(monthly_budget__isnull=True) | Q(monthly_budget__gte=0), name="account_budget_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(low_balance__isnull=True) | Q(low_balance__gte=0), name="account_low_balance_not_negative"
            ),
        ]
        permissions = [("move_money", "Can grant credit, refund and adjust balances")]

    def __str__(self) -> str:
        if _TURNING.isdisjoint(map(unicodedata.bidirectional, self.name)):
            return f"{self.name} (#{self.pk})"
        return f"\u2068{self.name.translate(_SIGNS)}\u2069 (#{self.pk})"  # apart from the text that it stands in

    @property
    def spendable(self) -> int:
        """What can be spent, in 1/10,000 USD: nothing where something is owed."""
        return max(0, self.available)

    @property
    def owed(self) -> int:
        """What was taken back and had been spent, in 1/10,000 USD; nothing is bought until it is paid."""
        return max(0, -self.available)

    @property
    def is_internal(self) -> bool:
        """True when nothing this account does is charged."""
        return self.kind == self.Kind.INTERNAL

    def webhook_address(self, *, livemode: bool) -> str:
        """Where webhooks of this mode go; empty: nowhere."""
        return self.webhook_url if livemode else self.test_webhook_url


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Keys by what has become of them."""

    def working(self, now: datetime) -> ApiKeyQuerySet:
        """Those that `ApiKey.works_at` says it of."""
        unrevoked = Q(revoked_at__isnull=True) | Q(revoked_at__gt=now)
        return self.filter(unrevoked, Q(expires_at__isnull=True) | Q(expires_at__gt=now))

    def of_programs(self) -> ApiKeyQuerySet:
        """Those that have a secret: all but the workspace's own."""
        return self.filter(is_workspace=False)


class ApiKey(models.Model):
    """A key of an account: the hash of its secret, what it may do and how fast. Revoked, never deleted."""

    class Mode(models.TextChoices):
        """`test` keys cost nothing and reach only the sandbox registry."""

        LIVE = "live", "live"
        TEST = "test", "test"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="keys")
    name = models.CharField(max_length=100)
    mode = models.CharField(max_length=4, choices=Mode.choices, default=Mode.LIVE)
    prefix = models.CharField(max_length=20, help_text="The first characters of the secret, enough to recognize it.")
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list, blank=True, help_text="lookup, bulk, names, account, keys; empty: all.")
    allowed_networks = models.JSONField(
        default=list, blank=True, help_text="Where it may be used from, such as 192.0.2.0/24; empty: everywhere."
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    is_workspace = models.BooleanField(
        default=False,
        editable=False,
        help_text="On: what members do in the workspace is asked with it; it has no secret, so no program can use it.",
    )
    replaces = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by", editable=False
    )

    rate_limit_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Empty: the service's default."
    )
    concurrent_lookups = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: the service's default.")
    monthly_budget = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="The most this key may spend in a month (UTC), in 1/10,000 USD; empty: no limit.",
    )
    # Counted only while the key has a budget; see `keys.set_budget`.
    budget_month = models.DateField(null=True, editable=False)
    budget_used = models.BigIntegerField(default=0, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = "API key"
        constraints = [
            models.CheckConstraint(condition=Q(mode__in=["live", "test"]), name="key_mode_known"),
            models.CheckConstraint(
                condition=Q(monthly_budget__isnull=True) | Q(monthly_budget__gte=0), name="key_budget_not_negative"
            ),
            models.UniqueConstraint(
                fields=["account", "mode"], condition=Q(is_workspace=True), name="key_one_workspace"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"

    @property
    def public_id(self) -> str:
        """What customers call it."""
        return f"key_{self.uuid.hex}"

    @property
    def is_test(self) -> bool:
        """True when this key reaches only the sandbox registry and costs nothing."""
        return self.mode == self.Mode.TEST

    @property
    def livemode(self) -> bool:
        """The word of the wire: False where nothing real is asked, paid or told."""
        return not self.is_test

    def allows(self, scope: str) -> bool:
        """Tell whether the key may be used for `scope` (one of `keys.SCOPES`)."""
        return not self.scopes or scope in self.scopes

    def works_at(self, now: datetime) -> bool:
        """Tell whether the key is neither revoked nor expired at `now` (rotation revokes in the future)."""
        revoked = self.revoked_at is not None and self.revoked_at <= now
        expired = self.expires_at is not None and self.expires_at <= now
        return not revoked and not expired

    def status_at(self, now: datetime) -> str:
        """What customers and staff call it at `now`: "active", "revoked" or "expired"."""
        if self.works_at(now):
            return "active"
        if self.revoked_at == self.expires_at:
            return "expired"  # a rotated key ends when it expires, if that is sooner than its grace time
        return "revoked" if self.revoked_at is not None and self.revoked_at <= now else "expired"

    def may_ask(self, now: datetime) -> bool:
        """Tell whether anything is begun for it at `now`: it works, and its account (loaded with it) is open."""
        return self.works_at(now) and self.account.is_active
