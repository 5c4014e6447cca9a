"""Write docs/name-rules.md from the rules in code; `--check` says whether it is current."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jurisdictions.codes import PLACES
from scrapers.naming_rules import RULES

HEAD = """# When two names are the same name

Generated from the code by `manage.py name_rules_page`; do not edit.

A name check compares names the way the state's filing office does. What is ignored does not tell two names apart;
capitals and accents never do. **rule**: from the state's own statute, regulation or guide, as cited. **assumed**:
no such rule was read; the general standard of the model acts is applied strictly, so that a name is rather
called taken than free. A filing office decides by more than this (restricted words, consent, judgement): a free name is
a good sign, not a promise.

| | jurisdiction | ignored | sure | source |
|---|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    rows = []
    for code in sorted(PLACES, key=lambda code: PLACES[code].name):
        rule = RULES[code]
        ignored = ", ".join(sorted(rule.ignored))
        rows.append(f"| {code} | {PLACES[code].name} | {ignored} | {rule.sure} | {rule.source} |")
    known = sum(1 for rule in RULES.values() if rule.sure == "rule")
    return HEAD + "\n".join(rows) + f"\n\n{len(RULES)} jurisdictions: {known} by rule, {len(RULES) - known} assumed.\n"


class Command(BaseCommand):
    """See the module."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is out of date")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.BASE_DIR) / "docs" / "name-rules.md"
        if not options["check"]:
            path.write_text(page(), encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != page():
            raise CommandError("docs/name-rules.md is out of date: run manage.py name_rules_page")
