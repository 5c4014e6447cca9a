"""What a webhook says: the kinds of events in one shape."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

from lookups import bodies


def new_id() -> str:
    """Name a message; every try of it carries the same, so that a receiver can tell a repetition."""
    return f"msg_{uuid.uuid4().hex}"


def write(*, message_id: str, event: str, livemode: bool, created_at: datetime, data: Any) -> bytes:
    """Return the body as it is signed and sent: `{"id", "type", "livemode", "created_at", "data"}`, in ASCII alone."""
    event_body = bodies.of_event(
        message_id=message_id, event=event, livemode=livemode, created_at=created_at, data=data
    )
    return json.dumps(event_body, separators=(",", ":"), allow_nan=False).encode()
