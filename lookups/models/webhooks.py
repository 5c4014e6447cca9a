"""What customers' webhooks are signed with: never the secrets themselves, only what they are derived from."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


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
