"""Charges a second on one hot account and on 1,000 accounts, as a ratio to pgbench of the same statements.

    DATABASE_URL=postgres://user@host:5432/name python -m tests.bench.charge_rate [--seconds 10] [--clients 16]

Works in the database it is given (a throw-away one: ledger entries cannot be removed) and prints one line a measure.
Absolute numbers say what the machine is; the ratio says what our own code costs beside the same SQL.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from datetime import timedelta
from pathlib import Path

PROCESSES = 2

# What ledger.charge sends, statement by statement, with the values pgbench can make up
CHARGE = """
\\set account random(:first, :last)
BEGIN;
SELECT * FROM billing_account WHERE id = :account FOR NO KEY UPDATE;
SELECT * FROM billing_ledgerentry e LEFT JOIN billing_hold h ON h.id = e.hold_id
    WHERE e.account_id = :account AND e.idempotency_key = gen_random_uuid()::text ORDER BY e.id LIMIT 1;
INSERT INTO billing_ledgerentry (account_id, kind, amount, available_change, held_change, spent_change, available_after,
    held_after, spent_after, created_at, idempotency_key, fingerprint, reference, source, operator, reason, note,
    request_id, previous_hash, hash)
    SELECT id, 'charge', 314, -314, 0, 314, available - 314, held, spent + 314, now(), gen_random_uuid()::text,
    repeat('f', 64), 'bench', '', '', '', '', '', ledger_head, repeat('f', 64)
    FROM billing_account WHERE id = :account RETURNING id;
UPDATE billing_account SET available = available - 314, spent = spent + 314, deposited = deposited,
    budget_used = budget_used + 314, ledger_head = repeat('f', 64) WHERE id = :account;
COMMIT;
"""


def set_up() -> None:
    """Make Django ready and the tables there."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    os.environ.setdefault("LOG_LEVEL", "CRITICAL")  # money of nobody's is a difference, one line an entry
    import django

    django.setup()


def open_accounts(number: int) -> list[int]:
    """Open accounts with more credit than a run can spend; return their ids, which follow one another."""
    from django.db import transaction
    from django.utils import timezone

    from billing import accounts, ledger

    now, ids = timezone.now(), []
    with transaction.atomic():
        for each in range(number):
            account = accounts.open_account(name=f"bench {each}", now=now)
            ledger.deposit(account_id=account.pk, amount=10**12, idempotency_key="bench", source="bench", now=now)
            ids.append(account.pk)
    return ids


def charge_for(seconds: float, threads: int, ids: list[int], verb: str, results: multiprocessing.Queue[int]) -> None:
    """One process: charge random accounts from `threads` threads; put the number of charges into `results`."""
    import random

    from django.db import connection
    from django.utils import timezone

    from billing import ledger

    connection.close()
    end = time.monotonic() + seconds
    counts = [0] * threads

    def run(number: int) -> None:
        dice = random.Random()
        while time.monotonic() < end:
            now, name, account = timezone.now(), uuid.uuid4().hex, dice.choice(ids)
            if verb == "charge":
                ledger.charge(account_id=account, amount=314, idempotency_key=name, reference="bench", now=now)
            else:
                held = ledger.hold(
                    account_id=account,
                    amount=314,
                    idempotency_key=name,
                    reference="bench",
                    expires_at=now + timedelta(minutes=1),
                    now=now,
                )
                ledger.capture(hold_id=held.pk, now=now)
            counts[number] += 1
        connection.close()

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    results.put(sum(counts))


def our_rate(seconds: float, clients: int, ids: list[int], verb: str) -> float:
    """Return how often a second `verb` succeeds through our code."""
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[int] = context.Queue()
    each = max(1, clients // PROCESSES)
    workers = [context.Process(target=charge_for, args=(seconds, each, ids, verb, results)) for _ in range(PROCESSES)]
    start = time.monotonic()
    for worker in workers:
        worker.start()
    total = sum(results.get() for _ in workers)
    for worker in workers:
        worker.join()
    return total / (time.monotonic() - start)


def pgbench_rate(seconds: float, clients: int, ids: list[int]) -> float:
    """Return how often a second the same statements succeed when pgbench sends them."""
    from django.db import connection

    settings = connection.settings_dict
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "charge.sql"
        script.write_text(CHARGE)
        command = [
            "pgbench",
            "-n",
            "-f",
            str(script),
            "-T",
            str(int(seconds)),
            "-c",
            str(clients),
            "-j",
            str(PROCESSES),
            "-D",
            f"first={ids[0]}",
            "-D",
            f"last={ids[-1]}",
            "-h",
            settings["HOST"] or "127.0.0.1",
            "-p",
            str(settings["PORT"] or 5432),
            "-U",
            settings["USER"],
            settings["NAME"],
        ]
        environment = {**os.environ, "PGPASSWORD": settings["PASSWORD"] or ""}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found, done.stdout
    return float(found[1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=16)
    wanted = parser.parse_args()
    set_up()
    from django.core.management import call_command
    from django.db import connection

    if connection.vendor != "postgresql":
        sys.exit("Give a PostgreSQL database by DATABASE_URL: SQLite has no rate worth comparing.")
    call_command("migrate", verbosity=0)
    for name, number in (("one hot account", 1), ("1,000 accounts", 1000)):
        ids = open_accounts(number)
        connection.close()
        theirs = pgbench_rate(wanted.seconds, wanted.clients, ids)
        connection.close()
        for verb in ("charge", "hold and capture"):
            ours = our_rate(wanted.seconds, wanted.clients, ids, verb)
            say(f"{name}: {verb} {ours:,.0f}/s, pgbench charge {theirs:,.0f}/s, ratio {ours / theirs:.2f}")
    from django.utils import timezone

    from billing import reconciliation

    say(f"mismatches afterwards: {len(reconciliation.run(now=timezone.now()).mismatches)}")


def say(line: str) -> None:
    """Print one measure."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
