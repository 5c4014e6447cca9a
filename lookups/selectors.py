"""Reads across the rooms: what /v1/states, /v1/health and the public pages show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Min, Q
from django.utils import timezone

from jurisdictions import selectors as jurisdictions
from jurisdictions.codes import PLACES, Place
from jurisdictions.models import Jurisdiction
from jurisdictions.services import NOT_READABLE
from lookups.lookup.storage import wire_time
from lookups.models import Entity, FormerSlug, Lookup, RecordVersion
from lookups.verdicts import Verdict
from scrapers import discovery, gateway
from scrapers.bulk_data.copies import list_copies
from scrapers.operations.metrics import Measured, measure
from scrapers.portal import Portal

_COUNTED, _MANY = "lookups-counted-today", 200
_COMES_LATE = timedelta(minutes=1)  # a row that is written so long after it was asked is not counted in time
_MEASURED, _MEASURED_SECONDS = "states-measured", 30  # of 24 hours; the list itself may be kept for a minute


@dataclass(frozen=True, slots=True)
class Day:
    """What was asked since midnight UTC; the rate is the per cent of records delivered that were stored ones."""

    lookups: int
    cache_hit_rate_pct: float


@dataclass(frozen=True, slots=True)
class _Counted:
    """What was asked from midnight until a moment before which nothing is open: it stays as it is."""

    until: datetime
    total: int = 0
    found: int = 0
    stored: int = 0

    def add(self, numbers: dict[str, int], until: datetime) -> _Counted:
        """With what came after it."""
        return _Counted(
            until, self.total + numbers["total"], self.found + numbers["found"], self.stored + numbers["stored"]
        )


def list_states(*, now: datetime | None = None) -> list[dict[str, Any]]:
    """Every jurisdiction by code as /v1/states and the public page show it, in three queries.

    Facts come from the portals' attributes, switch and health from the database, and the times of the last 24
    hours before `now` (default: the present) from the attempts.
    """
    switches = {row.code: row for row in jurisdictions.list_jurisdictions()}
    measured = cache.get(_MEASURED)
    if measured is None:
        measured = measure(now=now or timezone.now())
        cache.set(_MEASURED, measured, _MEASURED_SECONDS)
    copies = list_copies()
    return [
        _state(place, discovery.find_portal(code), switches.get(code), measured.get(code, Measured()), copies)
        for code, place in sorted(PLACES.items())
    ]


def list_everywhere(*, sandbox: bool, ucc: bool, now: datetime) -> list[str]:
    """Every state that can be asked now; the sandbox answers for all of them."""
    if sandbox:
        return sorted(PLACES)
    can = "uccAvailable" if ucc else "available"
    return [state["state"] for state in list_states(now=now) if state[can]]


def count_degraded() -> int:
    """How many registries health has marked as degraded."""
    return Jurisdiction.objects.filter(status="degraded").count()


def get_day(*, now: datetime) -> Day:
    """Today's numbers; what the sandbox answered does not count. What has ended is counted once by each process."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    kept: _Counted | None = cache.get(_COUNTED)
    before = kept if kept is not None and midnight <= kept.until <= now else _Counted(midnight)
    counted = before.add(_count_lookups(before.until, None), now)
    if counted.total - before.total > _MANY:
        oldest = Lookup.objects.open().filter(created_at__gte=before.until).aggregate(at=Min("created_at"))["at"]
        until = max(before.until, min(now - _COMES_LATE, oldest or now))
        cache.set(_COUNTED, before.add(_count_lookups(before.until, until), until), 24 * 3600)
    return Day(counted.total, round(100 * counted.stored / counted.found, 1) if counted.found else 0.0)


def _count_lookups(since: datetime, until: datetime | None) -> dict[str, int]:
    found = Q(verdict=Verdict.FOUND.value)
    stored = found & Q(source=Lookup.Source.STORED)
    asked = Lookup.objects.filter(created_at__gte=since, sandbox=False)
    return (asked if until is None else asked.filter(created_at__lt=until)).aggregate(
        total=Count("pk"), found=Count("pk", filter=found), stored=Count("pk", filter=stored)
    )


def find_entity_by_slug(*, state: str, slug: str) -> Entity | None:
    """The entity whose page has this address, or had it under a name before (then its `slug` is another one).

    Two looks into an index and nothing else, so that a stranger learns nothing from the time it takes.
    """
    at_it = list(Entity.objects.filter(state=state, slug=slug).order_by())
    if not at_it:
        former = FormerSlug.objects.filter(state=state, slug=slug).select_related("entity").order_by()
        at_it = [one.entity for one in former]
    return max(at_it, key=lambda entity: entity.last_read_at, default=None)


def find_latest_version(entity: Entity) -> RecordVersion | None:
    """What the registry said of it last: an older reading may have been the last to be written."""
    return entity.versions.select_related("entity").order_by("-last_read_at", "-number").first()


def _state(
    place: Place, portal: Portal | None, switch: Jurisdiction | None, measured: Measured, copies: frozenset[str]
) -> dict[str, Any]:
    """One row. Without a portal that can be read nothing is claimed of the registry but that it exists."""
    readable = portal if portal is not None and portal.verification != "unsupported" else None
    can = readable.capabilities if readable else None
    walled = readable is not None and readable.walled
    on = settings.ASK_PORTALS
    available = bool(on and readable and switch and switch.enabled and switch.status != "inactive")
    reason = (
        (switch.reason if switch else "")
        or ("" if on else gateway.ALL_OFF)
        or ("" if available or portal is None else portal.off_reason)
    )
    return {
        "state": place.code,
        "name": place.name,
        "status": switch.status if switch and readable and on else "inactive",
        "version": portal.version if portal else "0.0",
        "lastTestedAt": wire_time(switch.last_tested_at if switch else None),
        "available": available,
        "uccAvailable": bool(available and can and can.ucc),
        "registry": place.registry,
        "portalUrl": place.portal_url or None,
        "region": place.region,
        "async": bool(readable and (readable.slow or (measured.p50_ms or 0) > 1000 * settings.SYNC_BUDGET_SECONDS)),
        "estimatedSeconds": readable.estimated_seconds if readable else None,
        "nameAvailabilityAvailable": bool(available and can and can.search and not walled),
        "nameAvailabilityFromCache": bool(available and place.code in copies),
        "uccSecuredParty": bool(can and can.ucc_secured_party),
        "uccDateFilter": bool(can and can.ucc_date_filter),
        "officers": bool(can and can.officers),
        "statusProvided": bool(can and can.status),
        "verification": _verification(readable, switch),
        "reason": None if available and not reason else reason or NOT_READABLE,
        "p50Ms": measured.p50_ms,
        "p95Ms": measured.p95_ms,
        "successRate24h": measured.success_rate,
        "lastContact": _contact(switch),
    }


def _verification(portal: Portal | None, switch: Jurisdiction | None) -> str | None:
    """How sure it is that the portal is read rightly: seen live, against recorded answers, or by description."""
    if portal is None:
        return None
    return "live" if switch and switch.verified_live_at else portal.verification


def _contact(switch: Jurisdiction | None) -> dict[str, Any] | None:
    """What came of asking it for its canaries last."""
    kept = switch.contact if switch else None
    return {**kept, "at": wire_time(datetime.fromisoformat(kept["at"]))} if kept else None
