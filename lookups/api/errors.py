"""Every error of the API in its one body; the table of what can go wrong, and what it is called on the wire."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

log = logging.getLogger(__name__)

INVALID_BODY = "Invalid request body"
NO_KEY = "Missing or invalid API key"
CODES = {
    "invalid_request": "The request does not fit the contract; `details` says where.",
    "unsupported_state": "There is no such jurisdiction, or it cannot be asked this.",
    "unauthorized": "No API key, one that opens nothing, or one that may not do this.",
    "forbidden": "A test key may see and change test things only; this is a live key's.",
    "insufficient_balance": "The balance, or the month's budget, does not cover the lookup.",
    "entity_not_found": "The registry answered in full and has no such company. Not charged.",
    "job_not_found": "There is no such job, or it is another account's.",
    "user_not_found": "The account of this key is gone.",
    "rate_limited": "Too many requests in this minute, or too many lookups at a time; see Retry-After.",
    "source_unavailable": "The registry could not be asked, so nothing is known. Not charged.",
    "payment_unavailable": "Nothing can be paid this way here, or the card provider does not answer. Not charged.",
    "idempotency_conflict": "The Idempotency-Key belongs to another request, or to one still running.",
    "payload_too_large": "The body is larger than accepted here.",
    "internal_error": "Something broke here. Not charged; quote the requestId.",
}
CHALLENGE = 'Bearer realm="SOS Lookup"'


@dataclass(eq=False)
class ApiError(Exception):
    """One error reply: status, machine word, human text, and headers that go with it."""

    status: int
    code: str
    text: str
    retryable: bool = False
    details: dict[str, Any] | list[Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON object of this error."""
        body: dict[str, Any] = {
            "success": False,
            "error": self.text,
            "code": self.code,
            "cost": 0,
            "retryable": self.retryable,
            "requestId": request_id,
        }
        if self.details is not None:
            body["details"] = self.details
        return body | self.extra

    def response(self, request_id: str) -> Response:
        """The whole reply."""
        return Response(self.body(request_id), status=self.status, headers=self.headers, content_type=self.content_type)


def invalid(details: dict[str, Any], *, code: str = "invalid_request") -> ApiError:
    """A body or parameter that does not fit; `details` maps each field to what is wrong with it."""
    return ApiError(400, code, INVALID_BODY, details=details)


def unauthorized() -> ApiError:
    """No key, or one that opens nothing."""
    return ApiError(401, "unauthorized", NO_KEY, headers={"WWW-Authenticate": CHALLENGE})


def insufficient_balance(*, detail: str, extra: dict[str, Any]) -> ApiError:
    """Not enough credit: RFC 9457 problem details, with our own words beside them."""
    title = "Insufficient balance"
    problem = {
        "type": f"{settings.PUBLIC_URL}/docs/#insufficient_balance",
        "title": title,
        "status": 402,
        "detail": detail,
        "challengeId": None,
    }
    return ApiError(
        402,
        "insufficient_balance",
        title,
        extra=problem | extra,
        headers={"Cache-Control": "no-store"},
        content_type="application/problem+json",
    )


def payment_unavailable(text: str, *, retryable: bool) -> ApiError:
    """No way to pay: not configured (an operator's matter), or not answering (`retryable`)."""
    headers = {"Retry-After": "30"} if retryable else {}
    return ApiError(503, "payment_unavailable", text, retryable=retryable, headers=headers)


def rate_limited(*, text: str, retry_after: int) -> ApiError:
    """Too many requests in this minute, or too many at once."""
    return ApiError(429, "rate_limited", text, retryable=True, headers={"Retry-After": str(retry_after)})


def for_status(status: int) -> ApiError:
    """The error for a status that came about outside the API's own views."""
    if status == 401:
        return unauthorized()
    if status == 413:
        return ApiError(413, "payload_too_large", "Request body too large")
    if status == 404:
        return ApiError(404, "invalid_request", "No such endpoint")
    if status < 500:
        return ApiError(status, "invalid_request", "Invalid request")
    if status == 503:
        return ApiError(503, "source_unavailable", "Service temporarily unavailable", retryable=True)
    return ApiError(500, "internal_error", "Internal error", retryable=True)


def exception_handler(raised: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what a view raised into a reply. None for what nobody foresaw: that is logged as a crash further out."""
    request = context["request"]
    error = _as_error(raised)
    return None if error is None else error.response(request.request_id)


def _as_error(raised: Exception) -> ApiError | None:
    match raised:
        case ApiError():
            return raised
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return unauthorized()
        case exceptions.ValidationError():
            details = raised.detail if isinstance(raised.detail, dict) else {"body": raised.detail}
            return invalid(details)
        case exceptions.MethodNotAllowed():
            return ApiError(405, "invalid_request", "Method not allowed on this endpoint")
        case exceptions.NotAcceptable():
            return ApiError(406, "invalid_request", "This endpoint answers in application/json")
        case exceptions.UnsupportedMediaType():
            return ApiError(415, "invalid_request", INVALID_BODY, details={"body": ["Send application/json."]})
        case exceptions.PermissionDenied() | PermissionDenied():
            return ApiError(403, "unauthorized", "This API key may not be used for this endpoint")
        case exceptions.APIException():
            return for_status(raised.status_code)
        case Http404():
            return for_status(404)
    return None
