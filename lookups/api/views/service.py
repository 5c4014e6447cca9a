"""GET /v1/states and GET /v1/health: what the service can do, and whether it is well. Anybody may ask."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from django.db import DatabaseError
from django.http import HttpResponse
from django.utils import timezone
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response

from lookups import bodies, selectors
from lookups.api import errors
from lookups.api.endpoint import OpenEndpoint
from lookups.api.schema import service as describe
from lookups.api.wire.service import Health, HealthChecks
from lookups.api.wire.shape import encode
from lookups.api.wire.words import CheckResult, HealthStatus
from lookups.jobs import broker
from lookups.lookup.storage import wire_time

log = logging.getLogger(__name__)


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


def _knows(request: Request, tag: str) -> bool:
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return "*" in known or any(one.removeprefix("W/") == tag for one in known)
