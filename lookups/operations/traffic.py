"""Every request that is answered: one line in the log, and a place in the numbers of `/metrics`.

Never a body, a key, a path or a query: the route says which endpoint it was, and what was asked is in its row.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import CollectorRegistry, Counter, Histogram

log = logging.getLogger("access")
REGISTRY = CollectorRegistry()  # of this process; see `metrics` for those beside it
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
ROOM = 1 << 20  # bytes for each kind of number; 64 kB are used up by some forty routes
UNMATCHED = "unmatched"  # no endpoint of ours, or a static file
_COUNTED = Counter(
    "sos_lookup_http_requests", "Requests that were answered.", ["method", "route", "status"], registry=REGISTRY
)
_SECONDS = Histogram(
    "sos_lookup_http_request_seconds",
    "How long answering took, until the head of the answer.",
    ["route"],
    buckets=(0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60),
    registry=REGISTRY,
)


def reserve_room() -> None:
    """Take the disk's room for what this process will count, where several count together.

    They write to files as to memory: where the disk is full by then, the system ends the process (SIGBUS).
    """
    for kind in ("counter", "histogram"):
        if settings.PROMETHEUS_MULTIPROC_DIR:
            file = Path(settings.PROMETHEUS_MULTIPROC_DIR) / f"{kind}_{os.getpid()}.db"  # as prometheus_client calls it
            if not file.exists():
                file.write_bytes(bytes(ROOM))


def note(request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> dict[str, str | int]:
    """Count an answer and write its line; returns what may be told of it anywhere."""
    method = request.method if request.method in METHODS else "other"
    # The pattern of the address, never the address: those are without end, and hold names.
    route = request.resolver_match.route if request.resolver_match else UNMATCHED
    told: dict[str, str | int] = {"method": method, "route": route, "status": response.status_code}
    _COUNTED.labels(method, route, str(response.status_code)).inc()
    _SECONDS.labels(route).observe(seconds)
    more = {
        "ms": round(seconds * 1000),
        "account": getattr(getattr(request, "auth", None), "account_id", None),  # whose key opened it
        "bytes": response.headers.get("Content-Length"),  # none where it is streamed
    }
    line = "%(method)s %(route)s %(status)s, %(ms)s ms, account %(account)s, %(bytes)s bytes"
    log.info(line, told | more, extra=told | more)
    return told
