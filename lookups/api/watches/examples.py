"""Watches and events: asked for, listed, told."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

from lookups.api.schema.examples.making import LOOKUP, error, reply, request
from lookups.api.schema.examples.records import ENTITY, WHEN
from lookups.api.wire.events import Event
from lookups.api.wire.shape import fill
from lookups.api.wire.watching import events, watches
from lookups.api.wire.words import EventType
from lookups.watches import bodies
from lookups.watches.taxonomy import BY_DEFAULT, CODES

ID = "watch_5b0c9f27d4e84a6f9d1e7c3a2b4f6081"
LATER = "2026-11-22T07:41:09.000Z"
CREATE = request("By its number", state="DE", entity_id="SB-DE-900001", every="day", on=["status", "name", "agent"])
CREATE_BY_NAME = request(
    "By its name", state="DE", entity_name="Blue Heron Logistics LLC", every="week", max_per_month=4, ref="vendor 7"
)
CREATE_MANY = request(
    "Two, alike",
    every="month",
    watches=[
        {"state": "DE", "entity_id": "SB-DE-900001"},
        {"state": "NV", "entity_id": "SB-NV-900001", "every": "week"},
    ],
)
CREATE_BY_TABLE = OpenApiExample(
    "A table",
    value="state,entity_name,entity_id,every,on,ref\r\nDE,,SB-DE-900001,week,status name,vendor 7\r\n",
    media_type="text/csv",
    request_only=True,
)
PAUSE = request("Look no more for now", status="paused")
RESET = request("Less often", every="month", on=["status", "disappeared"])

_CHECK = watches.WatchCheck(
    lookupId=LOOKUP,
    verdict="found",
    searchType="business_entity",  # type: ignore[arg-type]
    result="unchanged",  # type: ignore[arg-type]
    notChecked=["officers"],
    cost=0.0314,
    createdAt=WHEN,
    endedAt=WHEN,
)


def _watch(**differs: Any) -> watches.Watch:
    known: dict[str, Any] = {
        "id": ID,
        "livemode": True,
        "state": "DE",
        "entity_id": ENTITY.entityId,
        "name": ENTITY.entityName,
        "every": "day",
        "on": list(BY_DEFAULT),
        "email_digest": False,
        "tell_unchanged": False,
        "status": "active",
        "nextCheckAt": LATER,
        "lastChecks": [_CHECK],
        "pricePerCheck": 0.0314,
        "pricePerUnchangedCheck": 0.0314,
        "pricePerCheckFromCopy": 0,
        "createdAt": WHEN,
    }
    return fill(watches.Watch, known, **differs)


_FIELDS = {"success": True, "livemode": True}
_PAUSED = {"status": "paused", "pauseReason": "requested", "pausedAt": WHEN, "nextCheckAt": None}
WATCH = reply("Unchanged", fill(watches.WatchReply, _FIELDS, watch=_watch()))
CREATED = reply("Made", fill(watches.WatchReply, _FIELDS, watch=_watch(lastChecks=[], nextCheckAt=WHEN)), 201)
SAME = reply("There before", fill(watches.WatchReply, _FIELDS, watch=_watch()))
PAUSED = reply("Paused", fill(watches.WatchReply, _FIELDS, watch=_watch(**_PAUSED)))
DELETED = reply("Deleted", fill(watches.WatchReply, _FIELDS, watch=_watch(nextCheckAt=None)))
DUE = reply("Due", fill(watches.WatchReply, _FIELDS, watch=_watch(nextCheckAt=WHEN)), 202)
WATCHES = reply("One", fill(watches.WatchList, _FIELDS, watches=[_watch()]))
MADE = reply("Made", fill(watches.NewWatches, _FIELDS, created=1, watches=[_watch(lastChecks=[])]), 201)
MADE_BEFORE = reply("There before", fill(watches.NewWatches, _FIELDS, created=0, watches=[_watch()]))
CHECKS = reply("One", fill(watches.WatchCheckList, _FIELDS, checks=[_CHECK]))
NO_WATCH = error(404, "watch_not_found", "Watch not found")
IS_PAUSED = error(409, "watch_paused", "The watch is paused")
USED_UP = error(409, "checks_used_up", "The watch has made its checks of this month")
TOO_MANY = error(409, "too_many_watches", "At most 100 watches of an account in test mode: delete some")

_READING = {"lookupId": LOOKUP, "url": f"/v1/lookups/{LOOKUP}", "evidence": ENTITY.evidence}


def _event(code: str, *changes: tuple[str, Any, Any], **more: Any) -> events.CompanyEvent:
    known = CODES[code]
    return fill(
        events.CompanyEvent,
        {
            "id": "evt_0d9a4c1e7b2f4e53a6c8d0f1e2b3a495",
            "livemode": True,
            "watchId": ID,
            "state": "DE",
            "entityId": ENTITY.entityId,
            "entityName": ENTITY.entityName,
            "category": known.category.value,
            "code": code,
            "severity": known.severity,
            "meaning": known.meaning,
            "changes": [
                {"path": path, "before": before, "after": after, "withheld": False} for path, before, after in changes
            ],
            "evidence": {"before": _READING, "after": _READING},
            "createdAt": WHEN,
            **more,
        },
    )


_STATUS = _event(
    "status.inactive",
    ("data.status", "Good Standing", "Dissolved"),
    ("normalized.statusClass", "active", "inactive"),
)
_NOTHING_READ: dict[str, Any] = {"evidence": {"before": None, "after": None}}
_UNCHANGED = _event("unchanged", evidence={"before": None, "after": _READING})
_UNCLEAR = _event("unclear")
_WATCH_PAUSED = _event("paused", reason="insufficient_balance", **_NOTHING_READ)
EVENTS = reply("One", fill(events.EventList, _FIELDS, events=[_STATUS], nextCursor="17", more=False))
TAXONOMY = reply("All of it", bodies.of_taxonomy())


def _message(kind: EventType, event: events.CompanyEvent) -> Event:
    return Event(id="msg_3f0c9a6d0b7e4c5f8a1d2e3f4a5b6c7d", type=kind, livemode=True, created_at=WHEN, data=event)


MESSAGES = {
    EventType.WATCH_CHANGED: ("A watched company changed", _message(EventType.WATCH_CHANGED, _STATUS)),
    EventType.WATCH_UNCHANGED: (
        "A watched company has not changed (`tell_unchanged`)",
        _message(EventType.WATCH_UNCHANGED, _UNCHANGED),
    ),
    EventType.WATCH_UNCLEAR: (
        "A watched company could not be read for a week",
        _message(EventType.WATCH_UNCLEAR, _UNCLEAR),
    ),
    EventType.WATCH_PAUSED: ("A watch is paused", _message(EventType.WATCH_PAUSED, _WATCH_PAUSED)),
}
"""Of each type of message: its summary, and an example."""
