"""POST /v1/account/webhook-secret and /webhook-test in the OpenAPI document: additions of ours."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers

from lookups.api.schema import components, describe


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
