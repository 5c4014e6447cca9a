"""Watches, checks and changes in words: the names that the wire has for programs, as people read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookups.api.wire.watching.events import CompanyEvent
from lookups.models import Watch, WatchCheck, WatchEvent
from lookups.watches import bodies
from lookups.watches.taxonomy import Category, Notice, Severity

LONGEST = 300  # characters of a value; the whole stands in the record
CATEGORIES = {
    Category.STATUS: "Status and standing",
    Category.NAME: "Names and type",
    Category.AGENT: "Registered agent",
    Category.OFFICER: "Officers",
    Category.ADDRESS: "Addresses",
    Category.FILING: "Filings",
    Category.LIEN: "Liens (one more lookup each time)",
    Category.DISAPPEARED: "It disappears",
    Category.REAPPEARED: "It is there again",
}
NOTICES = {Notice.UNCHANGED: "Nothing changed", Notice.UNCLEAR: "Could not be read for a week", Notice.PAUSED: "Paused"}
EVERY = {"day": "every day", "week": "every week", "month": "every month"}
SEVERITIES = {Severity.HIGH: "bad", Severity.MEDIUM: "warn", Severity.LOW: "neutral", Severity.INFO: "neutral"}
RESULTS = {
    WatchCheck.Result.BASELINE: ("First reading", "neutral"),
    WatchCheck.Result.UNCHANGED: ("Unchanged", "good"),
    WatchCheck.Result.CHANGED: ("Changed", "warn"),
    WatchCheck.Result.READER_CHANGED: ("Read anew", "neutral"),
    WatchCheck.Result.ABSENT: ("Not found", "bad"),
    WatchCheck.Result.UNCLEAR: ("Nothing known", "neutral"),
}
PAUSES = {
    Watch.PauseReason.REQUESTED: "It was paused here.",
    Watch.PauseReason.INSUFFICIENT_BALANCE: "The balance did not cover a check: add credit, then resume it.",
    Watch.PauseReason.BUDGET_EXCEEDED: "The month's budget is spent.",
    Watch.PauseReason.KEY_ENDED: "The API key that paid for it has ended: resume it, and the workspace pays.",
}
_PATH = re.compile(r"(?:data|normalized)\.(\w+)(?:\[(.*)\])?(?:\.(\w+))?", re.S)
_WITHIN = re.compile(r"\]\.(\w+)\[")  # a list in what is listed: a lien's parties, and what followed it
_OWN = {"entityName": "name", "entityType": "type", "entityId": "identifier", "feiEinNumber": "federal number"}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: what it is of, and both sides; `withheld`: neither is shown any more."""

    what: str
    before: str
    after: str
    withheld: bool


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event as people read it."""

    event: WatchEvent
    company: str
    meaning: str
    category: str
    severity: str
    kind: str
    changes: list[Change]


def tell(event: WatchEvent) -> EventLine:
    """An event in words, without what people asked to be left out since."""
    body: CompanyEvent = bodies.of_event(event)
    names: dict[str, str] = {one.value: label for one, label in (*CATEGORIES.items(), *NOTICES.items())}
    meaning = PAUSES.get(event.reason, "") if event.code == Notice.PAUSED else ""  # type: ignore[call-overload]
    return EventLine(
        event=event,
        company=name_of(event.watch),
        meaning=meaning or body.meaning,
        category=names.get(event.category, event.category).partition(" (")[0],
        severity=event.severity,
        kind=SEVERITIES.get(Severity(event.severity), "neutral"),
        changes=[_change(one) for one in body.changes],
    )


def name_of(watch: Watch) -> str:
    """What a watched company is called."""
    return watch.name or watch.entity_name or watch.entity_id


def write_path(path: str) -> str:
    """Where a change is, in words: "officers: ADA MERRILL, title"."""
    found = _PATH.fullmatch(path)
    if found is None:
        return path[:LONGEST]
    field, named, part = found.groups()
    named = _WITHIN.sub(lambda inner: f", {_write_field(inner[1])}: ", named or "")
    words = _write_field(field)
    listed = f"{words}: {named[:LONGEST]}" if named else words
    return f"{listed}, {part}" if part else listed


def _write_field(field: str) -> str:
    return _OWN.get(field) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", field).lower()


def write_value(value: Any) -> str:
    """One side of a change, in a line; empty where nothing was there."""
    if isinstance(value, Mapping):
        value = ", ".join(filter(None, (write_value(one) for one in value.values())))
    elif isinstance(value, list):
        value = "; ".join(filter(None, (write_value(one) for one in value)))
    text = "" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _change(one: Any) -> Change:
    withheld = bool(one["withheld"] if isinstance(one, Mapping) else one.withheld)
    path, before, after = (
        one[name] if isinstance(one, Mapping) else getattr(one, name) for name in ("path", "before", "after")
    )
    return Change(write_path(path), write_value(before), write_value(after), withheld)
