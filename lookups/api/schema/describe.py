"""One decorator per endpoint: its words, parameters and replies in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)

from lookups.api import serializers
from lookups.api.schema import components, examples

_RATE = [
    OpenApiParameter(
        name,
        OpenApiTypes.INT,
        OpenApiParameter.HEADER,
        description=about,
        response=[200, 202, 400, 402, 403, 404, 409, 413, 415, 429, 503],
    )
    for name, about in (
        ("X-RateLimit-Limit", "Requests a minute."),
        ("X-RateLimit-Remaining", "Requests left in this minute."),
        ("X-RateLimit-Reset", "When the minute is over, epoch seconds."),
    )
]
_WAIT = OpenApiParameter(
    "Retry-After", OpenApiTypes.INT, OpenApiParameter.HEADER, description="Seconds.", response=[429, 503]
)
_WHO = OpenApiParameter(
    "WWW-Authenticate", OpenApiTypes.STR, OpenApiParameter.HEADER, description="What to send.", response=[401]
)
_REQUEST_ID = OpenApiParameter(
    "X-Request-Id",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=True,
    description="Names this request; a well-formed one of yours (letters, digits, `._-`, at most 64) is kept.",
)


def reply(shape: Any, about: str, *shown: OpenApiExample) -> OpenApiResponse:
    """One documented reply with its examples."""
    return OpenApiResponse(shape, description=about, examples=list(shown))


_INVALID = reply(components.InvalidRequest, "The request does not fit. Not charged.", examples.INVALID)
_NO_KEY = reply(components.Error, "No key, or one that opens nothing.", examples.NO_KEY)
_FORBIDDEN = reply(components.Error, "The key may not be used for this.")
_TOO_OFTEN = reply(components.Error, "Too many in this minute, or too many at a time.", examples.TOO_OFTEN)
_CRASHED = reply(components.Error, "Something broke here; nothing was charged.", examples.CRASHED)
KEYED = {401: _NO_KEY, 403: _FORBIDDEN, 429: _TOO_OFTEN, 500: _CRASHED}
HEADERS = [*_RATE, _WAIT, _WHO, _REQUEST_ID]

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="At most 255 characters. The same key with the same body replays the first reply for 24 hours.",
)
ASKING: dict[Any, OpenApiResponse] = {
    400: _INVALID,
    409: reply(
        components.Error, "The Idempotency-Key belongs to another request, or to one still running.", examples.REUSED
    ),
    413: reply(components.InvalidRequest, "The body is too large.", examples.TOO_LARGE),
    415: reply(components.InvalidRequest, "The body is not application/json."),
    503: reply(components.SourceUnavailable, "The registry could not be asked. Not charged.", examples.DOWN),
    **KEYED,
}
"""How every request that asks a registry can end, beside its answer."""

_ANSWER = PolymorphicProxySerializer(
    component_name="LookupReply",
    serializers=[components.EntityReply, components.UccReply],
    resource_type_field_name=None,
)

lookup = extend_schema(
    operation_id="lookup",
    tags=["Lookup"],
    summary="Look a company up in its state's own registry",
    description="Returns the registry's record of one company, or the UCC filings of a party (`searchType: ucc`). "
    "Charged per answer delivered; not found, refused and unavailable cost nothing.",
    request=serializers.LookupRequest,
    parameters=[
        OpenApiParameter(
            "fresh",
            OpenApiTypes.BOOL,
            OpenApiParameter.QUERY,
            description="Older form of `source`: true = live, false = cache. The body's `fresh` and `source` win.",
        ),
        IDEMPOTENCY_KEY,
        *HEADERS,
    ],
    examples=[examples.ASK, examples.ASK_STORED, examples.ASK_UCC],
    responses={
        200: reply(_ANSWER, "Found.", examples.FOUND, examples.FOUND_FILINGS),
        202: reply(components.Accepted, "The registry is slow: ask `statusUrl` for the answer.", examples.LATER),
        (402, "application/problem+json"): reply(
            components.PaymentRequired,
            "The balance does not cover it, or (without a key) what it costs.",
            examples.NO_FUNDS,
            examples.PAY,
        ),
        (400, "application/problem+json"): reply(components.PaymentProblem, "A payment that cannot be read."),
        (409, "application/problem+json"): reply(components.PaymentProblem, "The payment is in use."),
        (500, "application/problem+json"): reply(components.PaymentProblem, "Whether the money moved is open."),
        404: reply(components.EntityNotFound, "The registry has no such company. Not charged.", examples.NOT_FOUND),
        **ASKING,
    },
)

job_status = extend_schema(
    operation_id="getJob",
    tags=["Lookup"],
    summary="How far a lookup is that is answered later",
    parameters=[
        OpenApiParameter("job_id", OpenApiTypes.STR, OpenApiParameter.PATH, description="Its `jobId`."),
        *HEADERS,
    ],
    responses={
        200: reply(components.JobStatus, "Running, or complete with its result."),
        404: reply(components.Error, "No such job, or another account's, or older than seven days."),
        **KEYED,
        500: reply(components.JobFailed, "The job failed. Not charged."),
    },
)

states = extend_schema(
    operation_id="listStates",
    tags=["Service"],
    summary="Every jurisdiction and what can be asked of it",
    auth=[],
    parameters=[
        OpenApiParameter("If-None-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="An earlier ETag."),
        OpenApiParameter("ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 304]),
        _REQUEST_ID,
    ],
    responses={
        200: reply(components.State(many=True), "A bare array, by code."),
        304: OpenApiResponse(description="Nothing changed since the ETag you sent."),
        500: _CRASHED,
    },
)

health = extend_schema(
    operation_id="getHealth",
    tags=["Service"],
    summary="Whether the service is well",
    auth=[],
    parameters=[_REQUEST_ID],
    responses={
        200: reply(components.Health, "It can serve, perhaps degraded."),
        503: reply(components.Error, "It cannot serve."),
    },
)

balance = extend_schema(
    operation_id="getBalance",
    tags=["Account"],
    summary="What is left",
    description="Test mode has no balance: a test key reads zeros.",
    parameters=HEADERS,
    responses={
        200: reply(components.Balance, "The balance."),
        404: reply(components.Error, "The account of this key is gone."),
        **KEYED,
    },
)

usage = extend_schema(
    operation_id="listUsage",
    tags=["Account"],
    summary="What was charged, newest first",
    description="JSON in pages, or the whole period as CSV with `Accept: text/csv`. Test mode moves no money: a test "
    "key reads an empty list. In JSON, names that end in `Stored` are in units of 1/10,000 USD and all others in USD. "
    "The columns of the CSV: `id`, `createdAt`, `kind`, then in USD with four decimals `amountUsd`, "
    "`availableChangeUsd` (negative: less), `availableAfterUsd` and `heldAfterUsd`, then `reference`, `reason`, `key`, "
    "`requestId`.",
    parameters=[
        OpenApiParameter("from", OpenApiTypes.DATE, description="First day (UTC)."),
        OpenApiParameter("to", OpenApiTypes.DATE, description="Last day (UTC)."),
        OpenApiParameter("cursor", OpenApiTypes.STR, description="`nextCursor` of the page before."),
        OpenApiParameter(
            "limit", {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}, description="Entries a page."
        ),
        *HEADERS,
    ],
    responses={
        (200, "application/json"): reply(components.Usage, "Entries of the ledger."),
        (200, "text/csv"): OpenApiTypes.STR,
        400: _INVALID,
        **KEYED,
    },
)

read_settings = extend_schema(
    operation_id="getSettings",
    tags=["Account"],
    summary="The preferences as they are",
    parameters=HEADERS,
    responses={200: reply(components.AccountSettings, "The preferences."), **KEYED},
)

settings = extend_schema(
    operation_id="changeSettings",
    tags=["Account"],
    summary="Change preferences",
    description="A test key sets the webhookUrl of test mode and nothing else: whatever else it sends is refused with "
    "403 `forbidden`, and then nothing is changed.",
    request=serializers.SettingsRequest,
    parameters=HEADERS,
    responses={
        200: reply(components.AccountSettings, "The preferences as they are now."),
        400: _INVALID,
        413: reply(components.InvalidRequest, "The body is too large."),
        415: reply(components.InvalidRequest, "The body is not application/json."),
        **KEYED,
    },
)

hidden = extend_schema(exclude=True)
