"""What a page for everybody leaves out of a record: less is shown to strangers than to whoever bought the reading.

No federal number, and no street of a person: officers, and agents and receivers of papers who are not known to be
organizations. Two readings are compared in this form, too: a change shows nothing that a page would not.
"""

from __future__ import annotations

import re
from typing import Any

from lookups.privacy.suppression import Record, digits

HIDDEN = "hidden"
# What the federal government numbers people (3-2-4) and employers (2-7) by, wherever a registry has typed it.
_FEDERAL = re.compile(r"(?<![\w-])(?:\d{3}-\d{2}-\d{4}|\d{2}-\d{7})(?![\w-])")
_NOT_SHOWN = "[number not shown]"
_FEDERAL_KINDS = ("fein", "ein", "fei", "ssn", "tax")


def to_public(record: Record) -> Record:
    """The record as strangers may read it; what is left out of it is `hidden` in `fieldAvailability`."""
    number = digits(record.data.get("feiEinNumber"))
    data = {name: value if name in ("entityId", "sosUrl") else mask(value) for name, value in record.data.items()}
    normalized = {name: mask(value) for name, value in record.normalized.items()}
    why = normalized["fieldAvailability"] = {**(record.normalized.get("fieldAvailability") or {})}
    data["officers"] = [{**one, "address": None} for one in data.get("officers") or []]
    data["feiEinNumber"] = None
    normalized["identifiers"] = {
        kind: text
        for kind, text in (normalized.get("identifiers") or {}).items()
        if not any(part in kind.lower().split("_") for part in _FEDERAL_KINDS) and (digits(text) or "-") != number
    }
    agent = (normalized.get("registeredAgent") or {}).get("kind")
    receiver = (normalized.get("serviceOfProcess") or {}).get("kind")
    for prefix, is_person in (("registeredAgent", agent != "organization"), ("mailing", receiver == "person")):
        if is_person and data.get(f"{prefix}Address"):
            data[f"{prefix}Address"], why[f"{prefix}Address"] = None, HIDDEN
    return Record(data, normalized)


def mask(value: Any) -> Any:
    """A text, or all texts in a list or an object, without federal numbers."""
    if isinstance(value, str):
        return _FEDERAL.sub(_NOT_SHOWN, value)
    if isinstance(value, list):
        return [mask(one) for one in value]
    if isinstance(value, dict):
        return {name: mask(one) for name, one in value.items()}
    return value
