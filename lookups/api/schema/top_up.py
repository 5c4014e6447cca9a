"""POST /v1/account/topup in the OpenAPI document: its body, its reply, and every way it can end."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers

from lookups.api.schema import components, describe
from lookups.api.serializers import Dollars, Word


class TopUpRequest(serializers.Serializer[Any]):
    """The body of POST /v1/account/topup."""

    amount = Dollars(help_text="USD, from 0.50 to 10,000 in whole cents.")
    payBy = Word(
        choices=["page", "challenge"],
        required=False,
        help_text="`page` (default): the card provider's page, for people. `challenge`: a 402 that an agent answers.",
    )


class TopUpReply(serializers.Serializer[Any]):
    success = components.flag()
    status = components.word(["created", "paid"], "`created`: pay at checkoutUrl. `paid`: the balance has grown.")
    amount = components.number("USD.")
    amountStored = components.whole("1/10,000 USD.")
    lookups = components.whole("How many lookups the amount buys.")
    checkoutUrl = components.maybe("The card provider's page; null when it is paid.")
    balanceStored = components.whole("Available now, in 1/10,000 USD.")
    lookupsRemaining = components.whole()


def _reply(title: str, **differs: object) -> OpenApiExample:
    value = {
        "success": True,
        "status": "created",
        "amount": 3.14,
        "amountStored": 31_400,
        "lookups": 100,
        "checkoutUrl": "https://pay.example.test/cs_1",
        "balanceStored": 3140,
        "lookupsRemaining": 10,
        **differs,
    }
    return OpenApiExample(title, value=value, response_only=True, status_codes=["200"])


_CHALLENGE = OpenApiExample(
    "A challenge",
    value={
        "type": "https://paymentauth.org/problems/payment-required",
        "title": "Payment Required",
        "status": 402,
        "detail": "3.1400 USD: Prepaid balance.",
        "challengeId": "sunQutLFg7-m-6DBxod14-FnDgHzBUHZxfY-ZRWBcdw",
    },
    response_only=True,
    status_codes=["402"],
)
_PROBLEM = components.PaymentProblem

top_up = extend_schema(
    operation_id="topUp",
    tags=["Account"],
    summary="Buy credit",
    description="For people, the reply names the card provider's page; the balance grows once it is paid. "
    "An agent sends `payBy: challenge` with its key in `x-api-key`, is answered 402 with a Payment challenge (method "
    "`stripe`), and repeats the same body with `Authorization: Payment …`. Credit does not expire.",
    request=TopUpRequest,
    parameters=describe.HEADERS,
    examples=[
        OpenApiExample("On a page", value={"amount": 3.14}, request_only=True),
        OpenApiExample("By challenge", value={"amount": 3.14, "payBy": "challenge"}, request_only=True),
    ],
    responses={
        200: describe.reply(
            TopUpReply,
            "Started, or paid.",
            _reply("Started"),
            _reply("Paid", status="paid", checkoutUrl=None, balanceStored=34_540, lookupsRemaining=110),
        ),
        (402, "application/problem+json"): describe.reply(_PROBLEM, "What to pay, or what was wrong.", _CHALLENGE),
        (400, "application/problem+json"): describe.reply(_PROBLEM, "A payment that cannot be read."),
        (409, "application/problem+json"): describe.reply(_PROBLEM, "The payment is in use."),
        (500, "application/problem+json"): describe.reply(_PROBLEM, "Whether the money moved is open."),
        400: describe.reply(components.InvalidRequest, "The body does not fit. Nothing was paid."),
        413: describe.reply(components.InvalidRequest, "The body is too large."),
        415: describe.reply(components.InvalidRequest, "The body is not application/json."),
        503: describe.reply(components.Error, "Not configured here, or the card provider does not answer. Not paid."),
        **describe.KEYED,
    },
)
