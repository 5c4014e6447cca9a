"""What a webhook says: five kinds of events in one shape."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lookups.lookup.storage import wire_time

TYPES = ("lookup.complete", "lookup.failed", "bulk.complete", "bulk.cancelled", "webhook.test")


def new_id() -> str:
    """Name a message; every try of it carries the same, so that a receiver can tell a repetition."""
    return f"msg_{uuid.uuid4().hex}"


def write(*, message_id: str, event: str, livemode: bool, created_at: datetime, data: Mapping[str, Any]) -> bytes:
    """Return the body as it is signed and sent: `{"id", "type", "livemode", "created_at", "data"}`, in ASCII alone."""
    if event not in TYPES:
        raise ValueError(f"No such event: {event}.")
    head = {"id": message_id, "type": event, "livemode": livemode, "created_at": wire_time(created_at)}
    return json.dumps({**head, "data": data}, separators=(",", ":"), allow_nan=False).encode()
