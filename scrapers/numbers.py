"""Numbers of companies as people and registries write them: one form of each, to see whether two are the same."""

from __future__ import annotations

from scrapers import discovery
from scrapers.refusals import QueryRefused


def read(number: str, *, state: str, sandbox: bool = False) -> str:
    """The number as its registry is asked for it, in small letters; what cannot be one of its numbers, as it is."""
    portal = discovery.find_portal(state, sandbox=sandbox)
    try:
        return (portal.check_id(number) if portal is not None else number.strip()).casefold()
    except QueryRefused:
        return number.strip().casefold()
