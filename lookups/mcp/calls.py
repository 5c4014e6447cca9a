"""One operation of /v1, asked by a tool: the same view, with the key and the address of who asked us.

So a tool has the limits, prices, idempotency and errors of the API, and there is no second road.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.core.handlers.exception import convert_exception_to_response
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.urls import resolve

from lookups.api.idempotency import REPLAYED
from lookups.api.middleware import as_api_error
from lookups.mcp.tools import Operation
from lookups.verdicts import Verdict, find_verdict

# What of a request says who asks, and from where
HANDED_ON = (
    "HTTP_X_API_KEY",
    "HTTP_AUTHORIZATION",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_HOST",
    "HTTP_USER_AGENT",
    "REMOTE_ADDR",
    "SERVER_NAME",
    "SERVER_PORT",
    "wsgi.url_scheme",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the operation answered: `body` is the API's JSON; `is_replayed` of what was answered, and paid, before."""

    status: int
    body: Any
    retry_after: str | None
    is_replayed: bool = False

    @property
    def is_error(self) -> bool:
        """Whether nothing was learned. That a registry has no such company is learned.

        The verdict says so before the status does: what came of a lookup is told again with 200, whatever it was.
        """
        verdict = find_verdict(self.body.get("verdict")) if isinstance(self.body, dict) else None
        if verdict is None:
            return self.status >= 400
        return not (verdict.facts.billed or verdict is Verdict.NOT_FOUND)


def ask(operation: Operation, arguments: Mapping[str, Any], *, caller: HttpRequest) -> Answer:
    """Ask it; each argument goes where the API's document has it. What is null beside the body is not sent."""
    environ = {name: caller.META[name] for name in HANDED_ON if name in caller.META}
    path, query, body = operation.path, {}, {}
    for name, value in arguments.items():
        place, own = operation.places.get(name, ("body", name))
        if place == "body":
            body[own] = value
            continue
        if value is None:
            continue
        text = str(int(value)) if isinstance(value, Decimal) else str(value)
        if place == "path":
            path = path.replace(f"{{{own}}}", text)
        elif place == "query":
            query[own] = text
        else:
            environ[f"HTTP_{own.upper().replace('-', '_')}"] = text
    return _send(operation.method, path, query, body, environ, caller)


def _send(
    method: str, path: str, query: dict[str, str], body: dict[str, Any], environ: dict[str, Any], caller: HttpRequest
) -> Answer:
    # Numbers with a point were read exactly, as the API itself does when it reads them again
    raw = json.dumps(body, default=float).encode() if method in ("POST", "PATCH") else b""
    request = WSGIRequest(
        environ
        | {
            "REQUEST_METHOD": method,
            "PATH_INFO": path.encode("utf-8", "replace").decode("latin-1"),  # as WSGI has it
            "QUERY_STRING": urlencode(query),
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.input": io.BytesIO(raw),
        }
    )
    request.request_id = caller.request_id  # type: ignore[attr-defined]
    response: Any = convert_exception_to_response(_view)(request)
    if response.status_code >= 400 and not getattr(response, "from_endpoint", False):
        response = as_api_error(response, request)  # what nobody foresaw, as it is told at the API's own address
    text = b"".join(response.streaming_content) if response.streaming else response.content
    found = json.loads(text) if text else None
    return Answer(response.status_code, found, response.headers.get("Retry-After"), REPLAYED in response.headers)


def _view(request: HttpRequest) -> HttpResponseBase:
    found = resolve(request.path_info)
    response: HttpResponseBase = found.func(request, *found.args, **found.kwargs)
    if isinstance(response, SimpleTemplateResponse):
        response.render()
    return response
