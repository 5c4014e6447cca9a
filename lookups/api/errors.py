"""Every error of the API in its one body; what each status and exception is called on the wire."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from lookups.api.wire.errors import InvalidBulk, InvalidRequest, PaymentRequired, doc_url
from lookups.api.wire.shape import Shape, fill

INVALID_BODY = "Invalid request body"
NO_KEY = "Missing or invalid API key"
CHALLENGE = 'Bearer realm="SOS Lookup"'


@dataclass(eq=False)
class ApiError(Exception):
    """One error reply: status, machine word, human text, and what goes with it.

    `shape` is its body, with `more` in the fields that it has beyond those of every error. Only what is retryable says
    when: `retry_after` (seconds) is dropped otherwise, so the body and the header never disagree.
    """

    status: int
    code: str
    text: str
    retryable: bool = False
    retry_after: float | None = None
    details: dict[str, Any] | list[Any] | None = None
    shape: type[Shape] = InvalidRequest
    more: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    def body(self, request_id: str) -> Shape:
        """The JSON object of this error."""
        details = {} if self.details is None else {"details": self.details}
        return fill(
            self.shape,
            {
                "success": False,
                "error": self.text,
                "code": self.code,
                "cost": 0,
                "retryable": self.retryable,
                "requestId": request_id,
                "docUrl": doc_url(self.code),
                **details,
                **self.more,
            },
        )

    def list_headers(self) -> dict[str, str]:
        """What goes with it beside the body."""
        headers = dict(self.headers)
        if self.retryable and self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        return headers

    def response(self, request_id: str) -> Response:
        """The whole reply."""
        headers = self.list_headers()
        return Response(self.body(request_id), status=self.status, headers=headers, content_type=self.content_type)


def invalid(details: dict[str, Any], *, code: str = "invalid_request") -> ApiError:
    """A body or parameter that does not fit; `details` maps each field to what is wrong with it."""
    return ApiError(400, code, INVALID_BODY, details=details)


def invalid_rows(details: list[dict[str, Any]]) -> ApiError:
    """Rows that do not fit; `details` says of each where it stands and what is wrong with it."""
    return ApiError(400, "invalid_request", INVALID_BODY, details=details, shape=InvalidBulk)


def unauthorized() -> ApiError:
    """No key, or one that is not valid."""
    return ApiError(401, "unauthorized", NO_KEY, headers={"WWW-Authenticate": CHALLENGE})


def forbidden(text: str = "This API key may not be used for this endpoint") -> ApiError:
    """A key that opens other things."""
    return ApiError(403, "forbidden", text)


def payment_required(*, code: str, title: str, detail: str, more: dict[str, Any]) -> ApiError:
    """Not enough to pay with: RFC 9457 problem details, with our own words beside them."""
    problem = {"type": doc_url(code), "title": title, "status": 402, "detail": detail, "challengeId": None}
    return ApiError(
        402,
        code,
        title,
        shape=PaymentRequired,
        more=problem | more,
        headers={"Cache-Control": "no-store"},
        content_type="application/problem+json",
    )


def payment_unavailable(text: str, *, retryable: bool) -> ApiError:
    """No way to pay: not configured (an operator's matter), or not answering (`retryable`)."""
    return ApiError(503, "payment_unavailable", text, retryable=retryable, retry_after=30)


def rate_limited(*, text: str, retry_after: int) -> ApiError:
    """Too many requests in this minute, or too many at once."""
    return ApiError(429, "rate_limited", text, retryable=True, retry_after=retry_after)


def nobody_at_work() -> ApiError:
    """It would be answered later, and nobody lives who would do it: not promised, and not charged."""
    text = "Nothing that is answered later can be taken on now; nothing was charged"
    return ApiError(503, "internal_error", text, retryable=True, retry_after=30)


def not_ready(reasons: dict[str, str]) -> ApiError:
    """This process could not serve now; `reasons` says in a sentence each what it lacks."""
    details = {name: [text] for name, text in reasons.items()}
    return ApiError(
        503, "internal_error", "The service cannot serve now", retryable=True, retry_after=10, details=details
    )


def for_status(status: int) -> ApiError:
    """The error for a status that came about outside the API's own views."""
    if status == 401:
        return unauthorized()
    if status == 413:
        return ApiError(413, "payload_too_large", "Request body too large")
    if status == 404:
        return ApiError(404, "not_found", "No such endpoint")
    if status == 405:
        return ApiError(405, "method_not_allowed", "Method not allowed on this endpoint")
    if status < 500:
        return ApiError(status, "invalid_request", "Invalid request")
    if status == 503:
        return ApiError(503, "internal_error", "Service temporarily unavailable", retryable=True, retry_after=15)
    return ApiError(500, "internal_error", "Internal error", retryable=True)


def exception_handler(raised: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what a view raised into a reply. None for what nobody foresaw: that is logged as a crash further out."""
    request = context["request"]
    error = _as_error(raised, context["view"])
    if error is None:
        return None
    response = error.response(request.request_id)
    key = getattr(request, "_auth", None)  # whoever opened the request; asking for `auth` would try to open it again
    if key is not None:
        response.data.livemode = key.livemode
    return response


def _as_error(raised: Exception, view: Any) -> ApiError | None:
    match raised:
        case ApiError():
            return raised
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return unauthorized()
        case exceptions.ValidationError():
            details = raised.detail if isinstance(raised.detail, dict) else {"body": raised.detail}
            return invalid(details)
        case exceptions.MethodNotAllowed():
            return for_status(405)
        case exceptions.NotAcceptable():
            return ApiError(406, "invalid_request", f"This endpoint answers in {_list(view.renderer_classes)}")
        case exceptions.UnsupportedMediaType():
            return ApiError(
                415, "invalid_request", INVALID_BODY, details={"body": [f"Send {_list(view.parser_classes)}."]}
            )
        case exceptions.PermissionDenied() | PermissionDenied():
            return forbidden()
        case exceptions.APIException():
            return for_status(raised.status_code)
        case Http404():
            return for_status(404)
    return None


def _list(classes: Iterable[Any]) -> str:
    return " or ".join(dict.fromkeys(one.media_type for one in classes))
