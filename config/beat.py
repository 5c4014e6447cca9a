"""The clock of the service, which goes on when the machine's is set back, and when the disk is full.

Celery asks when a task was sent last. Where that is an hour ahead, nothing would be sent for an hour: no lost job taken
up again, no hold given back, no message tried again.
"""

from __future__ import annotations

import logging
from typing import Any

from celery.beat import PersistentScheduler

log = logging.getLogger(__name__)


class Scheduler(PersistentScheduler):
    """Celery's, which takes no time to come for the last."""

    def tick(self, *args: Any, **named: Any) -> float:
        """Send what is due; return the seconds until the next."""
        entries = list(self.schedule.values())
        ahead = [entry for entry in entries if entry.last_run_at and entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None  # it is ordered by the time of before
        return float(super().tick(*args, **named))

    def sync(self) -> None:
        """Note on the disk what was sent last; what is not noted is sent once more after the next start."""
        try:
            super().sync()
        except OSError as error:
            log.warning("What was sent last could not be noted: %s", error)
