"""How long a bulk worker's thread looks for its next row, by how many rows are open: it counts them every time.

    python -m tests.bench.queue_look [--accounts 50] [--rows 1000]

Starts a PostgreSQL of its own. After each tenth of the accounts has sent a bulk request (over four states), the median
of fifty looks, and the share of it that the database took.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import uuid

from tests.engines import programs, servers

LOOKS = 50
STATES = ("NY", "CO", "PA", "OR")


def look() -> tuple[float, float]:
    """Milliseconds of a look, and of its statements."""
    from django.db import connection
    from django.utils import timezone

    from lookups.bulk import queue

    took, asked = [], []
    for _ in range(LOOKS):
        in_database = 0.0

        def watch(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
            nonlocal in_database
            began = time.perf_counter()
            try:
                return execute(sql, params, many, context)
            finally:
                in_database += time.perf_counter() - began

        began = time.perf_counter()
        with connection.execute_wrapper(watch):
            turn, _ = queue.look(now=timezone.now())
        took.append((time.perf_counter() - began) * 1000)
        asked.append(in_database * 1000)
        assert turn is not None
    return statistics.median(took), statistics.median(asked)


def ask(rows: int) -> None:
    """A bulk request of a new account that can pay for it."""
    from django.utils import timezone

    from billing import accounts, keys, ledger
    from lookups.bulk import bulk_jobs
    from lookups.lookup.questions import Question
    from lookups.models import BulkJob

    now = timezone.now()
    account = accounts.open_account(name="bench", now=now)
    ledger.deposit(account_id=account.pk, amount=10**8, idempotency_key="bench", source="bench", now=now)
    key, _ = keys.issue(account=account, name="bench", mode="live", now=now)
    wanted = [bulk_jobs.Wanted(Question(state=STATES[row % 4], name=f"Heron {row} LLC")) for row in range(rows)]
    how = {"accepts_stored": False, "bulk_id": uuid.uuid4(), "request_id": "bench", "now": now}
    assert isinstance(bulk_jobs.accept(wanted=wanted, key=key, **how), BulkJob)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accounts", type=int, default=50)
    parser.add_argument("--rows", type=int, default=1000)
    wanted = parser.parse_args()
    found = programs.find_programs()
    if found is None:
        sys.exit("PostgreSQL and Redis are not on this machine.")
    with servers.running(found) as addresses, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": addresses.database_url, "VAR_DIR": folder, "LOG_LEVEL": "ERROR"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
        import django
        from celery import current_app

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from lookups.models import Job
        from lookups.operations import heartbeats

        call_command("migrate", verbosity=0)
        call_command("sync_jurisdictions", verbosity=0)
        current_app.send_task = lambda *_, **__: None
        heartbeats.is_at_work = lambda _: True
        for account in range(wanted.accounts):
            ask(wanted.rows)
            if (account + 1) % max(1, wanted.accounts // 10) == 0:
                connection.cursor().execute("ANALYZE lookups_job")
                whole, database = look()
                sys.stdout.write(f"{Job.objects.count():7,} open rows: {whole:6.1f} ms, database {database:6.1f} ms\n")
                sys.stdout.flush()
        connection.close()


if __name__ == "__main__":
    main()
