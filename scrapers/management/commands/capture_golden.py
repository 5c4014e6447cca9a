"""Save the raw pages of one real question, and the answer they give, for a person to review.

    manage.py capture_golden NY "Acme Corp" --situation active --replace "REAL PERSON=JORDAN SAMPLE"
    manage.py capture_golden --lookup lk_… --situation layout-changed
    manage.py capture_golden --reading 4711

The first asks the registry; the others take the pages that were kept of a lookup, or of a reading by its number.

Writes tests/golden/NY/active-proposed/, with the people replaced that its reader finds. The companies in the project's
own cases are fictional: replace names, read every field against the registry's page, then rename the folder. Never run
by a test.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from scrapers import discovery
from scrapers.evidence import readings, replay
from scrapers.evidence.replay import NotReplayed
from scrapers.models import Reading
from scrapers.operations import conversation, golden_proposals
from scrapers.operations.conversation import Conversation
from scrapers.portal import Portal
from scrapers.records import Query

SECONDS = 60.0


class Command(BaseCommand):
    """See the module."""

    help = "Save the pages of one real question and the answer they give, with people replaced, for a person to review."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", nargs="?", help="two letters")
        parser.add_argument("name", nargs="?", help="the company to ask for")
        parser.add_argument("--lookup", metavar="LOOKUP", help="take the pages that this lookup rests on")
        parser.add_argument("--reading", type=int, metavar="N", help="take the pages of this reading")
        parser.add_argument("--situation", default="active", help="what the case shows, for its folder's name")
        parser.add_argument("--replace", action="append", default=[], metavar="OLD=NEW", help="swap a text")
        parser.add_argument("--to", type=Path, default=Path(settings.BASE_DIR) / "tests" / "golden")

    def handle(self, *args: Any, **options: Any) -> None:
        if not all("=" in pair for pair in options["replace"]):
            raise CommandError("--replace wants OLD=NEW.")
        kept = options["lookup"] or options["reading"]
        if bool(kept) == bool(options["state"]) or bool(options["state"]) != bool(options["name"]):
            raise CommandError("Say a state and a name, or --lookup, or --reading.")
        portal, query, seen = _recall(options) if kept else _ask(options["state"].upper(), options["name"])
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


def _ask(state: str, name: str) -> tuple[Portal, Query, Conversation]:
    portal = discovery.find_portal(state)
    if portal is None:
        raise CommandError(f"No reader for {state}.")
    query = Query(portal.code, name=name)
    return portal, query, conversation.hold(portal, query, seconds=SECONDS, with_copy=False)


def _recall(options: dict[str, Any]) -> tuple[Portal, Query, Conversation]:
    reading = _find_reading(options["lookup"], options["reading"])
    if reading is None:
        raise CommandError("There is no such lookup or reading, or nothing was kept of it.")
    if reading.sandbox or reading.kind == "name_check":
        raise CommandError("Cases are of records of real registries, not of the sandbox or of names that are free.")
    try:
        portal = replay.get_portal(reading)
        return portal, readings.to_query(reading), conversation.recall(portal, reading)
    except NotReplayed as why:
        raise CommandError(f"Nothing is saved: {why}.") from why


def _find_reading(lookup: str | None, number: int) -> Reading | None:
    if lookup is None:
        return Reading.objects.filter(pk=number).first()
    try:
        return Reading.objects.filter(lookups__ask_id=uuid.UUID(lookup.partition("_")[2])).first()
    except ValueError:
        return None
