"""One operation of /v1, asked by a tool: the same view, with the key and the address of who asked us.

So a tool has the limits, prices, idempotency and errors of the API, and there is no second road.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.urls import resolve

from lookups.mcp.tools import Operation

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
    """What the operation answered: `body` is the API's JSON."""

    status: int
    body: Any
    retry_after: str | None

    @property
    def is_error(self) -> bool:
        """Whether nothing was learned. That a registry has no such company is learned."""
        return self.status >= 400 and not (isinstance(self.body, dict) and self.body.get("verdict") == "not_found")


def ask(operation: Operation, arguments: Mapping[str, Any], *, caller: HttpRequest) -> Answer:
    """Ask it; each argument goes where the API's document has it."""
    environ = {name: caller.META[name] for name in HANDED_ON if name in caller.META}
    path, query, body = operation.path, {}, {}
    for name, value in arguments.items():
        place, own = operation.places.get(name, ("body", name))
        if place == "path":
            path = path.replace(f"{{{own}}}", str(value))
        elif place == "query":
            query[own] = value
        elif place == "header":
            environ[f"HTTP_{own.upper().replace('-', '_')}"] = str(value)
        else:
            body[own] = value
    return _send(operation.method, path, query, body, environ, caller)


def _send(
    method: str, path: str, query: dict[str, Any], body: dict[str, Any], environ: dict[str, Any], caller: HttpRequest
) -> Answer:
    # Numbers with a point were read exactly, as the API itself does when it reads them again
    raw = json.dumps(body, default=float).encode() if method in ("POST", "PATCH") else b""
    request = WSGIRequest(
        environ
        | {
            "REQUEST_METHOD": method,
            "PATH_INFO": path.encode("utf-8", "replace").decode("latin-1"),  # as WSGI has it
            "QUERY_STRING": urlencode(query, doseq=True),
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.input": io.BytesIO(raw),
        }
    )
    request.request_id = caller.request_id  # type: ignore[attr-defined]
    found = resolve(path)
    response: Any = found.func(request, *found.args, **found.kwargs)
    if hasattr(response, "render"):
        response.render()
    text = b"".join(response.streaming_content) if response.streaming else response.content
    return Answer(response.status_code, json.loads(text) if text else None, response.headers.get("Retry-After"))
