"""How close a bulk job of 1,000 companies of 20 states comes to the time its registries' own limits set.

    DATABASE_URL=... REDIS_URL=... python -m tests.bench.bulk_rate [--rows 1000] [--states 20] [--seconds 2]

Twenty registries, each a server that takes `--seconds` to answer and may be asked twice at once and once a second, as
every portal is by default. No queue cannot be faster than the slowest registry's share under those limits: the ratio to
that bound is what our own machinery costs. Works in the database it is given (a throw-away one).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from http.server import ThreadingHTTPServer

CODES = [
    "AL", "AK", "AZ", "CA", "CO", "CT", "DE", "FL", "GA", "HI",
    "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "NY",
]  # fmt: skip


def set_up() -> None:
    """Make Django ready and the tables there, in a folder of its own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    os.environ.setdefault("VAR_DIR", tempfile.mkdtemp(prefix="sos-lookup-bench-"))
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("sync_jurisdictions", verbosity=0)


def play_registries(url: str, codes: list[str]) -> None:
    """Have one reader answer for every state, each at its own pace, and all of them reach our server."""
    from django.conf import settings

    from jurisdictions import services
    from scrapers import registry
    from scrapers.families.socrata.new_york import NewYork

    portals = {code: type(f"Bench{code}", (NewYork,), {"code": code})() for code in codes}
    registry.find_portal = portals.get  # type: ignore[assignment]
    settings.PORTALS_URL = url
    for code in codes:
        services.enable(code=code)


def ask(rows: int, codes: list[str]) -> uuid.UUID:
    """Take a bulk job on for a new account that can pay for it."""
    from django.utils import timezone

    from billing import accounts, keys, ledger
    from lookups.models import BulkJob
    from lookups.questions import Question
    from lookups.services import bulk

    now = timezone.now()
    account = accounts.open_account(name="bench", now=now)
    ledger.deposit(account_id=account.pk, amount=10**7, idempotency_key="bench", source="bench", now=now)
    key, _ = keys.issue(account=account, name="bench", mode="live", now=now)
    wanted = [
        bulk.Wanted(Question(state=codes[number % len(codes)], name=f"Company N{number:05} Inc"))
        for number in range(rows)
    ]
    made = bulk.accept(
        wanted=wanted, key=key, accepts_stored=False, bulk_id=uuid.uuid4(), request_id="bench", now=timezone.now()
    )
    assert isinstance(made, BulkJob)
    return made.pk


def work(threads: int) -> float:
    """Answer what waits, with as many threads as the bulk worker has; return the seconds it took."""
    from django.db import connection
    from django.utils import timezone

    from lookups.api import replies
    from lookups.services import bulk_queue

    def one() -> None:
        bulk_queue.work(render=replies.to_body, now=timezone.now(), shift_seconds=3600)
        connection.close()

    started = time.monotonic()
    workers = [threading.Thread(target=one) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.monotonic() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=2.0)
    wanted = parser.parse_args()
    set_up()
    from django.utils import timezone

    from billing import reconciliation
    from lookups.models import BulkJob
    from lookups.services import bulk_progress, bulk_queue
    from scrapers.portal import Portal
    from tests.lookups import registry_server

    ThreadingHTTPServer.request_queue_size = 256
    codes = CODES[: wanted.states]
    bulk_queue.current_app.send_task = lambda *_, **__: None
    with registry_server.serving() as register:
        register.seconds = wanted.seconds
        register.rows = [
            registry_server.company(f"COMPANY N{number:05} INC.", str(500000 + number)) for number in range(wanted.rows)
        ]
        play_registries(register.url, codes)
        bulk_id = ask(wanted.rows, codes)
        took = work(bulk_queue.THREADS)
    made = BulkJob.objects.get(pk=bulk_id)
    progress, share = bulk_progress.get_progress(made), -(-wanted.rows // len(codes))
    bound = max(share * wanted.seconds / Portal.pace.concurrency, share * Portal.pace.seconds)
    failures = Counter((job.reply or {}).get("reason") for job in made.jobs.filter(status="failed"))
    sys.stdout.write(
        f"{wanted.rows} rows over {len(codes)} states: {took:.1f} s, bound {bound:.1f} s, ratio {took / bound:.2f}; "
        f"found {progress.found}, failed {dict(failures)}, asked {register.asked}, held afterwards "
        f"{made.hold.remaining if made.hold else 0}, "
        f"mismatches {len(reconciliation.run(now=timezone.now()).mismatches)}\n"
    )


if __name__ == "__main__":
    main()
