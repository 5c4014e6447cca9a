"""Identifiers in the shapes of the wire."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from lookups.api.wire.identifiers import shapes
from lookups.api.wire.shape import fill
from lookups.identities import attaching
from lookups.models import Identifiers, Lookup
from lookups.privacy import suppression

WITHHELD = {"status": "withheld"}
UNFINISHED = {"status": "unavailable", "reason": "down"}  # the process ended before it had looked


def of_lookup(lookup: Lookup) -> shapes.Identifiers | UnsetType:
    """What a reply has of them; nothing where they were not asked for, or no company was found."""
    if not attaching.is_wanted(lookup):
        return UNSET
    row: Identifiers | None = getattr(lookup.repeats or lookup, "identifiers", None)
    if row is None:
        return fill(shapes.Identifiers, {"lei": UNFINISHED, "cik": {"status": "unavailable"}})
    return of_row(row)


def of_row(row: Identifiers) -> shapes.Identifiers:
    """What was found."""
    return fill(shapes.Identifiers, withhold(row))


def withhold(row: Identifiers) -> dict[str, Any]:
    """What was found as it is kept; nothing of a company that somebody has asked to be left out."""
    if not suppression.has_page(row.entity) or suppression.names_anyone(row.name, state=row.entity.state):
        return {"lei": WITHHELD, "cik": WITHHELD}
    return {"lei": row.lei, "cik": row.cik}
