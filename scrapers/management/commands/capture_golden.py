"""Save the raw pages of one real question, and the answer they give, for a person to review.

    manage.py capture_golden NY "Acme Corp" --situation active --replace "REAL PERSON=JORDAN SAMPLE"

Writes tests/golden/NY/active-proposed/, with the people replaced that its reader finds. The companies in the project's
own cases are fictional: replace names, read every field against the registry's page, then rename the folder. Never run
by a test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from scrapers import discovery
from scrapers.operations import conversation, golden_proposals
from scrapers.records import Query

SECONDS = 60.0


class Command(BaseCommand):
    """See the module."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", help="two letters")
        parser.add_argument("name", help="the company to ask for")
        parser.add_argument("--situation", default="active", help="what the case shows, for its folder's name")
        parser.add_argument("--replace", action="append", default=[], metavar="OLD=NEW", help="swap a text")
        parser.add_argument("--to", type=Path, default=Path(settings.BASE_DIR) / "tests" / "golden")

    def handle(self, *args: Any, **options: Any) -> None:
        portal = discovery.find_portal(options["state"].upper())
        if portal is None:
            raise CommandError(f"No reader for {options['state']}.")
        if not all("=" in pair for pair in options["replace"]):
            raise CommandError("--replace wants OLD=NEW.")
        query = Query(portal.code, name=options["name"])
        seen = conversation.hold(portal, query, seconds=SECONDS, with_copy=False)
        made = golden_proposals.propose(
            portal,
            query,
            seen,
            folder=options["to"] / portal.code / f"{options['situation']}-proposed",
            texts=dict(pair.split("=", 1) for pair in options["replace"]),
        )
        if made.folder is None:
            raise CommandError(f"Nothing is saved: {made.why_not}{f' ({seen.failure})' if seen.failure else ''}.")
        self.stdout.write(f"{made.pages} pages in {made.folder}. Review every field, then rename the folder.")
