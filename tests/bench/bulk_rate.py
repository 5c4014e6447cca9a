"""How close a bulk job of 1,000 companies of 20 states comes to the time its registries' own limits set.

    DATABASE_URL=... REDIS_URL=... python -m tests.bench.bulk_rate [--rows 1000] [--states 20] [--seconds 2]

Twenty registries, each read by its own reader from its golden pages (`tests.bench.many_companies`). A lookup takes
`--seconds` at its registry however many requests it makes (each of k requests takes a k-th), two lookups at a time and
`--pace` seconds between two requests. No queue can be faster than the slowest registry's share under those limits, with
the requests a lookup really makes: the ratio to that bound is what our own machinery costs. One process with as many
threads as the bulk worker has plays the worker; `--threads` for another number, `--processes` for several workers that
share them (PostgreSQL and Redis). Works in the database it is given (a throw-away one).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from typing import TYPE_CHECKING

from celery import current_app

if TYPE_CHECKING:
    from scrapers.transport.pace import Pace
    from tests.bench.many_companies import Registries


def set_up() -> None:
    """Make Django ready, in a folder of its own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    os.environ.setdefault("VAR_DIR", tempfile.mkdtemp(prefix="sos-lookup-bench-"))
    import django

    django.setup()


def make_tables() -> None:
    """Make the tables and the states' rows."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("sync_jurisdictions", verbosity=0)


def rehearse(registries: Registries, wanted: int, pace: Pace) -> dict[str, int]:
    """Switch states on whose reader finds the marked company; the requests a lookup makes, by state."""
    from django.utils import timezone

    from jurisdictions import services
    from scrapers import discovery, gateway
    from scrapers.failures import PortalError
    from scrapers.records import Found, Query
    from scrapers.transport.pace import Pace
    from tests.bench.many_companies import golden_companies, numbered

    requests: dict[str, int] = {}
    for code, company in sorted(golden_companies().items()):
        portal = discovery.find_portal(code)
        if portal is None or len(requests) == wanted:
            continue
        portal.pace = Pace(0.0, 2)  # type: ignore[misc]
        services.enable(code=code)
        before = registries.asked
        try:
            query = Query(state=code, name=numbered(company, 0))
            reply = gateway.fetch(query, now=timezone.now(), budget_seconds=20)
        except PortalError as error:
            sys.stderr.write(f"{code} is left out: {error}\n")
            continue
        if isinstance(reply.answer, Found) and "Q00000" in reply.answer.record.entity_name.upper():
            requests[code] = registries.asked - before
            portal.pace = pace  # type: ignore[misc]
    return requests


def ask(rows: int, codes: list[str]) -> uuid.UUID:
    """Take a bulk job on for a new account that can pay for it."""
    from django.utils import timezone

    from billing import accounts, keys, ledger
    from lookups.bulk import bulk_jobs
    from lookups.lookup.questions import Question
    from lookups.models import BulkJob
    from lookups.operations import heartbeats
    from tests.bench.many_companies import golden_companies, numbered

    heartbeats.Pulse(heartbeats.Role.BULK).start()  # this process is the worker without whom no bulk is taken on
    while not heartbeats.is_at_work(heartbeats.Role.BULK):
        time.sleep(0.1)
    now, companies = timezone.now(), golden_companies()
    account = accounts.open_account(name="bench", now=now)
    by = {"source": "staff", "operator": "bench"}
    ledger.deposit(account_id=account.pk, amount=10**7, idempotency_key="bench", now=now, **by)
    key, _ = keys.issue(account=account, name="bench", mode="live", now=now)
    wanted = [
        bulk_jobs.Wanted(
            Question(state=codes[number % len(codes)], name=numbered(companies[codes[number % len(codes)]], number + 1))
        )
        for number in range(rows)
    ]
    made = bulk_jobs.accept(
        wanted=wanted, key=key, accepts_stored=False, bulk_id=uuid.uuid4(), request_id="bench", now=timezone.now()
    )
    assert isinstance(made, BulkJob)
    return made.pk


def work(threads: int) -> float:
    """Answer what waits, with as many threads as the bulk worker has; return the seconds it took."""
    from django.db import connection
    from django.utils import timezone

    from lookups.bulk import queue

    def one() -> None:
        queue.work(now=timezone.now(), shift_seconds=3600)
        connection.close()

    started = time.monotonic()
    workers = [threading.Thread(target=one) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.monotonic() - started


def work_in_processes(number: int, threads: int) -> float:
    """The same threads shared out over so many processes, each with an interpreter lock of its own."""
    from django.db import connections

    connections.close_all()
    started = time.monotonic()
    helpers = [
        multiprocessing.get_context("fork").Process(target=work, args=(threads // number,)) for _ in range(number - 1)
    ]
    for helper in helpers:
        helper.start()
    work(threads // number)
    for helper in helpers:
        helper.join()
    return time.monotonic() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--pace", type=float, default=0.25)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    wanted = parser.parse_args()
    set_up()
    from django.conf import settings
    from django.utils import timezone

    from billing import reconciliation
    from lookups.bulk import progress, queue
    from lookups.models import BulkJob, Lookup
    from lookups.verdicts import ANSWERED
    from scrapers import discovery
    from scrapers.transport.pace import Pace
    from tests.bench.many_companies import Registries

    registries = Registries()  # before anything starts a thread
    make_tables()
    current_app.send_task = lambda *_, **__: None
    settings.PORTALS_URL = registries.url
    try:
        requests = rehearse(registries, wanted.states, Pace(wanted.pace, 2))
        hosts = {code: portal.hosts for code in requests if (portal := discovery.find_portal(code)) is not None}
        registries.slow_down({host: wanted.seconds / requests[code] for code in hosts for host in hosts[code]})
        bulk_id = ask(wanted.rows, list(requests))
        asked, busy = registries.asked, time.process_time()
        took = work_in_processes(wanted.processes, wanted.threads or queue.THREADS)
        asked, busy = registries.asked - asked, time.process_time() - busy
    finally:
        registries.close()
    made = BulkJob.objects.get(pk=bulk_id)
    progress, share = progress.get_progress(made), -(-wanted.rows // len(requests))
    bound = max(max(share * wanted.seconds / 2, share * count * wanted.pace) for count in requests.values())
    unanswered = Lookup.objects.rows_of(made).exclude(verdict__in=ANSWERED)
    failures = Counter(reason or verdict for verdict, reason in unanswered.values_list("verdict", "reason"))
    sys.stdout.write(
        f"{wanted.rows} rows over {len(requests)} states ({' '.join(f'{c}:{n}' for c, n in requests.items())}): "
        f"{took:.1f} s, bound {bound:.1f} s, ratio {took / bound:.2f}; "
        f"CPU {busy:.1f} s, load {os.getloadavg()[0]:.1f}; "
        f"found {progress.found}, not found {progress.not_found}, failed {dict(failures)}, requests {asked}, "
        f"held afterwards {made.hold.remaining if made.hold else 0}, "
        f"mismatches {len(reconciliation.run(now=timezone.now()).mismatches)}\n"
    )


if __name__ == "__main__":
    main()
