"""Messages that call workers to their rows. The row is the truth: a call that is lost costs a moment."""

from __future__ import annotations

import logging
from typing import Any

from celery import current_app

log = logging.getLogger(__name__)


def call(task: str, *, queue: str, times: int = 1, **options: Any) -> None:
    """Have workers look. A broker that is down loses nothing: sweep and clock look at the rows by themselves."""
    try:
        for _ in range(times):
            current_app.send_task(f"lookups.tasks.{task}", queue=queue, retry=False, **options)
    except Exception:  # whatever the broker says, the row is written
        log.exception("The queue did not take a call of %s %s; the sweep makes up for it.", task, options)
