"""GET /v1/states, /v1/health and /metrics: what the service can do, and whether it is well."""

from __future__ import annotations

import hashlib
import hmac
import logging
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from billing import selectors as billing_selectors
from lookups import bodies, selectors
from lookups.api import errors
from lookups.api.endpoint import OpenEndpoint
from lookups.api.schema import service as describe
from lookups.api.wire.service import Health, HealthChecks
from lookups.api.wire.shape import encode
from lookups.api.wire.words import CheckResult, HealthStatus
from lookups.jobs import broker
from lookups.lookup.storage import wire_time
from lookups.notifications import deliveries

log = logging.getLogger(__name__)
PREFIX = "sos_lookup_"


class StatesView(OpenEndpoint):
    """Every jurisdiction."""

    @describe.states
    def get(self, request: Request) -> Any:
        """Every jurisdiction: whether it can be asked, what it shows, and how fast it answers."""
        body = encode([bodies.of_state(row) for row in selectors.list_states(now=timezone.now())])
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "public, max-age=60"}
        if _knows(request, tag):
            unchanged = HttpResponse(status=304, headers=headers)
            del unchanged["Content-Type"]  # there is no content that could have one
            return unchanged
        return HttpResponse(body, content_type="application/json", headers=headers)


class HealthView(OpenEndpoint):
    """Whether the service can serve."""

    @describe.health
    def get(self, request: Request) -> Response:
        """Whether the service is well: 200 while it can serve, also when degraded."""
        now = timezone.now()
        try:
            degraded, today = selectors.count_degraded(), selectors.get_day(now=now)
        except DatabaseError as error:
            log.exception("The database does not answer.")
            raise errors.ApiError(
                503, "internal_error", "The service cannot serve now", retryable=True, retry_after=10
            ) from error
        well = broker.answers()
        return Response(
            Health(
                status=HealthStatus.HEALTHY if well and degraded == 0 else HealthStatus.DEGRADED,
                checks=HealthChecks(
                    redis=CheckResult.OK if well else CheckResult.ERROR,
                    postgres=CheckResult.OK,
                    degraded_scrapers=degraded,
                    lookups_today=today.lookups,
                    cache_hit_rate_pct=today.cache_hit_rate_pct,
                ),
                timestamp=wire_time(now),
            )
        )


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every gauge with its words, as Prometheus reads them; 404 without the token, and where none is set."""
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(wanted, request.headers.get("Authorization", "").encode()):
        raise Http404
    lines = []
    now = timezone.now()
    gauges = billing_selectors.list_gauges(now=now) | deliveries.list_gauges(now=now)
    for name, (about, value) in gauges.items():
        lines += [f"# HELP {PREFIX}{name} {about}", f"# TYPE {PREFIX}{name} gauge", f"{PREFIX}{name} {value}"]
    response = HttpResponse("\n".join([*lines, ""]), content_type="text/plain; version=0.0.4; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response


def _knows(request: Request, tag: str) -> bool:
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return "*" in known or any(one.removeprefix("W/") == tag for one in known)
