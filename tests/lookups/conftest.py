"""Customers with their keys, and New York's register as a server of our own."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import connection
from django.test import Client
from django.utils import timezone

from billing import accounts, keys, selectors
from billing.models import Account, ApiKey
from billing.selectors import Balance
from lookups.lookup import single_flight
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace
from tests.lookups import registry_server

PRICE = 314
NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@dataclass
class Customer:
    """An account with one key, and a client that sends it."""

    account: Account
    key: ApiKey
    secret: str

    def post(self, path: str, body: Any, **headers: str) -> Any:
        """Send a JSON body (or raw bytes) with the key."""
        raw = body if isinstance(body, bytes | str) else json.dumps(body)
        sent = {"x-api-key": self.secret} | {name.replace("_", "-"): value for name, value in headers.items()}
        kind = sent.pop("content-type", "application/json")
        return Client(raise_request_exception=False).post(path, raw, content_type=kind, headers=sent)

    def lookup(self, entity_name: str = "Acme Corp", state: str = "NY", headers: Any = None, **more: Any) -> Any:
        """POST /v1/lookup."""
        return self.post("/v1/lookup", {"entity_name": entity_name, "state": state, **more}, **(headers or {}))

    def get(self, path: str, **headers: str) -> Any:
        """GET with the key."""
        return Client(raise_request_exception=False).get(path, headers={"x-api-key": self.secret, **headers})

    def patch(self, path: str, body: Any) -> Any:
        """PATCH with the key."""
        raw = body if isinstance(body, bytes) else json.dumps(body)
        client = Client(raise_request_exception=False)
        return client.patch(path, raw, content_type="application/json", headers={"x-api-key": self.secret})

    @property
    def balance(self) -> Balance:
        """What the ledger says."""
        return selectors.get_balance(self.account.pk)


def anew() -> dict[str, str]:
    """An Idempotency-Key that nobody has used: what is sent with it is no repetition of what was asked before."""
    return {"idempotency_key": uuid.uuid4().hex}


def open_customer(*, mode: str = "live", kind: str = "user", name: str = "Acme") -> Customer:
    """A new account with the free lookups, and a key."""
    now = timezone.now()
    account = accounts.open_account(name=name, email="ops@acme.test", kind=kind, now=now)
    key, secret = keys.issue(account=account, name="server", mode=mode, now=now)
    return Customer(account, key, secret)


@pytest.fixture
def customer(switches: None) -> Customer:
    """A customer with ten free lookups and a live key."""
    return open_customer()


@pytest.fixture
def tester(switches: None) -> Customer:
    """A customer with a test key: the sandbox registry answers."""
    return open_customer(mode="test", name="Tester")


@pytest.fixture
def register(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[registry_server.Register]:
    """New York's register, reached instead of the real one, at a pace that no other test has used up.

    A question costs four requests and more, and each of them would wait a quarter of a second for its turn.
    """
    monkeypatch.setattr(NewYork, "pace", Pace(NewYork.pace.seconds / 40, NewYork.pace.concurrency))
    with registry_server.serving() as served:
        settings.PORTALS_URL = served.url
        settings.VAR_DIR = tmp_path
        if settings.REDIS_URL:
            redis.Redis.from_url(settings.REDIS_URL).delete("pace:turn:NY", "pace:slots:NY")
        served.rows = [registry_server.company("ACME CORP.", "100001"), registry_server.company("ZEBRA INC.", "100002")]
        yield served


@pytest.fixture
def at_once() -> Callable[..., list[Any]]:
    """Run callables in parallel threads; each gives its database connection back."""

    def run(*calls: Callable[[], Any]) -> list[Any]:
        def one(call: Callable[[], Any]) -> Any:
            try:
                return call()
            finally:
                connection.close()

        with ThreadPoolExecutor(len(calls)) as pool:
            return [future.result(60) for future in [pool.submit(one, call) for call in calls]]

    return run


def answers_when(register: registry_server.Register, condition: Callable[[], Any]) -> Callable[[], None]:
    """Run this beside the callers (`at_once`): the register keeps them all waiting until the condition is true."""
    answers = register.may_go = register.may_go or threading.Event()

    def wait() -> None:
        until = time.monotonic() + 60
        while not condition() and time.monotonic() < until:
            time.sleep(0.02)
        answers.set()

    return wait


@pytest.fixture
def come(monkeypatch: pytest.MonkeyPatch) -> list[single_flight.Ticket]:
    """Everybody who has come to ask a registry, or to wait for the one who asks the same, as they come."""
    seen: list[single_flight.Ticket] = []
    real = single_flight.join

    def noted(**asked: Any) -> single_flight.Ticket:
        seen.append(real(**asked))
        return seen[-1]

    monkeypatch.setattr(single_flight, "join", noted)
    return seen


def later(**by: float) -> datetime:
    """A moment after now."""
    return timezone.now() + timedelta(**by)
