"""Who did what in the admin and with keys: rows that nobody changes, each chained to the one before it."""

from __future__ import annotations

from django.db import models


class AuditEvent(models.Model):
    """One thing that was done, tried or seen. It names objects and never holds a secret."""

    class Kind(models.TextChoices):
        """What happened."""

        SIGNED_IN = "signed_in", "signed in"
        SIGN_IN_FAILED = "sign_in_failed", "sign-in failed"
        LOCKED_OUT = "locked_out", "locked out"
        SIGNED_OUT = "signed_out", "signed out"
        CONFIRMED = "confirmed", "confirmed who it is"
        FACTOR_ADDED = "factor_added", "second factor added"
        FACTOR_REMOVED = "factor_removed", "second factor removed"
        KEY_ISSUED = "key_issued", "key issued"
        KEY_ROTATED = "key_rotated", "key rotated"
        KEY_REVOKED = "key_revoked", "key revoked"
        SECRET_MADE = "secret_made", "webhook secret made"
        MONEY_MOVED = "money_moved", "money moved"
        BUDGET_SET = "budget_set", "budget set"
        SWITCHED = "switched", "jurisdiction switched"
        USER_CHANGED = "user_changed", "user changed"
        ROLE_CHANGED = "role_changed", "role changed"
        SETTINGS_CHANGED = "settings_changed", "settings changed"
        MEMBER_INVITED = "member_invited", "member invited"
        MEMBER_JOINED = "member_joined", "member joined"
        MEMBER_CHANGED = "member_changed", "member changed"
        MEMBER_REMOVED = "member_removed", "member removed"
        LINK_SHOWN = "link_shown", "sign-in link shown"
        EVIDENCE_SEEN = "evidence_seen", "evidence seen"
        DONE = "done", "done"

    at = models.DateTimeField()
    kind = models.CharField(max_length=20, choices=Kind.choices)
    actor = models.CharField(max_length=150, help_text="A user's name, an account, or the service itself.")
    address = models.CharField(max_length=50, blank=True, default="")
    subject = models.CharField(max_length=200, blank=True, default="", help_text="What it was done to.")
    detail = models.CharField(max_length=1000, blank=True, default="")
    request_id = models.CharField(max_length=64, blank=True, default="")
    # Unique: the chain cannot fork.
    previous_hash = models.CharField(max_length=64, blank=True, default="", unique=True, editable=False)
    hash = models.CharField(max_length=64, editable=False)

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        indexes = [models.Index(fields=["at"], name="audit_at")]

    def __str__(self) -> str:
        return f"audit event #{self.pk}"


class AuditHead(models.Model):
    """The hash of the last event, in the one row under whose lock the chain grows."""

    hash = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.hash or "no event yet"
