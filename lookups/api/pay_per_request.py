"""A request without a key: 402 with what it costs, and the answer for whoever comes back with a payment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing import prices
from billing.challenge import PaymentProblem
from billing.models import ApiKey
from billing.payments import checkout
from lookups.api import parsers
from lookups.api.authentication import HasApiKey
from lookups.lookup.payers import CredentialPayer

DESCRIPTION = "Business entity or UCC filing lookup"


class KeyOrPayment(HasApiKey):
    """A key, or a way to pay: where nothing can be paid, a request without a key is a plain 401."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the request may go on."""
        if isinstance(request.auth, ApiKey):
            return super().has_permission(request, view)
        return checkout.is_open("lookup", secure=request.is_secure())


def answer_paid(request: Request, *, answer: Callable[[CredentialPayer], Response]) -> Response | HttpResponse:
    """Call `answer` with whoever pays for this request; without a payment that is good, say what it costs.

    The price is bound to the body's bytes; ApiError 413 for too many of them.
    """
    body = parsers.raw_body(request, limit=parsers.LIMIT)
    purchase = checkout.Purchase("lookup", prices.LOOKUP, f"POST {request.path}", body, DESCRIPTION)
    problem = None
    try:
        credential = checkout.find_credential(request.headers)
        if credential is not None:
            return answer(CredentialPayer(purchase, credential))
    except PaymentProblem as wrong:
        problem = wrong
    return render_demand(checkout.demand(purchase, now=timezone.now(), problem=problem))


def render_demand(demand: checkout.Demand) -> HttpResponse:
    """What has to be paid, or what was wrong with a payment, in the scheme's own body."""
    body: Any = {"challengeId": None, **demand.body}
    return HttpResponse(
        JSONRenderer().render(body), status=demand.status, headers=demand.headers, content_type=demand.content_type
    )
