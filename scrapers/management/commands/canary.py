"""Ask each registry for one known company and tell what happened: `manage.py canary`, or `manage.py canary NY CO`.

A state that answers as expected becomes verified `live`. Asks even those that are switched off when they are named;
without names only those that are on. One question a state, one after the other.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from jurisdictions import selectors
from scrapers import discovery
from scrapers.operations import canary
from scrapers.portal import Portal


class Command(BaseCommand):
    """See the module."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("states", nargs="*", metavar="STATE", help="two letters; all that are on, if none")

    def handle(self, *args: Any, **options: Any) -> None:
        portals = self._portals([code.upper() for code in options["states"]])
        self.stdout.write(
            f"{'state':<6}{'reached':<9}{'wall':<6}{'parsed':<8}{'time':>6}  unread labels, or what went wrong"
        )
        good = 0
        for portal in portals:
            result = canary.try_canary(portal, now=timezone.now())
            good += result.parsed
            words = [_yes(result.reached), _yes(result.wall), _yes(result.parsed)]
            self.stdout.write(
                f"{result.state:<6}{words[0]:<9}{words[1]:<6}{words[2]:<8}{result.seconds:>5.1f}s  "
                f"{result.detail or result.unread_labels or '-'}"
            )
        self.stdout.write(f"{good} of {len(portals)} answered as expected.")

    def _portals(self, named: list[str]) -> list[Portal]:
        if not named:
            on = {row.code for row in selectors.list_jurisdictions() if row.enabled}
            return [portal for portal in discovery.list_portals() if portal.code in on]
        found = [discovery.find_portal(code) for code in named]
        if None in found:
            raise CommandError(f"No reader for {named[found.index(None)]}.")
        return [portal for portal in found if portal is not None]


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
