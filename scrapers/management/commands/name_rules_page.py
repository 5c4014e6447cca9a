"""Write docs/name-rules.md from the rules in code; `--check` says whether it is current."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.name_rules import designators
from scrapers.name_rules.rules import RULES

HEAD = """# When two names are the same name

Generated from the code by `manage.py name_rules_page`; do not edit.

A name check compares names the way the state's filing office does. What is ignored does not tell two names apart;
capitals and accents never do. **rule**: from the state's own statute, regulation or guide, as cited. **part**: only a
part of it was read. **assumed**: no such rule was read. For what was not read the general standard of the model acts
is applied strictly, so that a name is rather called taken than free. A filing office decides by more than this
(restricted words, consent, judgment): a free name is a good sign, not a promise.

**own check**: the registry has an availability search of its own, which is asked too and given as `registryVerdict`;
when it says no, the name is not available.

| | jurisdiction | ignored | sure | source | own check |
|---|---|---|---|---|---|
"""
FORMS = """
## What a name must show

As read; elsewhere the reply's `designatorNote` says what is usual.

| | corporation | LLC | limited partnership |
|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    rows = []
    for code in sorted(PLACES, key=lambda code: PLACES[code].name):
        rule = RULES[code]
        ignored = ", ".join(sorted(rule.ignored))
        portal = discovery.find_portal(code)
        own = "yes" if portal and portal.own_name_check else ""
        rows.append(f"| {code} | {PLACES[code].name} | {ignored} | {rule.sure} | {rule.source} | {own} |")
    known = Counter(rule.sure for rule in RULES.values())
    counts = f"{known['rule']} by rule, {known['part']} in part, {known['assumed']} assumed"
    return HEAD + "\n".join(rows) + f"\n\n{len(RULES)} jurisdictions: {counts}.\n" + forms()


def forms() -> str:
    """The table of legal forms."""
    kinds = (designators.CORPORATION, designators.LLC, designators.PARTNERSHIP)
    rows = []
    for code in sorted({code for kind in kinds for code in kind}):
        cells = [f"{kind[code][0]} ({kind[code][1]})" if code in kind else "" for kind in kinds]
        rows.append(f"| {code} | " + " | ".join(cells) + " |")
    return FORMS + "\n".join(rows) + "\n"


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
