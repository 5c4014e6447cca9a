"""How long a thread waits for one answer of the database: as the settings say, unless it knows better."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

patience: ContextVar[float | None] = ContextVar("patience")
"""Seconds; None: as long as it takes. Where nothing is set `settings.DATABASE_SECONDS` holds."""
PROBES = {"/readyz": 2.0, "/v1/health": 5.0}  # who asks these wants to know now; the second reads the day's numbers


class Probes:
    """Middleware: whoever asks how the service is does not wait for a database as long as others do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in PROBES:
            return self.get_response(request)
        token = patience.set(PROBES[request.path_info])
        try:
            return self.get_response(request)
        finally:
            patience.reset(token)
