"""Everything that is not an answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

from lookups.api.schema.examples.making import error, marks, reply
from lookups.api.schema.examples.records import EVIDENCE, NOT_THIS_ONE
from lookups.api.wire.errors import BulkProblem, EntityNotFound, InvalidBulk, PaymentRequired, SourceUnavailable
from lookups.api.wire.shape import fill, to_plain

NOT_FOUND = error(
    404,
    "entity_not_found",
    "Entity not found",
    EntityNotFound,
    **marks("not_found"),
    ambiguous=False,
    note=None,
    evidence=EVIDENCE,
    suggestions=[NOT_THIS_ONE],
)
AMBIGUOUS = error(
    404,
    "ambiguous_name",
    "Entity not found",
    EntityNotFound,
    **marks("ambiguous"),
    ambiguous=True,
    note=None,
    evidence=EVIDENCE,
    suggestions=[
        fill(type(NOT_THIS_ONE), to_plain(NOT_THIS_ONE), entityId=number, score=1.0, features=[])
        for number in ("SB-DE-000124", "SB-DE-000125")
    ],
)
INVALID = error(400, "invalid_request", "Invalid request body", details={"state": ["This field is required."]})
INVALID_BULK = error(
    400,
    "invalid_request",
    "Invalid request body",
    InvalidBulk,
    details=[BulkProblem(index=3, error="state: No such jurisdiction.")],
)
NO_KEY = error(401, "unauthorized", "Missing or invalid API key")
FORBIDDEN = error(403, "forbidden", 'This API key may not be used for this endpoint: it lacks the scope "lookup"')
NO_JOB = error(404, "job_not_found", "Job not found")
NO_LOOKUP = error(404, "lookup_not_found", "Lookup not found")
NO_EVIDENCE = error(404, "evidence_not_kept", "No evidence of this lookup is kept")
REUSED = error(409, "idempotency_conflict", "This Idempotency-Key was used for another request")
TOO_LARGE = error(
    413, "payload_too_large", "Request body too large", details={"body": ["At most 64 KB are accepted here."]}
)
TOO_OFTEN = error(429, "rate_limited", "Rate limit of 50 requests per minute exceeded", retryable=True)
CRASHED = error(500, "internal_error", "Internal error", retryable=True)
DOWN = error(
    503,
    "source_unavailable",
    "State portal temporarily unavailable",
    SourceUnavailable,
    retryable=True,
    **marks("unavailable"),
    reason="down",
    state="DE",
)
NOBODY_AT_WORK = error(
    503, "internal_error", "Nothing that is answered later can be taken on now; nothing was charged", retryable=True
)


def _funds(code: str, title: str, detail: str, **more: Any) -> OpenApiExample:
    problem: dict[str, Any] = {
        "type": f"https://example.com/docs/errors/#{code}",
        "title": title,
        "status": 402,
        "detail": detail,
    }
    return error(402, code, title, PaymentRequired, **problem, pricePerLookup=0.0314, lookupsRemaining=0, **more)


def _challenge(detail: str, challenge_id: str) -> PaymentRequired:
    return PaymentRequired(
        type="https://paymentauth.org/problems/payment-required",
        title="Payment Required",
        status=402,
        detail=detail,
        challengeId=challenge_id,
    )


NO_FUNDS = _funds(
    "insufficient_balance",
    "Insufficient balance",
    "This costs 0.0314 USD and the balance is 0.0100 USD.",
    challengeId=None,
    balanceStored=100,
    topUpUrl="https://example.com/pricing/",
)
NO_BUDGET = _funds(
    "budget_exceeded",
    "Monthly budget spent",
    "The month's budget is spent: this costs 0.0314 USD, and 0.0100 USD of the budget is left.",
    challengeId=None,
    balanceStored=31_400,
    topUpUrl=None,
)
PAY = reply("payment_required", _challenge("0.0314 USD: Business entity or UCC filing lookup.", "mR3v0uQ"), 402)
TOP_UP_CHALLENGE = reply("A challenge", _challenge("3.1400 USD: Prepaid balance.", "sunQutLFg7"), 402)
