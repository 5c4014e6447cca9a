"""The form a record has in the database: only what is there, in short keys of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapers.records import Address, EntityRecord, Filing, Officer


def to_plain(record: EntityRecord) -> dict[str, Any]:
    """A record as JSON-ready data without its empty fields."""
    plain: dict[str, Any] = {}
    for name in EntityRecord.__slots__:
        value = getattr(record, name)
        if isinstance(value, Address):
            parts = [value.street, value.city, value.state, value.zip, value.country]
            if any(parts):
                plain[name] = parts
        elif name == "filings":
            if value:
                plain[name] = [[filing.date, filing.title] for filing in value]
        elif name == "officers":
            if value:
                plain[name] = [_officer(one) for one in value]
        elif value not in (None, ()):
            plain[name] = list(value) if isinstance(value, tuple) else value
    return plain


def _officer(one: Officer) -> list[str | None]:
    further: list[str | None] = [one.kind, one.family] if one.family else [one.kind] if one.kind else []
    return [one.name, one.title, one.address, *further]


def from_plain(plain: Mapping[str, Any]) -> EntityRecord:
    """The record back from `to_plain`."""
    fields: dict[str, Any] = {}
    for name, value in plain.items():
        if name.endswith("_address"):
            fields[name] = Address(*value)
        elif name == "officers":
            fields[name] = tuple(Officer(*parts) for parts in value)
        elif name == "filings":
            fields[name] = tuple(Filing(*parts) for parts in value)
        else:
            fields[name] = tuple(value) if isinstance(value, list) else value
    return EntityRecord(**fields)
