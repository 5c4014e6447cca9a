"""What a watch tells, in one shape for who asks, for webhooks and for mails; and the table of what it can be."""

from __future__ import annotations

from typing import Annotated, Any

from lookups.api.wire.entities import Evidence
from lookups.api.wire.events import Event
from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, Moment, Shape, about
from lookups.api.wire.watching.words import EventCategory, PauseReason, Severity
from lookups.api.wire.words import WatchEventCode


class WatchedChange(Shape):
    """One difference between two readings."""

    path: Annotated[str, about("Where: `data.status`, `data.officers[JORDAN DOE].title`.")]
    before: Annotated[Any, about("What the reading before said; null: it was not there.")]
    after: Annotated[Any, about("What the reading after said; null: it is not there.")]
    withheld: Annotated[bool, about("True: both are left out at the request of a person they are about.")]


class ReadingEvidence(Shape):
    """The reading that says so."""

    lookupId: Annotated[str, LOOKUP_ID]
    url: Annotated[str, about("Where its whole reply is told again, from the root of this host.")]
    evidence: Annotated[Evidence | None, about("Where, when and what was read.")]


class EventEvidence(Shape):
    """Both readings."""

    before: Annotated[ReadingEvidence | None, about("That showed what was; null where none did.")]
    after: Annotated[ReadingEvidence | None, about("That showed what is; null where nothing was read.")]


class CompanyEvent(Shape):
    """Something that happened to a watched company, or to the watch itself."""

    id: Annotated[str, about("Names the event.")]
    livemode: Annotated[bool, LIVEMODE]
    watchId: Annotated[str, about("The watch that saw it.")]
    ref: Annotated[str | None, about("Your own mark of the watch.")]
    state: Annotated[str, about("The jurisdiction.")]
    entityId: Annotated[str | None, about("The state's identifier.")]
    entityName: Annotated[str | None, about("The name as the registry wrote it last.")]
    category: Annotated[EventCategory, about("What it belongs to.")]
    code: Annotated[WatchEventCode, about("What happened: a word of `GET /v1/events/taxonomy`.")]
    severity: Annotated[Severity, about("How much it matters.")]
    meaning: Annotated[str, about("The same for people.")]
    reason: Annotated[PauseReason | None, about("Of a watch that was paused: why.")]
    changes: Annotated[list[WatchedChange], about("What differs; none where the watch tells of itself.")]
    evidence: Annotated[EventEvidence, about("The readings that say so.")]
    createdAt: Annotated[Moment, about("When it was seen, UTC.")]


class EventList(Shape):
    """A page of events."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    events: Annotated[list[CompanyEvent], about("The oldest first.")]
    nextCursor: Annotated[
        str, about("Send it as `cursor` for what comes after these, also later: no event is missed, none comes twice.")
    ]
    more: Annotated[bool, about("Whether there are others already.")]


class TaxonomyCode(Shape):
    """One thing that can happen."""

    code: Annotated[WatchEventCode, about("Its word.")]
    category: Annotated[EventCategory, about("What it belongs to; `unchanged` and `paused` are the watch's own.")]
    severity: Annotated[Severity, about("How much it matters.")]
    meaning: Annotated[str, about("What it means.")]


class Taxonomy(Shape):
    """All that can happen."""

    success: Annotated[bool, about("Always true.")]
    version: Annotated[int, about("Grows when a code is added; what a code means never changes.")]
    codes: Annotated[list[TaxonomyCode], about("By category.")]


class WatchMessage(Event):
    """A watched company changed; or it was read and has not; or the watch is paused."""

    data: Annotated[CompanyEvent, about("The same event that `GET /v1/events` lists.")]
