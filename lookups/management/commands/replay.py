"""Reads the kept bytes behind lookups again and shows what today's reader makes of them, field by field."""

from __future__ import annotations

import uuid
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from billing.management.moments import parse_moment
from jurisdictions.codes import find_code
from lookups.evidence import replay
from lookups.evidence.replay import Comparison
from lookups.models import Lookup
from scrapers.evidence.replay import NotReplayed

SHOWN = 200  # characters of a value


class Command(BaseCommand):
    """`manage.py replay lk_… nc_…`, or `--state NY --since 2026-11-01`; `--correct` keeps what is read otherwise."""

    help = (
        "Read what registries answered again, with today's reader, and show the differences. No registry is asked."
        " With --correct a company whose bytes say something else now gets a further version, marked as read anew;"
        " what lookups said before stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("lookups", nargs="*", metavar="LOOKUP", help="lk_… or nc_…")
        parser.add_argument("--state", help="all of one state: NY, or its name")
        parser.add_argument(
            "--since", type=parse_moment, metavar="2026-11-01", help="all that was read from that day on"
        )
        parser.add_argument("--correct", action="store_true", help="keep what is read otherwise as a further version")

    def handle(self, *, lookups: list[str], state: str | None, since: datetime | None, correct: bool, **_: Any) -> None:
        """Go through them in the order in which they were asked."""
        if not (lookups or state or since):
            raise CommandError("Name lookups, or --state or --since.")
        if lookups and (state or since):
            raise CommandError("Name lookups, or choose them by --state and --since; not both.")
        code = None if state is None else find_code(state)
        if state is not None and code is None:  # also where a variable of the shell was empty
            raise CommandError(f"{state!r} is no state, district or territory of the United States.")
        results = Counter(self._go_through(lookup, correct) for lookup in _list(lookups, state=code, since=since))
        self.stdout.write(
            ", ".join(f"{number} {what}" for what, number in results.items()) or "Nothing is kept of any."
        )

    def _go_through(self, lookup: Lookup, correct: bool) -> str:
        assert lookup.reading is not None
        read = f"read {lookup.reading.read_at:%Y-%m-%d %H:%M} by {lookup.reading.reader_version}"
        title = f"{lookup.public_id} {lookup.state} {lookup.asked!r}, {read}"
        try:
            found = replay.compare(lookup)
        except NotReplayed as why:
            self.stdout.write(f"{title}: cannot be read again, {why}")
            return "cannot be read again"
        if not found.changes:
            self.stdout.write(f"{title}: the same")
            return "the same"
        self.stdout.write(f"{title}: differs")
        for change in found.changes:
            self.stdout.write(f"  {change.path}: {_short(change.before)} -> {_short(change.after)}")
        return self._correct(lookup, found) if correct else "different"

    def _correct(self, lookup: Lookup, found: Comparison) -> str:
        version = replay.correct(lookup, found)
        if version is None:
            self.stdout.write("  not corrected: no record of this company, or its registry was read again since")
            return "different and not corrected"
        self.stdout.write(f"  corrected: version {version.number} of {version.entity}")
        return "corrected"


def _list(names: list[str], *, state: str | None, since: datetime | None) -> Iterator[Lookup]:
    """The lookups that rest on something kept; of several that rest on the same and say the same, the first."""
    cited = Lookup.objects.filter(reading__isnull=False, verdict__isnull=False).order_by("pk")
    cited = cited.select_related("reading", "version__entity", "filing_set")
    if names:
        for name in names:
            yield _get(cited, name)
        return
    if state:
        cited = cited.filter(state=state)
    if since:
        cited = cited.filter(reading__read_at__gte=since)
    seen = set[tuple[Any, ...]]()
    for lookup in cited.iterator(chunk_size=100):
        what = (lookup.reading_id, lookup.version_id, lookup.filing_set_id)
        if what not in seen:
            seen.add(what)
            yield lookup


def _get(cited: QuerySet[Lookup], name: str) -> Lookup:
    try:
        found = cited.filter(ask_id=uuid.UUID(name.partition("_")[2])).first()
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"{name}: there is no such lookup, or nothing was kept of its conversation.")
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
