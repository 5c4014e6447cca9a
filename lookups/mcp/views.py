"""POST /mcp: one message, one JSON answer; in the oldest revision a list of them. No session, nothing kept."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import validate_host
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from billing import keys, limits
from lookups import client_address
from lookups.api import authentication, parsers, throttling
from lookups.mcp import protocol
from lookups.mcp.protocol import Wrong
from lookups.pages.views import is_away

MOST_BYTES = 1024 * 1024
NAMED = {"tools/call": "name"}  # methods that say in `Mcp-Name` what they are about


@csrf_exempt
def door(request: HttpRequest) -> HttpResponse:
    """Answer one message, or each of a list."""
    if request.method != "POST":
        return HttpResponse(status=405, headers={"Allow": "POST"})
    if not _is_from_here(request):
        return JsonResponse(Wrong(protocol.INVALID_REQUEST, "Origin not allowed").body(None), status=403)
    sent: Any = None
    status, later = 200, 0
    try:
        sent = _read(request)
        answer_one = partial(_answer, request)
        body = protocol.answer_each(sent, answer_one) if isinstance(sent, list) else answer_one(sent)
    except Wrong as wrong:
        body, status, later = wrong.body(protocol.find_number(sent)), wrong.status, wrong.retry_after
    if not body:
        return HttpResponse(status=202)  # notifications alone
    response = JsonResponse(body, status=status, safe=False)
    if later:
        response["Retry-After"] = str(later)
    response["Cache-Control"] = "no-store"
    return response


def _answer(request: HttpRequest, sent: Any) -> dict[str, Any] | None:
    """What one message is answered; None to a notification. Raises Wrong."""
    message = protocol.check(sent)
    if "id" not in message:
        return None
    _check_headers(request, message)
    if message["method"] not in NAMED:  # an operation counts itself
        _count(request)
    return protocol.answer(message, caller=request)


def _is_from_here(request: HttpRequest) -> bool:
    """Whether no web page of another site sends it: a browser says where its page is from, programs say nothing."""
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return False
    allowed = [urlsplit(settings.PUBLIC_URL).hostname or "", *(one for one in settings.ALLOWED_HOSTS if one != "*")]
    return validate_host(host, allowed)


def _count(request: HttpRequest) -> None:
    """One look of its key, or of its address where no key opens anything. Raises Wrong.

    While the database is away, or open for reading alone, nothing is counted: what is answered here needs none. Of a
    list the first message alone waits to learn that.
    """
    if getattr(request, "is_uncounted", False):
        return
    try:
        rate = _count_look(request, timezone.now())
    except Exception as error:
        if not is_away(error):
            raise
        request.is_uncounted = True  # type: ignore[attr-defined]
        return
    if not rate.allowed:
        text = throttling.refusal(rate).text
        raise Wrong(protocol.TOO_MANY, text, status=429, retry_after=rate.retry_after)


def _count_look(request: HttpRequest, now: datetime) -> limits.Rate:
    try:
        key = keys.verify(secret=authentication.read_secret(request), now=now, address=client_address.find(request))
    except (keys.InvalidKey, keys.WrongNetwork):
        return client_address.count(request, now=now)
    return limits.count_poll(key=key, now=now)


def _read(request: HttpRequest) -> Any:
    """The message, or a list of them; Wrong for what is neither."""
    if parsers.is_packed(request):
        raise Wrong(protocol.INVALID_REQUEST, parsers.PACKED, status=415)
    raw = request.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise Wrong(protocol.INVALID_REQUEST, "The message is too large.", status=413)
    sent = protocol.read(raw)
    # A client of that revision does not know the header yet
    if isinstance(sent, list) and request.headers.get("MCP-Protocol-Version", protocol.BATCHES) != protocol.BATCHES:
        raise Wrong(protocol.INVALID_REQUEST, f"Send one message: only {protocol.BATCHES} has lists of them.")
    return sent


def _check_headers(request: HttpRequest, message: dict[str, Any]) -> None:
    """In the stateless revision the headers repeat what the body says, so that what stands between us can read it."""
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    assert isinstance(params, dict)
    version, header = protocol.find_version(params), request.headers.get("MCP-Protocol-Version")
    if version is None:
        if header is not None and header not in protocol.SUPPORTED:
            raise protocol.unsupported(header)
        if header == protocol.STATELESS:
            raise Wrong(protocol.INVALID_PARAMS, f"_meta needs {protocol.META}protocolVersion.")
        return
    method = message["method"]
    expected = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if method in NAMED:
        expected["Mcp-Name"] = str(params.get(NAMED[method]))
    if version != protocol.STATELESS:
        expected = {"MCP-Protocol-Version": version}
    for name, value in expected.items():
        sent = request.headers.get(name)
        if sent != value:
            raise Wrong(protocol.HEADER_MISMATCH, f"{name} is {sent!r}, and the body says {value!r}"[:300])
