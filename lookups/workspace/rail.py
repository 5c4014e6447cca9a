"""The left rail of the workspace: what there is to do, for the role of who looks at it."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from billing.models import Member


class Place(NamedTuple):
    """One line of the rail. On a phone the first four stand at the bottom, the others behind "More"."""

    label: str
    name: str
    icon: str
    role: str = "viewer"


class Item(NamedTuple):
    """A place as the page shows it."""

    label: str
    url: str
    icon: str
    is_here: bool


PLACES = (
    Place("Ask", "workspace:ask", "search"),
    Place("Bulk", "workspace:bulk", "table"),
    Place("History", "workspace:history", "clock"),
    Place("Watches", "workspace:watches", "eye"),
    Place("Events", "workspace:events", "bell"),
    Place("Usage", "workspace:usage", "chart"),
    Place("Balance", "workspace:balance", "wallet", "admin"),
    Place("Keys", "workspace:keys", "key", "admin"),
    Place("Webhooks", "workspace:webhooks", "link", "admin"),
    Place("Team", "workspace:team", "people"),
    Place("Settings", "workspace:settings", "gear"),
)


def list_items(member: Member, *, path: str) -> list[Item]:
    """What this member may open; a place is here when the page lies below it."""
    found = [(place, reverse(place.name)) for place in PLACES if member.can(place.role)]
    here = max((url for _, url in found if path.startswith(url)), key=len, default="")
    return [Item(place.label, url, place.icon, url == here) for place, url in found]
