"""GET /metrics: the numbers that tell a monitoring system to wake somebody, in the text form Prometheus reads."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from billing import selectors
from lookups.notifications import deliveries

PREFIX = "sos_lookup_"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every gauge with its words; 404 for whoever does not know the token, and where none is set."""
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(wanted, request.headers.get("Authorization", "").encode()):
        raise Http404
    lines = []
    now = timezone.now()
    gauges = selectors.list_gauges(now=now) | deliveries.list_gauges(now=now)
    for name, (about, value) in gauges.items():
        lines += [f"# HELP {PREFIX}{name} {about}", f"# TYPE {PREFIX}{name} gauge", f"{PREFIX}{name} {value}"]
    response = HttpResponse("\n".join([*lines, ""]), content_type="text/plain; version=0.0.4; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response
