"""The `webhooks` of the document: what customers' servers are sent, signed and repeated until they take it."""

from __future__ import annotations

from typing import Any

from lookups.api.schema.components import refer
from lookups.api.schema.examples import events as events_examples
from lookups.api.watches import examples as watches_examples
from lookups.api.wire.events import BulkEvent, Event, LookupCompleteEvent, LookupFailedEvent, WebhookTestEvent
from lookups.api.wire.shape import to_plain
from lookups.api.wire.watching.events import WatchMessage
from lookups.api.wire.words import EventType

EVENTS: dict[EventType, tuple[type[Event], str, Event]] = {
    EventType.LOOKUP_COMPLETE: (LookupCompleteEvent, "A job was answered", events_examples.LOOKUP_COMPLETE),
    EventType.LOOKUP_FAILED: (LookupFailedEvent, "A job could not be answered", events_examples.LOOKUP_FAILED),
    EventType.BULK_COMPLETE: (BulkEvent, "A bulk job has ended", events_examples.BULK_COMPLETE),
    EventType.BULK_CANCELLED: (BulkEvent, "A cancelled bulk job has ended", events_examples.BULK_CANCELLED_EVENT),
    **{kind: (WatchMessage, *about) for kind, about in watches_examples.MESSAGES.items()},
    EventType.WEBHOOK_TEST: (WebhookTestEvent, "The test button was pressed", events_examples.WEBHOOK_TEST),
}
_HEADERS = {
    "webhook-id": "Names the event; every try carries the same.",
    "webhook-timestamp": "When this try was made, epoch seconds.",
    "webhook-signature": "`v1,` and base64 of HMAC-SHA256 over id, timestamp and body; several have blanks between.",
    "x-request-id": "The request that asked for the work; none with a test.",
}
_SOMETIMES = "x-request-id"


def build() -> dict[str, Any]:
    """Every event by its type."""
    return {kind.value: {"post": _operation(kind, *about)} for kind, about in EVENTS.items()}


def _operation(kind: EventType, shape: type[Event], summary: str, example: Event) -> dict[str, Any]:
    return {
        "operationId": "on" + kind.value.title().replace(".", ""),
        "tags": ["Webhooks"],
        "summary": summary,
        "description": "Any 2xx says that it has arrived; everything else is repeated for three days (a test is not).",
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": name != _SOMETIMES,
                "description": about,
                "schema": {"type": "string"},
            }
            for name, about in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": refer(shape),
                    "examples": {"event": {"value": to_plain(example)}},
                }
            },
        },
        "responses": {"2XX": {"description": "It has arrived."}},
    }
