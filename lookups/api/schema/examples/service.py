"""What anybody may read."""

from __future__ import annotations

from lookups.api.schema.examples.making import reply
from lookups.api.schema.examples.records import WHEN
from lookups.api.wire import service
from lookups.api.wire.shape import fill

STATES = reply(
    "One of them",
    [
        fill(
            service.State,
            {
                "state": "NY",
                "name": "New York",
                "status": "active",
                "version": "1.0",
                "lastTestedAt": WHEN,
                "available": True,
                "uccAvailable": False,
                "registry": "Department of State, Division of Corporations",
                "region": "Northeast",
                "async": False,
                "estimatedSeconds": 2,
                "nameAvailabilityAvailable": True,
                "nameAvailabilityFromCache": False,
                "uccSecuredParty": False,
                "uccDateFilter": False,
                "officers": True,
                "statusProvided": True,
                "verification": "live",
                "lastContact": {
                    "at": WHEN,
                    "result": "read",
                    "seconds": 9.4,
                    "questions": [{"kind": kind, "result": "read"} for kind in ("active", "person", "absent")],
                },
            },
        )
    ],
)
HEALTHY = reply(
    "Healthy",
    {
        "status": "healthy",
        "checks": fill(
            service.HealthChecks,
            {
                "redis": "ok",
                "postgres": "ok",
                "degraded_scrapers": 0,
                "lookups_today": 147,
                "cache_hit_rate_pct": 6.8,
            },
        ),
        "components": [
            {"name": name, "status": "ok", "processes": 1, "last_heartbeat_seconds": 2}
            for name in ("web", "worker", "bulk", "beat")
        ],
        "oldest_due_seconds": {"lookups": None, "bulk_rows": 12, "messages": None},
        "timestamp": WHEN,
    },
)
