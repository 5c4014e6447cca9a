"""What a webhook says, in one shape: written with its event, and left so until somebody is left out of what it says."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

from lookups import bodies
from lookups.models import Delivery, Suppression
from lookups.privacy.suppression import KNOWN_WITHIN
from lookups.watches import bodies as watch_bodies


def new_id() -> str:
    """Name a message; every try of it carries the same, so that a receiver can tell a repetition."""
    return f"msg_{uuid.uuid4().hex}"


def write(*, message_id: str, event: str, livemode: bool, created_at: datetime, data: Any) -> bytes:
    """Return the body as it is signed and sent: `{"id", "type", "livemode", "created_at", "data"}`, in ASCII alone."""
    event_body = bodies.of_event(
        message_id=message_id, event=event, livemode=livemode, created_at=created_at, data=data
    )
    return json.dumps(event_body, separators=(",", ":"), allow_nan=False).encode()


def write_for(row: Delivery, data: Any) -> str:
    """The text of this message about `data`."""
    body = write(
        message_id=row.message_id, event=row.event, livemode=row.livemode, created_at=row.created_at, data=data
    )
    return body.decode()


def get_body(row: Delivery) -> str:
    """The text as it is shown and sent from now on; empty for a mail.

    It is that of the event, but where something was left out since, or so shortly before that whoever wrote it may not
    have known: then it is made anew of what may be shown.
    """
    if not Suppression.objects.active().filter(made_at__gte=row.created_at - KNOWN_WITHIN).exists():
        return row.body
    if row.watch_event is not None:
        return write_for(row, watch_bodies.of_event(row.watch_event))
    if row.job is not None and row.event == Delivery.Event.LOOKUP_COMPLETE:
        return write_for(row, bodies.of_job(row.job, row.job.request_id))
    return row.body  # numbers, a failure, a test: about nobody
