"""What the operations of the document have in common: headers, errors, and replies that are always JSON first."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from lookups.api.schema.components import refer
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.wire.errors import Error, InvalidRequest, PaymentRequired, SourceUnavailable

JSON, PROBLEM = "application/json", "application/problem+json"
WITH_RATE = [200, 201, 202, 400, 402, 403, 404, 409, 413, 415, 429, 503]
Replies = dict[Any, OpenApiResponse]


def _header(name: str, kind: Any, about: str, on: list[int] | bool) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.HEADER, description=about, response=on)


REQUEST_ID = _header(
    "X-Request-Id",
    {"type": "string", "maxLength": 64},
    "Identifies this request; a well-formed one that you send (letters, digits, `._-`, at most 64) is kept.",
    True,
)
HEADERS = [
    _header("X-RateLimit-Limit", OpenApiTypes.INT, "Requests a minute.", WITH_RATE),
    _header("X-RateLimit-Remaining", OpenApiTypes.INT, "Requests left in this minute.", WITH_RATE),
    _header("X-RateLimit-Reset", OpenApiTypes.INT, "When the minute is over, epoch seconds.", WITH_RATE),
    _header("Retry-After", OpenApiTypes.INT, "Seconds; only where `retryable` is true.", [429, 503]),
    _header("WWW-Authenticate", OpenApiTypes.STR, "What to send.", [401]),
    REQUEST_ID,
]
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="The same key with the same body replays the first reply for 24 hours. Without one, what your account "
    "asks again within five minutes of an answer it was charged for (or while that is on its way) is told the same "
    "reply again and charged once, whatever it says of `fresh` or `source`, so that a lost reply is not paid for "
    "twice. A key of its own has it answered anew. A reply that was told again has `Idempotency-Replayed: true`.",
)
LIMIT = OpenApiParameter(
    "limit", {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}, description="How many a page."
)

BOM = OpenApiParameter(
    "bom",
    {"type": "boolean", "default": False},
    description="Of a CSV table: begin it with a byte order mark, for spreadsheets that else misread É and Ñ.",
)
TABLE = {"type": "string"}
BYTES = {"type": "string", "format": "binary"}  # generated clients then send and take them as they are

DAY = {"type": "string", "format": "date", "pattern": "^2[01]"}
"""A day of the service's own: what was accepted, and what was spent."""


def choice(*formats: str) -> OpenApiParameter:
    """What the reply is written as, for programs that do not set `Accept`."""
    return OpenApiParameter(
        "format", {"type": "string", "pattern": f"^({'|'.join(formats)})$"}, description="Goes before `Accept`."
    )


def of_a_table(name: str, schema: Any, about: str) -> OpenApiParameter:
    """A wish about all rows of a table, in the address since its body has no place for it."""
    return OpenApiParameter(name, schema, description=f"Of a table only: {about}")


def cursor(name: str, digits: int, pattern: str = "^[1-9][0-9]*$") -> OpenApiParameter:
    """Where a page begins; `name` is the field of the page before that says so."""
    return OpenApiParameter(
        "cursor",
        {"type": "string", "minLength": 1, "maxLength": digits, "pattern": pattern},
        description=f"`{name}` of the page before.",
    )


def place(name: str) -> OpenApiParameter:
    """Where a page begins in a list that grows at its head; `name` is the field of the page before that says so."""
    return OpenApiParameter(
        "cursor",
        {"type": "string", "minLength": 34, "maxLength": 50, "pattern": "^[0-9]{1,17}-[0-9a-f]{32}$"},
        description=f"`{name}` of the page before.",
    )


def reply(shape: Any, about: str, *shown: OpenApiExample) -> OpenApiResponse:
    """One documented reply with its examples: a shape, or a schema."""
    schema = shape if isinstance(shape, dict) else refer(shape)
    return OpenApiResponse(schema, description=about, examples=list(shown))


def replies(*parts: Replies) -> Replies:
    """The replies of an operation; what names no content type is JSON, which goes before all others."""
    found: Replies = {}
    for part in (ANYWHERE, *parts):
        found |= {(key, JSON) if isinstance(key, int) else key: value for key, value in part.items()}
    return dict(sorted(found.items(), key=lambda one: (one[0][0], one[0][1] != JSON)))


INVALID = reply(InvalidRequest, "The request is not valid. Not charged.", errors_examples.INVALID)
TOO_LARGE = reply(InvalidRequest, "The body is too large.", errors_examples.TOO_LARGE)
WRONG_TYPE = reply(InvalidRequest, "The body is not application/json.")
ANYWHERE: Replies = {406: reply(Error, "`Accept` names none of the types available.")}
KEYED: Replies = {
    401: reply(Error, "No key, or one that is not valid.", errors_examples.NO_KEY),
    403: reply(Error, "The key may not be used for this.", errors_examples.FORBIDDEN),
    429: reply(Error, "Too many requests in this minute, or too many at a time.", errors_examples.TOO_OFTEN),
    500: reply(Error, "An error on our side; nothing was charged.", errors_examples.CRASHED),
}
SENDING: Replies = {400: INVALID, 413: TOO_LARGE, 415: WRONG_TYPE}
SPENDING: Replies = {
    (402, PROBLEM): reply(
        PaymentRequired,
        "The balance or the month's budget does not cover it.",
        errors_examples.NO_FUNDS,
        errors_examples.NO_BUDGET,
    ),
    409: reply(
        Error, "The Idempotency-Key belongs to another request, or to one still running.", errors_examples.REUSED
    ),
}
ASKING: Replies = {
    503: reply(SourceUnavailable, "The registry could not be asked. Not charged.", errors_examples.DOWN),
    **SENDING,
    **SPENDING,
    **KEYED,
}
"""How every request that asks a registry can end, beside its answer."""

NOBODY_AT_WORK: Replies = {
    503: reply(Error, "No worker is running to do it later. Not charged.", errors_examples.NOBODY_AT_WORK)
}
ASKING_OR_LATER: Replies = ASKING | {
    503: reply(
        {"anyOf": [refer(SourceUnavailable), refer(Error)]},
        "The registry could not be asked, or no worker is running to ask it later. Not charged.",
        errors_examples.DOWN,
        errors_examples.NOBODY_AT_WORK,
    )
}
"""The same where it may be answered later."""

PAYING: Replies = {
    (400, PROBLEM): reply(PaymentRequired, "A payment that cannot be read."),
    (409, PROBLEM): reply(PaymentRequired, "The payment is in use."),
    (503, PROBLEM): reply(
        PaymentRequired, "Whether the money moved is not known, or cannot be checked now: send the same again."
    ),
}
"""How a payment that came with the request can end, beside success and 402."""

hidden = extend_schema(exclude=True)
