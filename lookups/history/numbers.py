"""Numbers of companies as people and registries write them: one form of each, to see whether two are the same."""

from __future__ import annotations

from scrapers import discovery
from scrapers.portal import Portal
from scrapers.refusals import QueryRefused


def read(number: str, *, state: str, sandbox: bool) -> str:
    """The number as its registry is asked for it, in small letters; what cannot be one of its numbers, as it is."""
    portal = find_portal(state, sandbox=sandbox)
    try:
        return (portal.check_id(number) if portal is not None else number).casefold()
    except QueryRefused:
        return number.casefold()


def find_portal(state: str, *, sandbox: bool) -> Portal | None:
    """Who reads the registry of a state; None where no program can."""
    return discovery.get_sandbox(state) if sandbox else discovery.find_portal(state)
