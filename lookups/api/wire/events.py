"""What webhooks bring: one envelope, and the same data that is to be had by asking."""

from __future__ import annotations

from typing import Annotated, Any

from lookups.api.wire.bulk import BulkEnded
from lookups.api.wire.lookups import JobFailed, JobStatus
from lookups.api.wire.shape import LIVEMODE, Moment, Shape, about, either
from lookups.api.wire.words import EventType


class Event(Shape):
    """Something that happened."""

    id: Annotated[str, about("Names the event, and is the `webhook-id` header; every try carries the same.")]
    type: Annotated[EventType, about("What happened.")]
    livemode: Annotated[bool, LIVEMODE]
    created_at: Annotated[Moment, about("When it happened, UTC.")]
    data: Annotated[
        Any, either("What it is about.", "JobStatus", "JobFailed", "BulkEnded", "CompanyEvent", "SampleMessage")
    ]


class LookupCompleteEvent(Event):
    """A lookup that was answered later has its answer."""

    data: Annotated[JobStatus, about("The same body that the job's status answers.")]


class LookupFailedEvent(Event):
    """A lookup that was to be answered later could not be answered."""

    data: Annotated[JobFailed, about("The same body that the job's status answers.")]


class BulkEvent(Event):
    """A bulk job has ended, or was cancelled and what had begun has ended."""

    data: Annotated[BulkEnded, about("Its numbers, and where its rows are.")]


class SampleMessage(Shape):
    """Nothing happened."""

    message: Annotated[str, about("For people.")]


class WebhookTestEvent(Event):
    """Somebody pressed the test button."""

    data: Annotated[SampleMessage, about("Nothing happened, and nothing was charged.")]
