"""A customer who gets messages, and whoever delivers them: what the stories of webhooks and mails have in common."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils import timezone

from lookups.bulk import queue
from lookups.jobs import runner
from lookups.models import Delivery, Job
from lookups.notifications import sending
from tests.lookups.conftest import Customer
from tests.lookups.webhook_receiver import Receiver, Request


def listen_at(customer: Customer, receiver: Receiver) -> str:
    """The account names the receiver as its address of the key's mode (the API takes public ones only)."""
    address = f"http://127.0.0.1:{receiver.port}/hooks?of=acme"
    column = "webhook_url" if customer.key.livemode else "test_webhook_url"
    type(customer.account).objects.filter(pk=customer.account.pk).update(**{column: address})
    return address


def end_jobs() -> None:
    """What workers do with single jobs."""
    for job in Job.objects.filter(bulk__isnull=True):
        runner.run(job_id=job.pk, now=timezone.now())


def end_bulk() -> None:
    """What workers do with bulk jobs."""
    queue.work(now=timezone.now())


def deliver(now: datetime | None = None) -> int:
    """What the threads that send do: all that is due at `now`; returns how many were sent."""
    number = 0
    while sending.send_next(now=now or timezone.now()):
        number += 1
    return number


def write_messages(customer: Customer, number: int) -> list[Delivery]:
    """So many messages that wait to be sent to the customer's account."""
    now = timezone.now()
    about = {"channel": "webhook", "event": "webhook.test", "body": "{}", "next_at": now, "created_at": now}
    whose = {"account": customer.account, "livemode": customer.key.livemode}
    return [Delivery.objects.create(**whose, **about) for _ in range(number)]


def body_of(request: Request) -> Any:
    """The body of a webhook."""
    return json.loads(request.body)


def only() -> Delivery:
    """The one delivery there is."""
    return Delivery.objects.get()


def wait_for(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    """Return when the condition holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
