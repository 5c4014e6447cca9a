"""Compare the books with all that they stand for, now: `manage.py reconcile`.

Only reads them, while the service runs. Prints one line for each difference that is open, with its name in the
runbook; ends with 0 when there is none, else with 1.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from billing import reconciliation, selectors


class Command(BaseCommand):
    """Reads every row, asks the card provider and the node, and keeps what it finds."""

    help = "Compare the ledger with top-ups, payments, lookups, the card provider and the chain."

    def handle(self, **options: Any) -> None:
        """Print the differences and a closing line."""
        done = reconciliation.run(now=timezone.now())
        for row in selectors.list_differences().order_by("pk"):
            seen = f"since {row.first_seen_at:%Y-%m-%d %H:%M}"
            self.stdout.write(f"{row.name}: {row.subject} {row.numbers} {seen}: {row.get_name_display()}")
        self.stdout.write(f"{done.accounts} accounts compared, {done.differences} differences are open.")
        if done.differences:
            sys.exit(1)
