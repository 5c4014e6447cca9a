"""From the result of a question to HTTP: status, headers and shape."""

from __future__ import annotations

import math

from django.conf import settings
from django.utils import timezone
from rest_framework.response import Response

from billing import money, prices, selectors
from billing.models import Account
from lookups import bodies
from lookups.api import errors, idempotency
from lookups.api.wire.errors import SourceUnavailable
from lookups.jobs import waiting
from lookups.lookup.outcomes import (
    Accepted,
    Ended,
    NobodyAtWork,
    OutOfFunds,
    Refused,
    Result,
    TooManyAtOnce,
    Unavailable,
)
from lookups.models import Job, Lookup
from lookups.verdicts import Breakdown, Verdict, find_breakdown
from scrapers.failures import Failure, find_failure
from scrapers.refusals import find_refusal


def to_response(result: Result, *, account: Account | None) -> Response:
    """The reply to a question; `account` is whose key asked, if one did. Raises ApiError where nothing was accepted."""
    match result:
        case Ended(lookup=lookup, receipt=receipt, repeated=repeated):
            return _marked(_ended(lookup, receipt, account), repeated)
        case Accepted(job=job, repeated=repeated):
            headers = {"Location": bodies.status_url(job.public_id), "Retry-After": str(waiting.POLL_MS // 1000)}
            return _marked(Response(bodies.of_acceptance(job), status=202, headers=headers), repeated)
        case OutOfFunds():
            raise out_of_funds(result, account)
        case TooManyAtOnce():
            text = (
                f"At most {result.limit} lookups at a time" if result.limit else "Too many lookups wait for registries"
            )
            raise errors.rate_limited(text=text, retry_after=1)
        case NobodyAtWork():
            raise errors.nobody_at_work()


def poll_seconds(job: Job) -> str:
    """When a waiting client should ask again, as its header says."""
    return str(math.ceil(waiting.forecast(job, now=timezone.now()).poll_ms / 1000))


def http_status(lookup: Lookup) -> int:
    """The status of the reply to a lookup that has ended."""
    verdict = lookup.outcome
    assert verdict is not None, "Only what has ended is told."
    return find_breakdown(lookup.reason).facts.http_status if verdict is Verdict.FAILED else verdict.facts.http_status


def find_wait(lookup: Lookup) -> int | None:
    """How many seconds to wait before the same question is asked again; None where no waiting helps."""
    if lookup.outcome is not Verdict.UNAVAILABLE or not bodies.is_retryable(lookup):
        return None
    if lookup.retry_at is not None and lookup.ended_at is not None:
        return max(1, math.ceil((lookup.retry_at - lookup.ended_at).total_seconds()))
    return (find_failure(lookup.reason) or Failure.DOWN).facts.retry_after


def out_of_funds(outcome: OutOfFunds, account: Account | None) -> errors.ApiError:
    """The balance is too low; or the month's budget is spent, where buying credit would not help."""
    balance = outcome.available
    if outcome.by_budget and account is not None:
        balance = selectors.get_balance(account.pk).spendable
    needed, left = money.to_decimal_string(outcome.needed), money.to_decimal_string(outcome.available)
    if outcome.by_budget:
        code, title = "budget_exceeded", "Monthly budget spent"
        detail = f"The month's budget is spent: this costs {needed} USD, and {left} USD of the budget is left."
    else:
        code, title = "insufficient_balance", "Insufficient balance"
        detail = f"This costs {needed} USD and the balance is {left} USD."
        owed = selectors.get_balance(account.pk).owed if account is not None else 0
        if owed:
            detail += f" {money.to_decimal_string(owed)} USD are owed for payments that were taken back."
    more = {
        "balanceStored": balance,
        "pricePerLookup": money.to_json_number(prices.LOOKUP),
        "lookupsRemaining": prices.lookups_covered(outcome.available),
        "topUpUrl": None if outcome.by_budget else top_up_url(),
    }
    return errors.payment_required(code=code, title=title, detail=detail, more=more)


def refusal(refused: Refused, *, state: str) -> errors.ApiError:
    """The 400 for a question that no registry takes and nobody has accepted, as its lookup would have been answered."""
    values, note = dict(refused.values), refused.note or ""
    row = Lookup(state=state, verdict=Verdict.REFUSED, reason=refused.refusal, refusal=values, note=note)
    known = find_refusal(refused.refusal)
    code = "unsupported_state" if known is not None and known.facts.unsupported else "invalid_request"
    error = errors.invalid(bodies.refusal_details(row), code=code)
    error.more["reason"] = refused.refusal
    return error


def switched_off(off: Unavailable) -> errors.ApiError:
    """The 503 for a question to a state that is switched off, which nobody has accepted."""
    facts, note = Verdict.UNAVAILABLE.facts, {"note": off.note} if off.note else {}
    why = {"reason": off.reason, "state": off.state} | note
    return errors.ApiError(503, facts.code, facts.error, shape=SourceUnavailable, more=why)


def top_up_url() -> str:
    """Where credit can be bought."""
    return f"{settings.PUBLIC_URL}/pricing/"


def _marked(response: Response, repeated: bool) -> Response:
    if repeated:
        response[idempotency.REPLAYED] = "true"
    return response


def _ended(lookup: Lookup, receipt: str | None, account: Account | None) -> Response:
    if lookup.outcome is Verdict.FAILED and lookup.reason == Breakdown.OUT_OF_FUNDS:
        left = selectors.get_balance(account.pk).spendable if account else 0
        raise out_of_funds(OutOfFunds(left, lookup.price), account)
    headers = {"Cache-Control": "private, no-store"}
    if receipt is not None:
        headers = {"Payment-Receipt": receipt, "Cache-Control": "private"}
    seconds = find_wait(lookup)
    if seconds is not None:
        headers["Retry-After"] = str(seconds)
    return Response(bodies.of_lookup(lookup), status=http_status(lookup), headers=headers)
