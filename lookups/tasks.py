"""What lookups do by the clock: thin doors to the functions that do it."""

from __future__ import annotations

import uuid
from typing import Any

from celery import shared_task
from django.utils import timezone

from lookups.api import replies
from lookups.services import bulk, bulk_queue, deliveries, flights, idempotency, job_runner, jobs, postman
from lookups.services.courier import courier


@shared_task(name="lookups.tasks.run_job")
def run_job(*, job_id: str, **_: Any) -> None:
    """Answer one job; the row says whether there is still anything to do."""
    job_runner.run(job_id=uuid.UUID(job_id), render=replies.to_body, now=timezone.now())


@shared_task(name="lookups.tasks.sweep_jobs")
def sweep_jobs(**_: Any) -> int:
    """Find the jobs that lost their message or their worker; returns how many were woken."""
    now = timezone.now()
    return job_runner.sweep(render=replies.to_body, now=now).woken + bulk_queue.sweep(now=now)


@shared_task(name="lookups.tasks.run_bulk")
def run_bulk(**_: Any) -> int:
    """Answer questions of bulk jobs until none is left; returns how many this thread answered."""
    return bulk_queue.work(render=replies.to_body, now=timezone.now())


@shared_task(name="lookups.tasks.deliver")
def deliver(**_: Any) -> None:
    """Send the webhooks and mails that are due: by the threads this process has for it, or by this one."""
    if courier.runs:
        courier.call()
        return
    while postman.send_next(now=timezone.now()):
        pass


@shared_task(name="lookups.tasks.prune")
def prune(**_: Any) -> int:
    """Forget landed flights, idempotency keys, jobs and what was told of them when their time is over; how many."""
    now = timezone.now()
    return sum(room.prune(now=now) for room in (flights, idempotency, jobs, bulk, deliveries))
