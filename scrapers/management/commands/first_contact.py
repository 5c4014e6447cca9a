"""Ask registries for their canaries, and write one page of what came of it: `manage.py first_contact`.

    manage.py first_contact                    every state that is on
    manage.py first_contact NY CO              these, also where they are off
    manage.py first_contact --others           also those that are off, but none whose owner forbids programs
    manage.py first_contact --only active      one question a state instead of up to five

One after the other, at each portal's own pace, under the service's own name. A state that answers as expected is
verified `live`. The page, the same as JSON, what the portals sent and proposed golden cases (people replaced) are in a
folder of their own. Ends with 1 unless every state that was asked was read as expected.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from scrapers import discovery
from scrapers.operations import canaries, contact
from scrapers.operations.contact import Contact
from scrapers.operations.contact_report import Report
from scrapers.portal import CanaryKind, ContactResult, Portal

_WIDTH = 24


class Command(BaseCommand):
    """See the module."""

    help = (
        "Ask registries for names that are known beforehand, and write one page of what came of it. A state that"
        " answers as expected is live from then on. Ends with 1 unless every state that was asked was read as expected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("states", nargs="*", metavar="STATE", help="two letters; all that are on, if none")
        parser.add_argument("--others", action="store_true", help="also those that are off")
        parser.add_argument("--only", action="append", choices=[kind.value for kind in CanaryKind], help="a question")
        parser.add_argument("--to", type=Path, help="the folder; a new one in VAR_DIR/first-contact, if none")
        parser.add_argument("--docs", action="store_true", help="also note the results for docs/states.md")

    def handle(self, *args: Any, **options: Any) -> None:
        began = timezone.now()
        portals = self._portals([code.upper() for code in options["states"]], others=options["others"])
        kinds = {CanaryKind(word) for word in options["only"] or CanaryKind}
        folder: Path = options["to"] or settings.VAR_DIR / "first-contact" / f"{began:%Y-%m-%d-%H%M%S}"
        try:
            report = Report(folder, began=began)
        except OSError as problem:
            raise CommandError(f"{folder} cannot be made: {problem.strerror}.") from problem
        results: list[ContactResult] = []
        bar = Bar(self.stderr, total=sum(len(kinds & canaries.list_questions(one).keys()) for one in portals))
        try:
            for one in contact.meet(portals, now=began, kinds=kinds, progress=bar.step):
                bar.clear()
                self.stdout.write(_line(one))
                report.add(one)
                results.append(one.result)
        finally:
            page = report.finish(ended=timezone.now())
            self.stdout.write(f"{len(results)} of {len(portals)} registries were asked: {page}")
        if options["docs"]:
            _note_for_docs(report)
        if set(results) - {ContactResult.READ, ContactResult.NOT_ASKED}:
            sys.exit(1)

    def _portals(self, named: list[str], *, others: bool) -> list[Portal]:
        if not named:
            return contact.list_portals(others=others)
        found = [discovery.find_portal(code) for code in named]
        if None in found:
            raise CommandError(f"No reader for {named[found.index(None)]}.")
        return [portal for portal in found if portal is not None]


class Bar:
    """How far it is: a bar that is drawn over itself at a terminal, and nothing elsewhere."""

    def __init__(self, out: Any, *, total: int) -> None:
        self._out, self._total, self._done = out, max(1, total), 0
        self._is_shown = bool(getattr(out, "isatty", lambda: False)())

    def step(self, state: str, kind: CanaryKind | None) -> None:
        """The next question is put."""
        if kind is None or not self._is_shown:
            return
        full = _WIDTH * self._done // self._total
        self._draw(f"[{'#' * full}{'.' * (_WIDTH - full)}] {self._done}/{self._total} {state} {kind.value}")
        self._done += 1

    def clear(self) -> None:
        """Make room for a line."""
        if self._is_shown:
            self._draw("")

    def _draw(self, text: str) -> None:
        self._out.write(f"\r{text:<60}\r" if not text else f"\r{text:<60}", ending="")
        self._out.flush()


def _line(one: Contact) -> str:
    words = "; ".join(dict.fromkeys(one.findings))
    live = " (live)" if one.is_live else ""
    return f"{one.portal.code} {one.result.value.replace('_', ' '):<10}{one.seconds:>7.1f} s{live}  {words or '-'}"


def _note_for_docs(report: Report) -> None:
    """Beside the results of earlier days: `states_page` makes a column of them."""
    path = Path(settings.BASE_DIR) / "docs" / "first-contact.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for row in report.states:
        if row["result"] != ContactResult.NOT_ASKED:
            day = datetime.fromisoformat(row["at"]).date().isoformat()
            known[row["state"]] = {"day": day, "result": row["result"]}
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
