"""POST /v1/lookup without a key: 402 with a challenge, and the answer for who comes back with a payment."""

from __future__ import annotations

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
from billing.payments import gateway
from lookups.api import parsers, replies
from lookups.api.authentication import HasApiKey
from lookups.lookup import pay_per_request
from lookups.lookup.questions import Question

DESCRIPTION = "Business entity or UCC filing lookup"


class KeyOrPayment(HasApiKey):
    """A key, or a way to pay: where nothing can be paid, a request without a key is a plain 401."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the request may go on."""
        if isinstance(request.auth, ApiKey):
            return super().has_permission(request, view)
        return gateway.is_open("lookup", secure=request.is_secure())


class Till:
    """One request without a key, and what it would buy."""

    def __init__(self, request: Request) -> None:
        """Reads the body's bytes, which the challenge is bound to; ApiError 413 for too many of them."""
        self.request = request
        body = parsers.raw_body(request, limit=parsers.LIMIT)
        self.purchase = gateway.Purchase("lookup", prices.LOOKUP, f"POST {request.path}", body, DESCRIPTION)

    def find_credential(self) -> str | None:
        """The payment that came along, if any; PaymentProblem for several."""
        return gateway.find_credential(self.request.headers)

    def sell(self, question: Question, *, credential: str, accepts_stored: bool) -> Response:
        """The answer with its receipt, or the error that cost nothing. Raises PaymentProblem."""
        request_id: str = self.request.request_id  # type: ignore[attr-defined]
        outcome, receipt = pay_per_request.perform(
            purchase=self.purchase,
            credential=credential,
            question=question,
            accepts_stored=accepts_stored,
            request_id=request_id,
            now=timezone.now(),
        )
        response = replies.to_response(outcome, request_id=request_id)
        if receipt is not None:
            response["Payment-Receipt"] = receipt
            response["Cache-Control"] = "private"
        return response

    def demand(self, problem: PaymentProblem | None = None) -> HttpResponse:
        """What it costs, or what was wrong with the payment, in the scheme's own body."""
        return answer_demand(gateway.demand(self.purchase, now=timezone.now(), problem=problem))


def answer_demand(told: gateway.Demand) -> HttpResponse:
    """The till's answer on the wire."""
    body: Any = {"challengeId": None, **told.body}
    return HttpResponse(
        JSONRenderer().render(body), status=told.status, headers=told.headers, content_type=told.content_type
    )
