"""A request that pays for itself: 402 with what it costs, and the answer for whoever comes back with a payment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing import prices
from billing.challenge import PaymentProblem
from billing.models import ApiKey
from billing.payments import checkout
from lookups.api import errors, idempotency, parsers
from lookups.api.authentication import HasApiKey
from lookups.api.wire.errors import PaymentRequired
from lookups.api.wire.shape import Shape, encode, fill
from lookups.lookup.payers import CredentialPayer

DESCRIPTION = "Business entity or UCC filing lookup"
CODES = {
    "bad-request": "invalid_request",
    "method-unsupported": "invalid_request",
    "idempotency-conflict": "idempotency_conflict",
    "payment-in-progress": "payment_pending",
    "internal-payment-error": "payment_pending",
    "payment-unavailable": "payment_unavailable",
}


class KeyOrPayment(HasApiKey):
    """A key, or a way to pay: where nothing can be paid, a request without a key is a plain 401."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the request may go on."""
        if isinstance(request.auth, ApiKey):
            return super().has_permission(request, view)
        return checkout.is_open("lookup", secure=request.is_secure())


def pays_itself(request: Request) -> bool:
    """Whether this request has no key, or a payment beside it (which `answer_paid` refuses)."""
    if not isinstance(request.auth, ApiKey):
        return True
    try:
        return checkout.find_credential(request.headers) is not None
    except PaymentProblem:
        return True


def answer_paid(
    request: Request,
    *,
    read: Callable[[], Any],
    refuse: Callable[[Any], None],
    answer: Callable[[Any, CredentialPayer], Response],
) -> Response | HttpResponse:
    """Call `answer` with what `read` makes of the request and with whoever pays for it; else say what it costs.

    What does not fit is refused before anything is said of money, and so is (by `refuse`) what no registry takes, but
    not to who has a payment: it may have moved, and its answer be owed. The price is bound to the body's bytes.
    """
    purchase = _purchase(request)
    asked, word, problem = read(), idempotency.read_word(request), None
    try:
        credential = checkout.find_credential(request.headers)
        if credential is not None and isinstance(request.auth, ApiKey):
            raise PaymentProblem("bad-request", "Send the API key or the payment, not both. Nothing was charged.")
        if credential is not None:
            return answer(asked, CredentialPayer(purchase, credential, word))
    except PaymentProblem as wrong:
        problem = wrong
    else:
        refuse(asked)
    return render_demand(request, checkout.demand(purchase, now=timezone.now(), problem=problem))


def offer(request: Request, refused: errors.ApiError) -> errors.ApiError:
    """The 402 of a balance that does not do, with a challenge where this one request can be paid for by itself."""
    if refused.code == "insufficient_balance" and checkout.is_open("lookup", secure=request.is_secure()):
        demand = checkout.demand(_purchase(request), now=timezone.now())
        refused.headers |= demand.headers
        refused.more |= {"challengeId": demand.body["challengeId"]}
    return refused


def render_demand(request: Request, demand: checkout.Demand) -> HttpResponse:
    """What has to be paid, in the scheme's own words; beside what else went wrong are those of our errors."""
    body: Shape = fill(PaymentRequired, demand.body)
    code = CODES.get(demand.body["type"].rpartition("/")[2])
    if code is not None:
        again, title = "Retry-After" in demand.headers, demand.body["title"]
        error = errors.ApiError(demand.status, code, title, retryable=again, shape=PaymentRequired, more=demand.body)
        body = error.body(request.request_id)  # type: ignore[attr-defined]
    return HttpResponse(encode(body), status=demand.status, headers=demand.headers, content_type=demand.content_type)


def _purchase(request: Request) -> checkout.Purchase:
    """One lookup, for this very request; ApiError 413 for more bytes than are taken."""
    body = parsers.raw_body(request)
    return checkout.Purchase("lookup", prices.LOOKUP, f"POST {request.path}", body, DESCRIPTION)
