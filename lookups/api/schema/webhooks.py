"""/v1/account/webhook-secret, /webhook-test and /deliveries in the OpenAPI document: additions of ours."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers

from lookups.api.schema import components, describe
from lookups.models import Delivery


class WebhookSecretReply(serializers.Serializer[Any]):
    success = components.flag()
    livemode = components.livemode()
    webhookSecret = components.text("`whsec_` and base64. Shown in this reply alone: keep it.")
    previousValidUntil = components.moment(
        "Until then webhooks carry a signature of the secret before as well; null when there was none.", allow_null=True
    )


class WebhookTestReply(serializers.Serializer[Any]):
    success = components.flag("The test was made; whether it arrived is told by `delivered`.")
    livemode = components.livemode()
    delivered = components.flag("Your server answered 2xx.")
    status = components.whole("What your server answered; null without an answer.", allow_null=True)
    error = components.maybe("Why it is not delivered, in words; null when it is.")
    durationMs = components.whole("Milliseconds.")
    webhookId = components.text("The `webhook-id` that was sent.")


class AccountDelivery(serializers.Serializer[Any]):
    id = components.text("The `webhook-id`, the same in every try.")
    livemode = components.livemode()
    type = components.word(Delivery.Event.values, "What it tells.")
    channel = components.word(Delivery.Channel.values, "How it is sent.")
    address = components.text("Where it goes, without user name, password and query string.")
    status = components.word(Delivery.Status.values, "`pending`: it has not arrived yet and is tried again.")
    attempts = components.whole("Tries since it was written, or was sent again by the operator.")
    lastAnswer = components.maybe("What came of the last try: the status answered, or why none was; null before it.")
    nextAt = components.moment("When it is tried next; null once it is over.", allow_null=True)
    createdAt = components.moment("When what it tells of happened.")
    deliveredAt = components.moment("When it arrived; null when it has not.", allow_null=True)
    jobId = components.maybe("The job it tells of, if it does of one.")
    bulkJobId = components.maybe("The bulk job (`job_id`) it tells of, if it does of one.")


class AccountDeliveries(serializers.Serializer[Any]):
    success = components.flag("Always true.")
    livemode = components.livemode()
    deliveries = AccountDelivery(many=True, help_text="The newest first.")
    nextCursor = components.maybe("Send it as `cursor` for the next page; null on the last one.")


def _tested(title: str, **differs: object) -> OpenApiExample:
    value = {
        "success": True,
        "livemode": True,
        "delivered": True,
        "status": 204,
        "error": None,
        "durationMs": 84,
        "webhookId": "msg_3f0c9a6d0b7e4c5f8a1d2e3f4a5b6c7d",
        **differs,
    }
    return OpenApiExample(title, value=value, response_only=True, status_codes=["200"])


_SECRET = OpenApiExample(
    "A new secret",
    value={
        "success": True,
        "livemode": True,
        "webhookSecret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDkMmq3fVmwyc=",
        "previousValidUntil": "2026-11-22T12:00:00.000Z",
    },
    response_only=True,
    status_codes=["200"],
)

_SENT = OpenApiExample(
    "One that waits for its next try",
    value={
        "success": True,
        "livemode": True,
        "deliveries": [
            {
                "id": "msg_3f0c9a6d0b7e4c5f8a1d2e3f4a5b6c7d",
                "livemode": True,
                "type": "lookup.complete",
                "channel": "webhook",
                "address": "https://hooks.example.com/sos",
                "status": "pending",
                "attempts": 1,
                "lastAnswer": "answered 503",
                "nextAt": "2026-11-21T12:00:05.000Z",
                "createdAt": "2026-11-21T12:00:00.000Z",
                "deliveredAt": None,
                "jobId": "job_0b9f3c7e5d1a4f68a2c40e7d9b13f5a6",
                "bulkJobId": None,
            }
        ],
        "nextCursor": None,
    },
    response_only=True,
    status_codes=["200"],
)

secret = extend_schema(
    operation_id="newWebhookSecret",
    tags=["Account"],
    summary="Make a new webhook secret",
    description="Webhooks are signed as the Standard Webhooks specification says. The secret before goes on signing "
    "for 24 hours, so that your server can change over. At most five a day. A test key makes the secret of test mode. "
    "Beyond the contract of existing clients.",
    request=None,
    parameters=describe.HEADERS,
    responses={200: describe.reply(WebhookSecretReply, "The secret, this once.", _SECRET), **describe.KEYED},
)

test = extend_schema(
    operation_id="testWebhook",
    tags=["Account"],
    summary="Send a test to the account's webhookUrl",
    description="Sends a signed `webhook.test` event now, waits for the answer (10 seconds at most) and tells how it "
    "went. It is never sent again. At most five a minute. A test key tries the address of test mode. "
    "Beyond the contract of existing clients.",
    request=None,
    parameters=describe.HEADERS,
    responses={
        200: describe.reply(
            WebhookTestReply,
            "It was sent, or could not be; `delivered` says which.",
            _tested("Delivered"),
            _tested("Refused by the server", delivered=False, status=500, error="answered 500"),
            _tested("Not sent", delivered=False, status=None, error="the address leads to a private network"),
        ),
        400: describe.reply(components.InvalidRequest, "The account has no webhookUrl."),
        **describe.KEYED,
    },
)

deliveries = extend_schema(
    operation_id="listDeliveries",
    tags=["Account"],
    summary="What was sent by webhook and mail, newest first",
    description="The messages of the key's mode, kept as long as what they tell of: seven days. Beyond the contract of "
    "existing clients.",
    parameters=[
        OpenApiParameter(
            "status",
            {"type": "string", "enum": Delivery.Status.values},
            description="Only those that wait, have arrived or were given up.",
        ),
        OpenApiParameter("cursor", OpenApiTypes.STR, description="`nextCursor` of the page before."),
        OpenApiParameter(
            "limit", {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}, description="Messages a page."
        ),
        *describe.HEADERS,
    ],
    responses={
        200: describe.reply(AccountDeliveries, "A page of messages.", _SENT),
        400: describe.reply(components.InvalidRequest, "A status, cursor or limit that is none."),
        **describe.KEYED,
    },
)
