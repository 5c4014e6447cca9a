"""What lookups do by the clock: thin doors to the functions that do it."""

from __future__ import annotations

import uuid
from typing import Any

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from billing.members import links, sessions, team
from jurisdictions import turns
from jurisdictions.clock import now_at_most
from lookups import idempotency
from lookups.bulk import drafts, queue
from lookups.demo import forgetting
from lookups.evidence import chain, heads, readings
from lookups.jobs import lifecycle, runner
from lookups.lookup import single_flight
from lookups.notifications import deliveries, sending
from lookups.notifications.sender_threads import sender
from lookups.operations import daily, heartbeats
from lookups.privacy import removal_requests
from lookups.watches import digest, ticking
from lookups.workspace import mail


@shared_task(name="lookups.tasks.run_job")
def run_job(*, job_id: str, **_: Any) -> None:
    """Answer one job; the row says whether there is still anything to do."""
    runner.run(job_id=uuid.UUID(job_id), now=timezone.now())


@shared_task(name="lookups.tasks.sweep_jobs")
def sweep_jobs(**_: Any) -> int:
    """Find the jobs that lost their message or their worker; returns how many were woken."""
    now = timezone.now()
    return runner.sweep(now=now).woken + queue.sweep(now=now)


@shared_task(name="lookups.tasks.run_bulk")
def run_bulk(**_: Any) -> int:
    """Answer questions of bulk jobs and watches until none is left; returns how many this thread answered."""
    return queue.work(now=timezone.now())


@shared_task(name="lookups.tasks.tick_watches")
def tick_watches(**_: Any) -> int:
    """Look at the watched companies whose time has come, and write the daily mails; returns how many were asked."""
    now = timezone.now()
    _, asked = turns.do_each(digest.write_due, ticking.tick, now=now)
    return int(asked)


@shared_task(name="lookups.tasks.deliver")
def deliver(**_: Any) -> None:
    """Send the webhooks and mails that are due: by the threads this process has for it, or by this one."""
    if sender.runs:
        sender.call()
        return
    while sending.send_next(now=timezone.now()):
        pass


@shared_task(name="lookups.tasks.mail_entrance")
def mail_entrance(**_: Any) -> int:
    """Mail the sign-in links and invitations that wait; returns how many the server took."""
    return mail.send_waiting(now=timezone.now())


@shared_task(name="lookups.tasks.chain_evidence")
def chain_evidence(**_: Any) -> int:
    """Write the chain of manifests on; returns by how many entries."""
    return chain.append()


@shared_task(name="lookups.tasks.head_evidence")
def head_evidence(**_: Any) -> None:
    """Sign the chain's head once an hour, and have it time-stamped where the operator has named an authority."""
    heads.make(now=timezone.now())
    heads.stamp(now=timezone.now())


@shared_task(name="lookups.tasks.prune")
def prune(**_: Any) -> int:
    """Delete what has ended (fetches, jobs, messages, requests) when its time is over; returns how many rows.

    Also counts the days that are over.
    """
    kept = (
        single_flight,
        idempotency,
        lifecycle,
        deliveries,
        heartbeats,
        removal_requests,
        readings,
        drafts,
        sessions,
        links,
        team,
        forgetting,
    )
    SessionStore.clear_expired()
    _, *pruned = turns.do_each(daily.keep_days, *(one.prune for one in kept), now=now_at_most())
    return sum(pruned)
