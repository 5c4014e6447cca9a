"""Save the raw pages of one real question, and the answer they give, for a person to review.

    manage.py capture_golden NY "Acme Corp" --situation active --replace "REAL PERSON=JORDAN SAMPLE"

Writes tests/golden/NY/active-proposed/. The companies in the project's own cases are fictional: replace names, read
every field against the registry's page, then rename the folder. Never run by a test.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from scrapers import discovery, gateway
from scrapers.failures import PortalError
from scrapers.plain import tell, tell_error
from scrapers.portal import Portal
from scrapers.records import Query
from scrapers.search.pipeline import ask
from scrapers.transport.recording import Recorder, save_steps
from scrapers.transport.session import PortalSession

SECONDS = 60.0


class Command(BaseCommand):
    """See the module."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", help="two letters")
        parser.add_argument("name", help="the company to ask for")
        parser.add_argument("--situation", default="active", help="what the case shows, for its folder's name")
        parser.add_argument("--replace", action="append", default=[], metavar="OLD=NEW", help="swap a person's name")
        parser.add_argument("--to", type=Path, default=Path(settings.BASE_DIR) / "tests" / "golden")

    def handle(self, *args: Any, **options: Any) -> None:
        portal = discovery.find_portal(options["state"].upper())
        if portal is None:
            raise CommandError(f"No reader for {options['state']}.")
        if not all("=" in pair for pair in options["replace"]):
            raise CommandError("--replace wants OLD=NEW.")
        folder = options["to"] / portal.code / f"{options['situation']}-proposed"
        recorder = Recorder()
        expected = self._ask(portal, options["name"], recorder)
        if not recorder.steps:
            raise CommandError(f"Nothing was reached, so nothing is saved: {expected['reason']}.")
        swaps = dict(pair.split("=", 1) for pair in options["replace"])
        save_steps(
            folder, recorder.steps, question={"name": options["name"]}, provenance="recorded-shape", replace=swaps
        )
        text = json.dumps(expected, indent=1, ensure_ascii=False)
        for old, new in swaps.items():
            text = text.replace(old, new)
        (folder / "expected.json").write_text(text + "\n", encoding="utf-8")
        self.stdout.write(f"{len(recorder.steps)} pages in {folder}. Review every field, then rename the folder.")

    def _ask(self, portal: Portal, name: str, recorder: Recorder) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        session = PortalSession(
            portal=portal.code,
            hosts=portal.hosts,
            settings=gateway.transport_settings(),
            pace=portal.pace,
            pacer=gateway.get_pacer(portal),
            deadline=deadline,
            adapter=recorder,
        )
        try:
            query = Query(portal.code, name=name)
            answer = ask(portal, session, query, now=timezone.now(), threshold=settings.MATCH_THRESHOLD)
            return tell(answer, portal, state=portal.code)
        except PortalError as error:
            return tell_error(error)
        finally:
            session.close()
