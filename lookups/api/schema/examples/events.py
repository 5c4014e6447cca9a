"""What webhooks bring."""

from __future__ import annotations

from typing import Any

from lookups.api.schema.examples.bulk import CANCELLED, NUMBERS
from lookups.api.schema.examples.lookups import COMPLETE, FAILED
from lookups.api.schema.examples.making import BULK
from lookups.api.schema.examples.records import WHEN
from lookups.api.wire import bulk, events
from lookups.api.wire.words import EventType


def _event(kind: EventType, data: Any) -> events.Event:
    return events.Event(id="msg_3f0c9a6d0b7e4c5f8a1d2e3f4a5b6c7d", type=kind, livemode=True, created_at=WHEN, data=data)


LOOKUP_COMPLETE = _event(EventType.LOOKUP_COMPLETE, COMPLETE)
LOOKUP_FAILED = _event(EventType.LOOKUP_FAILED, FAILED)
BULK_COMPLETE = _event(EventType.BULK_COMPLETE, bulk.BulkEnded(**NUMBERS, poll_url=f"/v1/bulk-lookup/{BULK}"))
BULK_CANCELLED_EVENT = _event(EventType.BULK_CANCELLED, bulk.BulkEnded(**CANCELLED, poll_url=f"/v1/bulk-lookup/{BULK}"))
WEBHOOK_TEST = _event(
    EventType.WEBHOOK_TEST, events.SampleMessage(message="This is a test. Nothing happened and nothing was charged.")
)
