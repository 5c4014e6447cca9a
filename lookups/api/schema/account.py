"""The endpoints about an account in the document: balance, ledger, preferences, top-ups, webhooks."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema

from lookups.api.requests.serializers import SettingsRequest, TopUpRequest
from lookups.api.schema import describe
from lookups.api.schema.components import refer
from lookups.api.schema.describe import reply
from lookups.api.schema.examples import account as account_examples
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.wire.account import (
    AccountDeliveries,
    AccountSettings,
    Balance,
    TopUpReply,
    Usage,
    WebhookSecretReply,
    WebhookTestReply,
)
from lookups.api.wire.errors import Error, PaymentRequired
from lookups.api.wire.words import DeliveryStatus

balance = extend_schema(
    operation_id="getBalance",
    tags=["Account"],
    summary="What is left",
    description="Money held for lookups in progress is not included. Test mode has no balance: a test key reads zeros.",
    parameters=describe.HEADERS,
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(Balance, "The balance.", account_examples.BALANCE),
            404: reply(Error, "The account of this key is gone."),
        },
    ),
)

usage = extend_schema(
    operation_id="listUsage",
    tags=["Account"],
    summary="What was charged, newest first",
    description="JSON in pages, or the whole period as CSV (`format=csv`, or `Accept: text/csv`). Test mode moves no "
    "money: a test key reads an empty list. In JSON, names that end in `Stored` are in units of 1/10,000 USD and all "
    "others in USD. The columns of the CSV: `id`, `createdAt`, `kind`, then in USD with four decimals `amountUsd`, "
    "`availableChangeUsd` (negative: less), `availableAfterUsd` and `heldAfterUsd`, then `reference`, `reason`, `key`, "
    "`requestId`.",
    parameters=[
        OpenApiParameter("from", describe.DAY, description="First day (UTC), not after `to`."),
        OpenApiParameter("to", describe.DAY, description="Last day (UTC)."),
        describe.cursor("nextCursor", 18),
        describe.LIMIT,
        describe.choice("json", "csv"),
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(Usage, "Entries of the ledger.", account_examples.USAGE),
            (200, "text/csv"): reply(describe.TABLE, "One line an entry."),
            400: describe.INVALID,
        },
    ),
)

read_settings = extend_schema(
    operation_id="getSettings",
    tags=["Account"],
    summary="The preferences as they are",
    description="With the webhook address of the key's mode.",
    parameters=describe.HEADERS,
    responses=describe.replies(
        describe.KEYED, {200: reply(AccountSettings, "The preferences.", account_examples.SETTINGS)}
    ),
)

settings = extend_schema(
    operation_id="changeSettings",
    tags=["Account"],
    summary="Change preferences",
    description="Fields that are left out stay unchanged; null restores the default. A test key sets the webhookUrl of "
    "test mode and nothing else: whatever else it sends is refused with 403 `forbidden`, and then nothing is changed.",
    request=SettingsRequest,
    parameters=describe.HEADERS,
    examples=[account_examples.CHANGE_SETTINGS],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        {200: reply(AccountSettings, "The preferences as they are now.", account_examples.SETTINGS)},
    ),
)

_ONE_PAYMENT = OpenApiParameter(
    "Idempotency-Key",
    describe.IDEMPOTENCY_KEY.type,
    OpenApiParameter.HEADER,
    description="With a payment: for 24 hours the same key with the same body is the same payment, also where another "
    "token is sent along; that one is not used.",
)
top_up = extend_schema(
    operation_id="topUp",
    tags=["Account"],
    summary="Buy credit",
    description="For people, the reply names the card provider's page; the balance grows once it is paid. "
    "An agent sends `payBy: challenge` with its key in `x-api-key`, is answered 402 with a Payment challenge (method "
    "`stripe`), and repeats the same body with `Authorization: Payment …`. Credit does not expire. A test key moves no "
    "money: 403 `forbidden`.",
    request=TopUpRequest,
    parameters=[_ONE_PAYMENT, *describe.HEADERS],
    examples=[account_examples.TOP_UP_ON_A_PAGE, account_examples.TOP_UP_BY_CHALLENGE],
    responses=describe.replies(
        describe.SENDING,
        describe.KEYED,
        describe.PAYING,
        {
            200: reply(TopUpReply, "Started, or paid.", account_examples.TOP_UP_STARTED, account_examples.TOP_UP_PAID),
            (402, describe.PROBLEM): reply(
                PaymentRequired, "What to pay, or what was wrong.", errors_examples.TOP_UP_CHALLENGE
            ),
            503: reply(Error, "Not configured here, or the card provider does not answer. Not paid."),
        },
    ),
)

webhook_secret = extend_schema(
    operation_id="newWebhookSecret",
    tags=["Account"],
    summary="Create a new webhook secret",
    description="Webhooks are signed as the Standard Webhooks specification says. The previous secret keeps signing "
    "for 24 hours, so that your server can change over. At most five a day. A test key makes the secret of test mode. "
    "Beyond the contract of existing clients.",
    request=None,
    parameters=describe.HEADERS,
    responses=describe.replies(
        describe.KEYED, {200: reply(WebhookSecretReply, "The secret, this once.", account_examples.WEBHOOK_SECRET)}
    ),
)

webhook_test = extend_schema(
    operation_id="testWebhook",
    tags=["Account"],
    summary="Send a test to the account's webhookUrl",
    description="Sends a signed `webhook.test` event now, waits for the answer (10 seconds at most) and reports how it "
    "went. It is never sent again. At most five a minute. A test key tries the address of test mode. "
    "Beyond the contract of existing clients.",
    request=None,
    parameters=describe.HEADERS,
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(
                WebhookTestReply,
                "It was sent, or could not be; `delivered` says which.",
                account_examples.WEBHOOK_DELIVERED,
                account_examples.WEBHOOK_REFUSED,
                account_examples.WEBHOOK_NOT_SENT,
            ),
            400: describe.INVALID,
        },
    ),
)

deliveries = extend_schema(
    operation_id="listDeliveries",
    tags=["Account"],
    summary="What was sent by webhook and mail, newest first",
    description="The messages of the key's mode, kept as long as what they report: seven days. Beyond the contract of "
    "existing clients.",
    parameters=[
        OpenApiParameter(
            "status",
            refer(DeliveryStatus),
            description="Only those that wait, have arrived or were given up.",
        ),
        describe.place("nextCursor"),
        describe.LIMIT,
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED,
        {200: reply(AccountDeliveries, "A page of messages.", account_examples.DELIVERIES), 400: describe.INVALID},
    ),
)
