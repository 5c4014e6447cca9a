"""The states that the form offers: those that can be asked now, and those that cannot."""

from __future__ import annotations

from datetime import datetime

from jurisdictions.codes import PLACES, Place
from lookups import selectors


def list_choices(*, livemode: bool, now: datetime) -> tuple[list[Place], list[Place]]:
    """The states that can be asked, and those that cannot, both by name; the sandbox answers for all."""
    places = sorted(PLACES.values(), key=lambda place: place.name)
    if not livemode:
        return places, []
    can = {row["state"] for row in selectors.list_states(now=now) if row["available"]}
    return [place for place in places if place.code in can], [place for place in places if place.code not in can]
