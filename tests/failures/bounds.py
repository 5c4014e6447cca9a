"""What a caller may count on when something is away: a reply in time, in the one shape, that says when to come again.

A bound is the time-outs of the service on the way of the question, added up; `BUSY` is what a machine that does much
else may add to that.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpx

from tests import plain_http
from tests.failures.books import wait_until
from tests.failures.customers import Call

BUSY = 15.0  # seconds
CONNECT = 5.0  # until a connection to PostgreSQL is given up
LIVE = 1.0  # in which /livez answers
PROBE = 5.0 + CONNECT + 2.0  # in which the others do: an old connection, a new one, the broker


@dataclass(frozen=True)
class Signs:
    """What the service says of itself. `missing`: what /readyz names; `health`: the body of /v1/health."""

    ready: int
    missing: list[str]
    health_status: int
    health: dict[str, Any]


def read_signs(url: str) -> Signs:
    """Ask all three; /livez answers in a second, whatever is away, and the others in their time."""
    wait_until(lambda: lives(url), what="the web server says within a second that it lives", seconds=10)
    ready, seconds = get(url, "/readyz")
    assert seconds < PROBE + BUSY, f"/readyz took {seconds:.1f} s"
    health, seconds = get(url, "/v1/health")
    assert seconds < PROBE + BUSY, f"/v1/health took {seconds:.1f} s"
    for reply in (ready, health):
        if reply.status_code != 200:
            assert_come_again(reply)
    details = ready.json().get("details") or {}
    return Signs(ready.status_code, sorted(details), health.status_code, health.json())


def lives(url: str) -> bool:
    """Whether /livez answers in time; one try of a few is enough where a machine is busy."""
    try:
        return plain_http.get(f"{url}/livez", timeout=LIVE).status_code == 200
    except httpx.TimeoutException:
        return False


def get(url: str, path: str, **headers: str) -> tuple[httpx.Response, float]:
    """A reply, and how many seconds it took."""
    started = time.monotonic()
    reply = plain_http.get(url + path, headers=headers, timeout=120)
    return reply, time.monotonic() - started


def assert_come_again(reply: httpx.Response) -> None:
    """503 in the one shape of an error, with the seconds to wait."""
    assert (reply.status_code, reply.headers["content-type"]) == (503, "application/json"), reply.text
    assert int(reply.headers["retry-after"]) >= 1
    body = reply.json()
    assert (body["success"], body["retryable"], body["cost"]) == (False, True, 0)
    assert body["requestId"] == reply.headers["x-request-id"]


def assert_put_off(calls: Iterable[Call], *, within: float, statuses: tuple[int, ...] = (503,)) -> None:
    """Every one of these calls was answered in time, and told to come again (or what else the story allows)."""
    for call in calls:
        assert call.status in statuses, (call.status, call.body)
        assert call.seconds < within + BUSY, f"{call.question}: {call.seconds:.1f} s"
        if call.status == 503:
            assert call.retry_after >= 1
            assert (call.body["success"], call.body["retryable"], call.body["cost"]) == (False, True, 0)
            assert call.body["requestId"]
