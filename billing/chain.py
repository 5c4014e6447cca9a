"""The chain of an account's entries: each carries a hash over all that it says and over the hash before it.

Whoever changes, removes or slips in an entry would have to write every later one of that account anew, and still be
contradicted by the anchors (`billing.anchors`). Entries are chained an account at a time, under the lock that a verb
holds anyway; nothing waits for another account.

What is hashed (SHA-256, as hex) is a JSON object in ASCII without spaces: `form` and every column that has a value
(not NULL, not empty), by name in alphabetical order, but `hash` itself; times in UTC to the microsecond. `id` and
`hold_id` stand last, because the database numbers them while it writes. A column that is added later and empty in
older entries leaves their hashes as they are; any other change of this text needs a new form.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from django.db import models

FORM = 1
APART = ("id", "hold_id", "hash")
HASH = {
    # What the database computes when it writes an entry; `hash_of` is the same in Python.
    "sqlite": "SHA256({text})",
    "postgresql": "encode(sha256(convert_to({text}, 'UTF8')), 'hex')",
}


def hash_of(entry: models.Model) -> str:
    """Return the hash that an entry must carry, from what it says now."""
    hold_id = getattr(entry, "hold_id", None)
    end = "}" if hold_id is None else f',"hold_id":{hold_id}}}'
    return hashlib.sha256(f"{text_before_id(entry)}{entry.pk}{end}".encode()).hexdigest()


def text_before_id(entry: models.Model) -> str:
    """Return what is hashed up to the entry's own number."""
    said: dict[str, Any] = {"form": FORM}
    for field in entry._meta.concrete_fields:
        value = field.get_prep_value(getattr(entry, field.attname))
        if field.attname in APART or value is None or value == "":
            continue
        said[field.attname] = as_text(value) if isinstance(value, datetime) else value
    return json.dumps(said, separators=(",", ":"), sort_keys=True)[:-1] + ',"id":'


def as_text(moment: datetime) -> str:
    """Return a moment as it is hashed, the same from every time zone."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
