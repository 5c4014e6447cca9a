"""One table from outcome to HTTP: the shape, status and headers of every way a lookup can end."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.response import Response

from billing import money, prices, selectors
from billing.models import Account
from lookups import bodies
from lookups.api import errors
from lookups.api.wire.errors import EntityNotFound, SourceUnavailable
from lookups.api.wire.shape import Shape, to_plain
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
from scrapers.failures import Failure, find_failure

PORTAL_DOWN = "State portal temporarily unavailable"
NOT_FOUND = "Entity not found"
POLL_SECONDS = str(bodies.POLL_MS // 1000)


def to_response(outcome: Outcome, *, request_id: str, account: Account | None) -> Response:
    """The reply to a lookup; `account` is whose key asked, if one did."""
    match outcome:
        case Delivered() | Judged():
            return Response(_answer(outcome), headers=_headers(outcome))
        case Accepted():
            headers = {"Location": bodies.status_url(outcome.job_id), "Retry-After": POLL_SECONDS}
            return Response(bodies.of_acceptance(outcome), status=202, headers=headers)
    return to_error(outcome, account=account).response(request_id)


def to_body(outcome: Outcome, request_id: str) -> tuple[int, dict[str, Any]]:
    """Status and body alone, for a reply that is kept until somebody asks for it."""
    match outcome:
        case Delivered() | Judged():
            return 200, to_plain(_answer(outcome))
        case Accepted():
            return 202, to_plain(bodies.of_acceptance(outcome))
    error = to_error(outcome)
    return error.status, to_plain(error.body(request_id))


def to_error(
    outcome: NothingFound | Unavailable | Refused | OutOfFunds | TooManyAtOnce, *, account: Account | None = None
) -> errors.ApiError:
    """The error of an outcome that delivered nothing."""
    match outcome:
        case NothingFound():
            code = "ambiguous_name" if outcome.ambiguous else "entity_not_found"
            absence = {
                "suggestions": outcome.suggestions,
                "ambiguous": outcome.ambiguous,
                "note": outcome.note,
                "evidence": outcome.evidence,
            }
            return errors.ApiError(404, code, NOT_FOUND, shape=EntityNotFound, more=absence)
        case Unavailable():
            return _unavailable(outcome)
        case Refused():
            code = "unsupported_state" if outcome.unsupported else "invalid_request"
            return errors.invalid({outcome.field: [outcome.text]}, code=code)
        case OutOfFunds():
            return _out_of_funds(outcome, account)
        case TooManyAtOnce():
            return errors.rate_limited(text=f"At most {outcome.limit} lookups at a time", retry_after=1)


def _answer(outcome: Delivered | Judged) -> Shape:
    return bodies.of_delivery(outcome) if isinstance(outcome, Delivered) else bodies.of_verdict(outcome)


def _headers(outcome: Delivered | Judged) -> dict[str, str]:
    """Of an answer: private, and with the receipt for whoever paid with the request itself."""
    if isinstance(outcome, Judged) or outcome.receipt is None:
        return {"Cache-Control": "private, no-store"}
    return {"Payment-Receipt": outcome.receipt, "Cache-Control": "private"}


def _unavailable(outcome: Unavailable) -> errors.ApiError:
    facts = (find_failure(outcome.reason) or Failure.DOWN).facts  # another version may have written another word
    return errors.ApiError(
        facts.http_status,
        "source_unavailable",
        PORTAL_DOWN,
        retryable=outcome.retryable,
        retry_after=facts.retry_after if outcome.retry_after is None else outcome.retry_after,
        shape=SourceUnavailable,
        more={"reason": outcome.reason, "state": outcome.state} | ({"note": outcome.note} if outcome.note else {}),
    )


def _out_of_funds(outcome: OutOfFunds, account: Account | None) -> errors.ApiError:
    """The balance is too low; or the month's budget is spent, where buying credit would not help."""
    balance = outcome.available
    if outcome.by_budget and account is not None:
        balance = selectors.get_balance(account.pk).available
    needed, left = money.to_decimal_string(outcome.needed), money.to_decimal_string(outcome.available)
    if outcome.by_budget:
        code, title = "budget_exceeded", "Monthly budget spent"
        detail = f"The month's budget is spent: this costs {needed} USD, and {left} USD of the budget is left."
    else:
        code, title = "insufficient_balance", "Insufficient balance"
        detail = f"This costs {needed} USD and the balance is {left} USD."
    more = {
        "balanceStored": balance,
        "pricePerLookup": money.to_json_number(prices.LOOKUP),
        "lookupsRemaining": prices.lookups_covered(outcome.available),
        "topUpUrl": None if outcome.by_budget else top_up_url(),
    }
    return errors.payment_required(code=code, title=title, detail=detail, more=more)


def top_up_url() -> str:
    """Where credit can be bought."""
    return f"{settings.PUBLIC_URL}/pricing/"
