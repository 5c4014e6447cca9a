"""POST /v1/account/webhook-secret and /webhook-test: what a customer needs to receive webhooks and to trust them."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors
from lookups.api.endpoint import Endpoint
from lookups.api.schema import account as describe
from lookups.api.wire.account import WebhookSecretReply, WebhookTestReply
from lookups.lookup.storage import wire_time
from lookups.notifications import webhook_secrets, webhook_test


class WebhookSecretView(Endpoint):
    """The secret that webhooks are signed with."""

    scope = "account"

    @describe.webhook_secret
    def post(self, request: Request) -> Response:
        """Make a new one and show it, this once (no reply of an endpoint is stored: `Cache-Control: no-store`)."""
        try:
            made = webhook_secrets.rotate(account_id=self.key_of(request).account_id, now=timezone.now())
        except webhook_secrets.TooManySecrets as many:
            raise errors.rate_limited(text=str(many), retry_after=many.retry_after) from many
        until = made.previous_valid_until
        return Response(
            WebhookSecretReply(
                success=True,
                webhookSecret=made.secret,
                previousValidUntil=wire_time(until) if until else None,
            )
        )


class WebhookTestView(Endpoint):
    """The test button."""

    scope = "account"

    @describe.webhook_test
    def post(self, request: Request) -> Response:
        """Send one signed event to the account's address, and tell what came of it."""
        try:
            test = webhook_test.send_test(account_id=self.key_of(request).account_id, now=timezone.now())
        except webhook_test.NoAddress as missing:
            raise errors.invalid({"webhookUrl": [str(missing)]}) from missing
        except webhook_test.TooOften as often:
            raise errors.rate_limited(text=str(often), retry_after=often.retry_after) from often
        return Response(
            WebhookTestReply(
                success=True,
                delivered=test.sent.delivered,
                status=test.sent.status,
                error=test.sent.error or None,
                durationMs=test.sent.duration_ms,
                webhookId=test.message_id,
            )
        )
