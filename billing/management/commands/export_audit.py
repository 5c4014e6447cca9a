"""Write the audit log as JSON lines, the oldest event first: `manage.py export_audit > audit.jsonl`.

    manage.py export_audit --since 2026-11-01     what was done since (UTC)

Each line has every column of an event under its own name, `hash` and `previous_hash` among them, so that the chain can
be followed without the database (docs/runbook.md has the rule). Only reads.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from billing import chain
from billing.management.moments import parse_moment
from billing.models import AuditEvent


class Command(BaseCommand):
    """One JSON object a line."""

    help = "Write the audit log as JSON lines to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        """From when on."""
        parser.add_argument("--since", type=parse_moment, help="A day or moment in UTC, as 2026-11-01T13:00.")

    def handle(self, *, since: datetime | None, **options: Any) -> None:
        """Write every event, a batch at a time."""
        events = AuditEvent.objects.order_by("pk")
        if since:
            events = events.filter(at__gte=since)
        for event in events.values().iterator(chunk_size=2000):
            line = {**event, "at": chain.as_text(event["at"])}
            self.stdout.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
