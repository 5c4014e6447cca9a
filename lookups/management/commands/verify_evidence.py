"""Find out whether anybody changed the chain of evidence: `manage.py verify_evidence`.

Only reads, while the service runs. Prints the first thing that does not fit, if any; ends with 0 when there is none,
else with 1.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from lookups.evidence import chain


class Command(BaseCommand):
    """Reads every entry and every manifest."""

    help = "Read the whole chain of evidence, and say whether it is as it was written."

    def handle(self, **options: Any) -> None:
        """Print the difference, or that there is none."""
        difference = chain.find_difference()
        self.stdout.write(difference or "The chain of evidence is as it was written.")
        if difference is not None:
            sys.exit(1)
