"""/v1/account/webhook-secret, /webhook-test and /deliveries: how webhooks are received, trusted and looked after."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors
from lookups.api.endpoint import Endpoint
from lookups.api.schema import account as describe
from lookups.api.views import paging
from lookups.api.wire.account import AccountDeliveries, AccountDelivery, WebhookSecretReply, WebhookTestReply
from lookups.api.wire.words import Channel, DeliveryStatus, EventType
from lookups.lookup.storage import wire_time
from lookups.models import BulkJob, Delivery, Job
from lookups.models.places import Place
from lookups.notifications import deliveries, webhook_secrets, webhook_test


class WebhookSecretView(Endpoint):
    """The secret that webhooks are signed with."""

    scope = "account"

    @describe.webhook_secret
    def post(self, request: Request) -> Response:
        """Make a new one and show it, this once (no reply of an endpoint is stored: `Cache-Control: no-store`)."""
        key = self.key_of(request)
        try:
            made = webhook_secrets.rotate(account_id=key.account_id, livemode=key.livemode, now=timezone.now())
        except webhook_secrets.TooManySecrets as many:
            raise errors.rate_limited(text=str(many), retry_after=many.retry_after) from many
        until = made.previous_valid_until
        return Response(
            WebhookSecretReply(
                success=True,
                livemode=key.livemode,
                webhookSecret=made.secret,
                previousValidUntil=wire_time(until),
            )
        )


class WebhookTestView(Endpoint):
    """The test button."""

    scope = "account"

    @describe.webhook_test
    def post(self, request: Request) -> Response:
        """Send one signed event to the account's address, and tell what came of it."""
        key = self.key_of(request)
        try:
            test = webhook_test.send_test(account_id=key.account_id, livemode=key.livemode, now=timezone.now())
        except webhook_test.NoAddress as missing:
            raise errors.invalid({"webhookUrl": [str(missing)]}) from missing
        except webhook_test.TooOften as often:
            raise errors.rate_limited(text=str(often), retry_after=often.retry_after) from often
        return Response(
            WebhookTestReply(
                success=True,
                livemode=key.livemode,
                delivered=test.sent.delivered,
                status=test.sent.status,
                error=test.sent.error or None,
                durationMs=test.sent.duration_ms,
                webhookId=test.message_id,
            )
        )


class DeliveriesView(Endpoint):
    """What was sent unasked."""

    scope = "account"

    @describe.deliveries
    def get(self, request: Request) -> Response:
        """The webhooks and mails of the key's mode, the newest first."""
        key, (status, after, limit) = self.key_of(request), _asked(request)
        rows = deliveries.list_own(account_id=key.account_id, livemode=key.livemode, status=status, after=after)
        page, more = paging.take(rows, limit)
        return Response(
            AccountDeliveries(
                success=True,
                livemode=key.livemode,
                deliveries=[delivery_fields(row) for row in page],
                nextCursor=paging.write_place(page[-1].created_at, page[-1].pk) if more else None,
            )
        )


def delivery_fields(row: Delivery) -> AccountDelivery:
    """One message as the wire has it; what it says is not read, nor the job it tells of beyond its name."""
    return AccountDelivery(
        id=row.message_id,
        livemode=row.livemode,
        type=EventType(row.event),
        channel=Channel(row.channel),
        address=row.plain_address,
        status=DeliveryStatus(row.status),
        attempts=row.attempts,
        lastAnswer=row.last_answer or None,
        nextAt=wire_time(row.next_at),
        createdAt=wire_time(row.created_at),
        deliveredAt=wire_time(row.delivered_at),
        jobId=Job(row.job_id).public_id if row.job_id else None,
        bulkJobId=BulkJob(row.bulk_id).public_id if row.bulk_id else None,
    )


def _asked(request: Request) -> tuple[str | None, Place | None, int]:
    """The status, the place to go on from and the limit of the query string; ApiError 400."""
    asked, wrong = request.query_params, paging.Wrong()
    status = paging.read_word(asked.get("status"), "status", Delivery.Status.values, wrong)
    limit = paging.read_limit(asked.get("limit"), wrong)
    after = paging.read_place(asked.get("cursor"), wrong, written_as="nextCursor")
    if wrong:
        raise errors.invalid(wrong)
    return status, after, limit
