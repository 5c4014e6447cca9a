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
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from rest_framework.request import Request
from rest_framework.response import Response

from lookups import bodies, selectors
from lookups.api import errors
from lookups.api.endpoint import OpenEndpoint
from lookups.api.schema import service as describe
from lookups.api.wire.service import Health, HealthChecks, HealthComponent, HealthOldestDue
from lookups.api.wire.shape import encode
from lookups.api.wire.words import CheckResult, ComponentStatus, HealthStatus
from lookups.jobs import broker
from lookups.lookup.storage import wire_time
from lookups.operations import health, readiness
from lookups.operations import metrics as operations_metrics
from lookups.operations.health import Work

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
            degraded, today, work = selectors.count_degraded(), selectors.get_day(now=now), health.read(now=now)
            takes_writes = readiness.can_write()
        except DatabaseError as error:
            log.exception("The database does not answer.")
            raise errors.ApiError(
                503, "internal_error", "The service cannot serve now", retryable=True, retry_after=10
            ) from error
        well = broker.answers()
        is_healthy = well and takes_writes and work.is_done and degraded == 0
        return Response(
            Health(
                status=HealthStatus.HEALTHY if is_healthy else HealthStatus.DEGRADED,
                checks=HealthChecks(
                    redis=CheckResult.OK if well else CheckResult.ERROR,
                    postgres=CheckResult.OK if takes_writes else CheckResult.ERROR,
                    degraded_scrapers=degraded,
                    lookups_today=today.lookups,
                    cache_hit_rate_pct=today.cache_hit_rate_pct,
                ),
                components=_components(work),
                oldest_due_seconds=HealthOldestDue(
                    lookups=work.oldest_due.lookups,
                    bulk_rows=work.oldest_due.bulk_rows,
                    messages=work.oldest_due.messages,
                ),
                timestamp=wire_time(now),
            )
        )


def _components(work: Work) -> list[HealthComponent]:
    return [
        HealthComponent(
            name=one.role,
            status=ComponentStatus(one.state.value),
            processes=one.alive,
            last_heartbeat_seconds=None if one.age is None else int(one.age.total_seconds()),
        )
        for one in work.components
    ]


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is touched. For whoever would start it again."""
    return _plain({"status": "live"})


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Whether this process could serve now; 503 with what it lacks. For whoever sends it requests."""
    reasons = readiness.list_reasons()
    if not reasons:
        return _plain({"status": "ready"})
    error = errors.not_ready(reasons)
    response = _plain(error.body(request.request_id), status=error.status)  # type: ignore[attr-defined]
    response["Retry-After"] = str(error.retry_after)
    return response


def _plain(body: Any, *, status: int = 200) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(encode(body), status=status, content_type="application/json", headers=headers)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every number with its words, as Prometheus reads them; 404 without the token, and where none is set."""
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(wanted, request.headers.get("Authorization", "").encode()):
        raise Http404
    page = operations_metrics.render(now=timezone.now())
    return HttpResponse(page, content_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"})


def _knows(request: Request, tag: str) -> bool:
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return "*" in known or any(one.removeprefix("W/") == tag for one in known)
