"""`python -m tests.failures.sweeper`: one sweep in a process of its own, at the moment it is given a line.

Several of them do what several clocks do that were started by mistake: the same work at the same moment.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Get ready, wait for the line, sweep, and say what was found."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from django.db import connection

    from billing import tasks as billing_tasks
    from lookups import tasks as lookup_tasks

    connection.ensure_connection()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(f"{lookup_tasks.sweep_jobs()} {billing_tasks.expire_holds()}")


if __name__ == "__main__":
    main()
