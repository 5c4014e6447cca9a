"""Customers who send real requests, remember every reply, and ask again with the same Idempotency-Key when cut off.

`python -m tests.failures.customers N` opens N accounts in the database it is given, as the service's operator would,
and prints them as JSON with a key of each mode: [{"account": 1, "secret": "osd_...", "test": "osd_test_..."}].
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests import plain_http
from tests.failures.registries import STATES

CREDIT = 10_000_000  # units of 1/10,000 USD
FINAL = (200, 202, 404)


@dataclass
class Call:
    """One question of a customer and the last reply to it; `status` is None while nobody has answered."""

    state: str
    name: str
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    status: int | None = None
    body: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    retry_after: int = 0

    @property
    def question(self) -> str:
        """As it stands in the statement."""
        return f"{self.state} {self.name}"


@dataclass
class Customer:
    """One account with one live key, asking one service; `mark` is in every name it asks for."""

    account: int
    secret: str
    url: str
    mark: str
    calls: list[Call] = field(default_factory=list)
    bulks: list[dict[str, Any]] = field(default_factory=list)
    _numbers: int = 0

    def questions(self, number: int, *, states: Sequence[str] = STATES, missing: int = 5) -> list[Call]:
        """So many questions nobody has asked before, over the states in turn; every `missing`-th company is unknown."""
        made = []
        for place in range(number):
            self._numbers += 1
            word = "Missing" if missing and place % missing == missing - 1 else "Petrel"
            name = f"{word} {self.mark} N{self._numbers:04} LLC"
            made.append(Call(states[self._numbers % len(states)], name))
        self.calls += made
        return made

    def ask(self, calls: Sequence[Call], *, at_once: int = 24, timeout: float = 30.0) -> list[Call]:
        """Send these questions, so many at once; a connection that breaks off leaves the call without a status."""
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda call: self._send(call, timeout), calls))
        return list(calls)

    def insist(self, calls: Sequence[Call], *, seconds: float = 40.0) -> None:
        """Repeat what has no final reply, with the same Idempotency-Key, until it has one."""
        deadline = time.monotonic() + seconds
        while open_ := [call for call in calls if call.status not in FINAL]:
            assert time.monotonic() < deadline, [(call.question, call.status, call.body) for call in open_]
            self.ask(open_)
            time.sleep(0.2)

    def ask_bulk(self, calls: Sequence[Call], *, seconds: float = 0.0, twice: int = 0, **more: object) -> None:
        """Send these questions as one bulk job; repeat it with the same Idempotency-Key for so long until it is taken.

        From then on the calls are the bulk job's, which tells of its rows. `twice`: so many of them stand in it twice;
        `more`: what else the request says.
        """
        rows = [{"entity_name": call.name, "state": call.state} for call in (*calls, *calls[:twice])]
        headers = self._headers() | {"idempotency-key": str(uuid.uuid4())}
        until = time.monotonic() + seconds
        while True:
            said: object = "no reply"
            with contextlib.suppress(httpx.HTTPError):
                body = {"entities": rows, "source": "live", **more}
                reply = plain_http.post(f"{self.url}/v1/bulk-lookup", json=body, headers=headers, timeout=30)
                if reply.status_code == 202:
                    break
                said = reply.text
            assert time.monotonic() < until, said
            time.sleep(0.3)
        self.calls = [call for call in self.calls if call not in calls]
        self.bulks.append({"id": reply.json()["job_id"], "calls": list(calls), "total": len(rows)})

    def read(self, path: str) -> httpx.Response:
        """GET with the key."""
        return plain_http.get(self.url + path, headers=self._headers(), timeout=30)

    def _send(self, call: Call, timeout: float) -> None:
        started = time.monotonic()
        try:
            reply = plain_http.post(
                f"{self.url}/v1/lookup",
                json={"entity_name": call.name, "state": call.state},
                headers=self._headers() | {"idempotency-key": call.key},
                timeout=timeout,
            )
            call.status, call.body = reply.status_code, reply.json()
            call.retry_after = int(reply.headers.get("retry-after", 0))
        except httpx.HTTPError:
            call.status, call.body = None, {}
        call.seconds = time.monotonic() - started

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self.secret}


def main(number: int) -> None:
    """Open accounts with credit and print them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from billing import accounts, keys, ledger

    call_command("migrate", interactive=False, verbosity=0)
    call_command("sync_jurisdictions", verbosity=0)
    opened, now = [], timezone.now()
    for _ in range(number):
        account = accounts.open_account(name="Storm", now=now)
        by = {"source": "staff", "operator": "dana"}
        ledger.deposit(account_id=account.pk, amount=CREDIT, idempotency_key="storm", now=now, **by)
        secret, test = (keys.issue(account=account, name="storm", mode=mode, now=now)[1] for mode in ("live", "test"))
        opened.append({"account": account.pk, "secret": secret, "test": test})
    sys.stdout.write(json.dumps(opened))


if __name__ == "__main__":
    main(int(sys.argv[1]))
