"""The clock of the service, which goes on when the machine's is set back, the disk full, or the broker away.

Celery asks when a task was sent last. Where that is an hour ahead, nothing would be sent for an hour: no lost job taken
up again, no hold given back, no message tried again. And it notes a task as sent before it sends it: one that the
broker did not take waited for its next time, which of the nightly ones is a day away, and of the weekly ones a week.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from shelve import Shelf
from time import monotonic
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry

log = logging.getLogger(__name__)
AGAIN_SECONDS = 15.0  # until what the broker did not take is sent again


class Notes(dict[bytes, bytes]):
    """What a shelf holds, in one file that is replaced as a whole.

    Which of the modules below `dbm` a Python has is its packager's choice: Debian's writes nothing before it is closed,
    so that a kill took all notes, and says nothing where the disk is full.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        kept: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        super().__init__({name.encode(): bytes.fromhex(packed) for name, packed in kept.items()})

    def sync(self) -> None:
        """Write all of it; raises OSError, and what was noted before stays."""
        draft = self._path.with_name(f"{self._path.name}.new")
        draft.write_text(json.dumps({name.decode(): packed.hex() for name, packed in self.items()}))
        os.replace(draft, self._path)


class Scheduler(PersistentScheduler):
    """Celery's, which takes no time to come for the last, and nothing for sent that the broker did not take."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self._refused: dict[str | None, ScheduleEntry] = {}
        self._again_at = 0.0
        self._notes = Path(named["schedule_filename"])
        super().__init__(*args, **named)

    def _open_schedule(self) -> Shelf[Any]:
        return Shelf(Notes(self._notes), writeback=True)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send a task; where the broker does not take it, again later."""
        log.info("Sending due task %s", entry.name)
        try:
            self.apply_async(entry, producer=producer, advance=False)
            self._refused.pop(entry.name, None)
        except Exception as error:  # whatever the broker says, the clock goes on
            log.warning("%s; it is sent again in %.0f seconds.", error, AGAIN_SECONDS)
            self._refused[entry.name] = entry
            self._again_at = monotonic() + AGAIN_SECONDS

    def tick(self, *args: Any, **named: Any) -> float:
        """Send what is due; return the seconds until the next."""
        entries = list(self.schedule.values())
        ahead = [entry for entry in entries if entry.last_run_at and entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None  # it is ordered by the time of before
        if self._refused and monotonic() >= self._again_at:
            for entry in list(self._refused.values()):
                self.apply_entry(entry)
                if entry.name in self._refused:
                    break  # it is still away: to try each takes as long as it is waited for
        return float(super().tick(*args, **named))

    def sync(self) -> None:
        """Note on the disk what was sent last; what is not noted is sent once more after the next start."""
        try:
            super().sync()
        except OSError as error:
            log.warning("What was sent last could not be noted: %s", error)
