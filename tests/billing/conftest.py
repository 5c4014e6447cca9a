"""What billing's tests share: a fixed moment, accounts with credit, and parallel callers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from billing import accounts, keys, ledger
from billing.models import Account, ApiKey

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def account(db: None) -> Account:
    """A customer with the ten free lookups."""
    return accounts.open_account(name="Acme", email="ops@acme.test", kind="user", now=NOW)


@pytest.fixture
def internal(db: None) -> Account:
    return accounts.open_account(name="Ourselves", email="", kind="internal", now=NOW)


@pytest.fixture
def key(account: Account) -> ApiKey:
    return keys.issue(account=account, name="server", now=NOW)[0]


@pytest.fixture
def hold(account: Account) -> Callable[..., Any]:
    """Hold an amount on the account; each call under a key of its own unless told otherwise."""
    made = iter(range(1000))

    def make(amount: int = 314, **named: Any) -> Any:
        named = {
            "account_id": account.pk,
            "idempotency_key": f"hold-{next(made)}",
            "reference": "lookup",
            "expires_at": LATER,
            "now": NOW,
            **named,
        }
        return ledger.hold(amount=amount, **named)

    return make


def in_parallel(work: Callable[[int], Any], times: int, threads: int = 8) -> list[Any]:
    """Run `work(number)` that many times over `threads` threads, each with a connection of its own."""

    def run(number: int) -> Any:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(times)))


def count_waiting() -> int:
    """How many wait for a lock of this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction sees else what it saw first
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def somebody_waits() -> bool:
    """Whether somebody waits for a lock of this database."""
    return count_waiting() > 0


def set_once_somebody_waits(may_go: threading.Event) -> str:
    """Set the event as soon as somebody waits for a lock; whether that was seen, in words."""
    until = time.monotonic() + 60
    while not somebody_waits():
        if time.monotonic() > until:
            return "nobody waits"
        time.sleep(0.02)
    may_go.set()
    return "seen"
