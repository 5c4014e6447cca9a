"""From the result of a lookup to HTTP: status, headers and body."""

from __future__ import annotations

import math
from typing import Any

from django.conf import settings
from rest_framework.response import Response

from billing import money, prices
from lookups import bodies
from lookups.api import errors
from lookups.lookup.outcomes import Accepted, Ended, OutOfFunds, Result, TooManyAtOnce
from lookups.models import Job, Lookup
from lookups.verdicts import Verdict, find_breakdown
from scrapers.failures import Failure, find_failure

POLL_MS = 3000  # how often a waiting client should ask


def to_response(result: Result) -> Response:
    """The reply to a question."""
    match result:
        case Ended(lookup=lookup, receipt=receipt):
            return _ended(lookup, receipt)
        case Accepted(job=job):
            place = status_url(job.public_id)
            headers = {"Location": place, "Retry-After": str(POLL_MS // 1000)}
            return Response(accepted(job), status=202, headers=headers)
        case OutOfFunds():
            raise out_of_funds(result)
        case TooManyAtOnce():
            raise errors.rate_limited(text=f"At most {result.limit} lookups at a time", retry_after=1)


def _ended(lookup: Lookup, receipt: str | None) -> Response:
    headers = {"Cache-Control": "private, no-store"}
    if receipt is not None:
        headers = {"Payment-Receipt": receipt, "Cache-Control": "private"}
    seconds = find_wait(lookup)
    if seconds is not None:
        headers["Retry-After"] = str(seconds)
    if lookup.outcome is Verdict.FAILED and lookup.reason == "insufficient_balance":
        raise out_of_funds(OutOfFunds(lookup.balance_after or 0, lookup.price))
    return Response(bodies.of_lookup(lookup), status=http_status(lookup), headers=headers)


def http_status(lookup: Lookup) -> int:
    """The status of the reply to a lookup that has ended."""
    verdict = lookup.outcome
    assert verdict is not None
    if verdict is Verdict.FAILED:
        return find_breakdown(lookup.reason).facts.http_status
    return verdict.facts.http_status


def find_wait(lookup: Lookup) -> int | None:
    """How many seconds to wait before the same question is asked again; None where no waiting helps."""
    if lookup.outcome is not Verdict.UNAVAILABLE or not bodies.is_retryable(lookup):
        return None
    if lookup.retry_at is not None and lookup.ended_at is not None:
        return max(1, math.ceil((lookup.retry_at - lookup.ended_at).total_seconds()))
    return (find_failure(lookup.reason) or Failure.DOWN).facts.retry_after


def accepted(job: Job) -> dict[str, Any]:
    """The 202 body."""
    return {
        "success": True,
        "async": True,
        "jobId": job.public_id,
        "message": "This registry answers slowly. Ask statusUrl for the result.",
        "pollInterval": POLL_MS,
        "estimatedSeconds": job.estimated_seconds,
        "statusUrl": status_url(job.public_id),
    }


def status_url(job_id: str) -> str:
    """Where a job is asked for, from the root of the site."""
    return f"/v1/lookup/status/{job_id}"


def out_of_funds(outcome: OutOfFunds) -> errors.ApiError:
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
