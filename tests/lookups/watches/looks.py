"""What a customer who watches does, and what the clock and the workers do meanwhile."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.test import Client
from django.utils import timezone

from lookups.bulk import queue
from lookups.models import Watch
from lookups.watches import ticking
from tests.lookups.conftest import Customer


def watch(customer: Customer, **asked: Any) -> dict[str, Any]:
    """POST /v1/watches; the watch that it made."""
    reply = customer.post("/v1/watches", asked)
    assert reply.status_code in (200, 201), reply.content
    made: dict[str, Any] = reply.json()["watch"]
    return made


def look(now: datetime | None = None) -> int:
    """What the clock and the bulk worker do: ask for what is due, and answer it."""
    moment = now or timezone.now()
    asked = ticking.tick(now=moment)
    queue.work(now=moment)
    return asked


def look_again(number: int = 1) -> None:
    """Every watch looks once more, right now."""
    for _ in range(number):
        Watch.objects.kept().filter(status="active").update(next_at=timezone.now())
        look()


def read_events(customer: Customer, query: str = "") -> list[dict[str, Any]]:
    """GET /v1/events."""
    reply = customer.get(f"/v1/events{query}")
    assert reply.status_code == 200, reply.content
    told: list[dict[str, Any]] = reply.json()["events"]
    return told


def codes(customer: Customer) -> list[str]:
    """What was told, in order."""
    return [event["code"] for event in read_events(customer)]


def read(customer: Customer, watch_id: str) -> dict[str, Any]:
    """GET /v1/watches/{watchId}."""
    reply = customer.get(f"/v1/watches/{watch_id}")
    assert reply.status_code == 200, reply.content
    told: dict[str, Any] = reply.json()["watch"]
    return told


def remove(customer: Customer, watch_id: str) -> Any:
    """DELETE /v1/watches/{watchId}."""
    return Client().delete(f"/v1/watches/{watch_id}", headers={"x-api-key": customer.secret})
