"""One table from outcome to HTTP: the body, status and headers of every way a lookup can end."""

from __future__ import annotations

import math
from typing import Any

from django.conf import settings
from rest_framework.response import Response

from billing import money, prices
from lookups.api import errors
from lookups.lookup import storage
from lookups.lookup.outcomes import (
    Accepted,
    Delivered,
    Judged,
    NothingFound,
    Outcome,
    OutOfFunds,
    Refused,
    TooManyAtOnce,
    Unavailable,
)
from lookups.lookup.storage import wire_time
from lookups.models import StoredAnswer
from scrapers.failures import Failure, find_failure

POLL_MS = 3000  # how often a waiting client should ask
PORTAL_DOWN = "State portal temporarily unavailable"
NOT_FOUND = "Entity not found"


def to_response(outcome: Outcome, *, request_id: str) -> Response:
    """The reply to a lookup."""
    if isinstance(outcome, Delivered):
        return Response(delivered(outcome), headers=_headers(outcome))
    if isinstance(outcome, Judged):
        return Response(judged(outcome), headers={"Cache-Control": "private, no-store"})
    if isinstance(outcome, Accepted):
        place = status_url(outcome.job_id)
        headers = {"Location": place, "Retry-After": str(POLL_MS // 1000)}
        return Response(accepted(outcome), status=202, headers=headers)
    return to_error(outcome).response(request_id)


def _headers(outcome: Delivered) -> dict[str, str]:
    """Of an answer: private, and with the receipt for whoever paid with the request itself."""
    if outcome.receipt is None:
        return {"Cache-Control": "private, no-store"}
    return {"Payment-Receipt": outcome.receipt, "Cache-Control": "private"}


def to_body(outcome: Outcome, request_id: str) -> tuple[int, dict[str, Any]]:
    """Status and body alone, for a reply that is kept until somebody asks for it."""
    if isinstance(outcome, Delivered):
        return 200, delivered(outcome)
    if isinstance(outcome, Judged):
        return 200, judged(outcome)
    if isinstance(outcome, Accepted):
        return 202, accepted(outcome)
    error = to_error(outcome)
    return error.status, error.body(request_id)


def accepted(outcome: Accepted) -> dict[str, Any]:
    """The 202 body."""
    return {
        "success": True,
        "async": True,
        "jobId": outcome.job_id,
        "message": "This registry answers slowly. Ask statusUrl for the result.",
        "pollInterval": POLL_MS,
        "estimatedSeconds": outcome.estimated_seconds,
        "statusUrl": status_url(outcome.job_id),
    }


def status_url(job_id: str) -> str:
    """Where a job is asked for, from the root of the site."""
    return f"/v1/lookup/status/{job_id}"


def to_error(outcome: NothingFound | Unavailable | Refused | OutOfFunds | TooManyAtOnce) -> errors.ApiError:
    """The error body of an outcome that delivered nothing."""
    match outcome:
        case NothingFound():
            absence = {
                "suggestions": outcome.suggestions,
                "ambiguous": outcome.ambiguous,
                "note": outcome.note,
                "evidence": outcome.evidence,
            }
            return errors.ApiError(404, "entity_not_found", NOT_FOUND, extra=absence)
        case Unavailable():
            return _unavailable(outcome)
        case Refused():
            code = "unsupported_state" if outcome.unsupported else "invalid_request"
            return errors.invalid({outcome.field: [outcome.text]}, code=code)
        case OutOfFunds():
            return _out_of_funds(outcome)
        case TooManyAtOnce():
            return errors.rate_limited(text=f"At most {outcome.limit} lookups at a time", retry_after=1)


def delivered(outcome: Delivered) -> dict[str, Any]:
    """The 200 body of an entity or of UCC filings."""
    answer = outcome.answer
    data = filings_data(answer) if answer.kind == "ucc" else entity_data(outcome)
    as_of = answer.entity.data_as_of if answer.entity else answer.as_of or answer.retrieved_at
    body: dict[str, Any] = {
        "success": True,
        "data": data,
        "cost": money.to_json_number(outcome.cost),
        "source": "live" if asked_now(outcome) else "cache",
        "cached": not asked_now(outcome),
        "stale": False,
        "dataAsOf": wire_time(as_of),
        "total_results": answer.total,
        "state_scraper_version": answer.version,
        "scraper_built_at": answer.built_at,
        "walletBalance": None if outcome.balance is None else money.to_rounded_string(outcome.balance),
        "lookupsRemaining": None if outcome.balance is None else prices.lookups_covered(outcome.balance),
        "note": answer.note or None,
    }
    if not asked_now(outcome) and answer.kind != "ucc":
        body["entity"] = data
    return body


def judged(outcome: Judged) -> dict[str, Any]:
    """The 200 body of a name check."""
    verdict, balance = outcome.verdict, outcome.balance
    return {
        "success": True,
        "available": verdict["available"],
        "searchedName": verdict["searchedName"],
        "state": verdict["state"],
        "conflictingEntities": verdict["conflictingEntities"],
        "variationNote": verdict["variationNote"],
        "warning": verdict["warning"],
        "statusNote": verdict["statusNote"],
        "cost": money.to_json_number(outcome.cost),
        "data_source": "cache" if verdict["evidence"]["fromRegister"] else "live",
        "dataAsOf": verdict["dataAsOf"],
        "walletBalance": None if balance is None else money.to_rounded_string(balance),
        "lookupsRemaining": None if balance is None else prices.lookups_covered(balance),
        "designatorNote": verdict["designatorNote"],
        "normalizedName": verdict["normalizedName"],
        "registryVerdict": verdict["registryVerdict"],
        "evidence": verdict["evidence"],
    }


def asked_now(outcome: Delivered) -> bool:
    """Whether the registry itself was asked for this answer: a stored record or a loaded register is a copy."""
    return outcome.live and not outcome.answer.evidence.get("fromRegister", False)


def entity_data(outcome: Delivered) -> dict[str, Any]:
    """The company: the state's own text in flat fields, our reading under `normalized`."""
    answer, entity = outcome.answer, outcome.answer.entity
    assert entity is not None
    return {
        **{name: entity.data.get(name) for name in storage.ENTITY_FIELDS},  # PostgreSQL keeps no order of names
        "scrapedAt": wire_time(entity.retrieved_at),
        "cached": not asked_now(outcome),
        "cacheExpiresAt": wire_time(outcome.expires_at) if outcome.expires_at else None,
        "relatedResults": answer.related,
        "entityPageUrl": entity.page_url,
        "normalized": {**entity.normalized, "match": answer.match},
        "evidence": entity.evidence,
    }


def filings_data(answer: StoredAnswer) -> dict[str, Any]:
    """The UCC filings."""
    return {"filings": answer.filings, "totalResults": answer.total, "evidence": answer.evidence}


def _unavailable(outcome: Unavailable) -> errors.ApiError:
    facts = (find_failure(outcome.reason) or Failure.DOWN).facts  # another version may have written another word
    seconds = facts.retry_after if outcome.retry_after is None else outcome.retry_after
    wait = {"Retry-After": str(max(1, math.ceil(seconds)))} if outcome.retryable and seconds is not None else {}
    return errors.ApiError(
        facts.http_status,
        "source_unavailable",
        PORTAL_DOWN,
        retryable=outcome.retryable,
        extra={"reason": outcome.reason, "state": outcome.state} | ({"note": outcome.note} if outcome.note else {}),
        headers=wait,
    )


def _out_of_funds(outcome: OutOfFunds) -> errors.ApiError:
    needed, available = money.to_decimal_string(outcome.needed), money.to_decimal_string(outcome.available)
    what = "the month's budget leaves" if outcome.by_budget else "the balance is"
    return errors.insufficient_balance(
        detail=f"This costs {needed} USD and {what} {available} USD.",
        extra={
            "balanceStored": outcome.available,
            "pricePerLookup": money.to_json_number(prices.LOOKUP),
            "lookupsRemaining": prices.lookups_covered(outcome.available),
            "topUpUrl": top_up_url(),
        },
    )


def top_up_url() -> str:
    """Where credit can be bought."""
    return f"{settings.PUBLIC_URL}/pricing/"
