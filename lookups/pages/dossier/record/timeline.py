"""What happened when: the registry's own filings, and apart from them what we saw change between two readings.

When a change came about is known only to lie between two readings, and is written so. What changed because a better
reader read the same bytes is our doing, and is marked as that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Literal

from lookups.history import versions
from lookups.history.changes import Change
from lookups.models import RecordVersion
from lookups.pages.dossier.record.facts import one_line
from lookups.pages.dossier.record.words import Some, clip, day, some, weight
from lookups.privacy.suppression import WITHHELD, Record

Source = Literal["registry", "us", "reader"]
_ROOM = 12_000
_MARKUP = 120
_MOST_VERSIONS = 20
_ON_PAPER = 4  # so many lookups/static/lookups/dossier.css prints
_FIELDS = {
    "data.entityName": "name",
    "data.entityType": "type",
    "data.entityId": "identifier",
    "data.status": "status",
    "data.formationDate": "day of formation",
    "data.jurisdiction": "place of formation",
    "data.registeredAgentName": "registered agent",
    "data.feiEinNumber": "federal number",
    "normalized.standing": "standing",
}
_RECEIVER = "normalized.serviceOfProcess"  # whole where there was none before, or is none any more
_ADDRESSES = {
    "registeredAgent": "agent's address",
    "principal": "principal office",
    "mailing": "mailing address",
}
_NAMES = {"formerNames": "former name", "assumedNames": "assumed name"}
_ADDRESS = re.compile(r"data\.(registeredAgent|principal|mailing)(?:Address|City|State|Zip)")
_LISTED = re.compile(r"(?:data\.(officers)|normalized\.(formerNames|assumedNames))\[(.*)\](?:\.(title|address))?", re.S)


@dataclass(frozen=True, slots=True)
class Event:
    """One line: its day in words, for machines where it is one day, what it was, and who says so."""

    day: str | None
    iso: str | None
    text: str
    source: Source

    @property
    def is_ours(self) -> bool:
        """Whether it is something that we saw, and not what the registry has on file."""
        return self.source != "registry"


def list_filings(record: Record) -> list[Event]:
    """What the registry itself has on file, and the day of formation where no filing has it."""
    filings = [
        Event(_day(one.get("date")), _iso(one.get("date")), clip(one.get("title"), 300) or "", "registry")
        for one in record.normalized.get("filings") or []
    ]
    formed = _iso(record.normalized.get("formationDate"))
    if formed and all(one.iso != formed for one in filings):
        filings.append(Event(day(formed), formed, "Formed", "registry"))
    return filings


def list_changes(version: RecordVersion, form: Callable[[Record], Record]) -> tuple[list[Event], str]:
    """What changed between the readings up to this version, each compared in the given form.

    Beside it the day before which nothing was looked at; empty where all readings were. Nothing of a number that
    several companies bear: one's reading would be the other's change.
    """
    if versions.is_mixed(version.entity):
        return [], ""
    wanted = versions.Wanted(before=version.number + 1, limit=_MOST_VERSIONS)

    def shown(record: Record) -> Record:
        record = form(record)
        why = record.normalized.get("fieldAvailability") or {}
        not_compared = {field: WITHHELD if word == "hidden" else word for field, word in why.items()}
        return Record(record.data, {**record.normalized, "fieldAvailability": not_compared})

    history = versions.get_history(version.entity, wanted, form=shown)
    events = [event for step in history.steps for event in _of_step(step, shown)]
    oldest = history.steps[-1].older if history.more else None
    return events, (day(oldest.first_read_at) or "") if oldest is not None and oldest.number > 1 else ""


def in_order(events: list[Event]) -> Some[Event]:
    """The newest first; what has no day comes last."""
    ordered = sorted(events, key=lambda one: one.iso or "", reverse=True)
    return some(ordered, size=lambda one: weight(one.text, one.day) + _MARKUP, room=_ROOM, most=200, on_paper=_ON_PAPER)


def _of_step(step: versions.Step, form: Callable[[Record], Record]) -> Iterator[Event]:
    anew = step.newer.is_correction
    first, last = (_day_of(moment) for moment in (step.older.last_read_at, step.newer.first_read_at))
    between = day(last) if first == last else f"{day(first)} to {day(last)}"
    for text in _sentences(step, form):
        yield Event(between, last, text, "reader" if anew else "us")


def _sentences(step: versions.Step, form: Callable[[Record], Record]) -> Iterator[str]:
    """One for each thing that changed; the four parts of an address are one thing."""
    for address, changes in groupby(step.changes, key=lambda one: _address_of(one.path)):
        if address is None:
            yield from filter(None, map(_sentence, changes))
            continue
        older, newer = (
            one_line(form(versions.withheld(version)).data, address) for version in (step.older, step.newer)
        )
        yield _changed(_ADDRESSES[address], older, newer)


def _sentence(change: Change) -> str | None:
    if change.path in _FIELDS:
        return _changed(_FIELDS[change.path], change.before, change.after)
    if change.path in (_RECEIVER, f"{_RECEIVER}.name"):
        older, newer = (one.get("name") if isinstance(one, Mapping) else one for one in (change.before, change.after))
        return _changed("who gets legal papers", older, newer)
    found = _LISTED.fullmatch(change.path)
    if found is None:
        return None  # our reading of what is named above, or what the registry dates itself
    officers, names, who, part = found.groups()
    if part:
        return _changed(f"{part} of {clip(who, 200)}", change.before, change.after)
    if officers:
        listed, sign = change.before or change.after or {}, "is listed no more" if change.after is None else "is listed"
        title = clip(listed.get("title"), 100)
        return f"{clip(who, 200)}{f', {title},' if title else ''} {sign}"
    return f"{_NAMES[names]} {'gone' if change.after is None else 'new'}: {clip(who, 200)}"


def _changed(what: str, before: Any, after: Any) -> str:
    older, newer = (clip(value, 300) for value in (before, after))
    if older is None:
        return f"{what} new: “{newer}”"
    return f"{what} gone: “{older}”" if newer is None else f"{what} changed from “{older}” to “{newer}”"


def _address_of(path: str) -> str | None:
    found = _ADDRESS.fullmatch(path)
    return found[1] if found else None


def _day(written: Any) -> str | None:
    return clip(day(str(written)), 40) if written else None


def _iso(written: Any) -> str | None:
    text = str(written or "")
    return text[:10] if re.match(r"\d{4}-\d{2}-\d{2}", text) else None


def _day_of(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()
