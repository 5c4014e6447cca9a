"""What customers are sent unasked: written down in the transaction that ends the work, sent by others afterwards.

A message exists exactly when its event has happened: it is committed with the event, or rolled back with it.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction

from billing import keys
from lookups import bodies
from lookups.jobs.calls import call
from lookups.models import BulkJob, Delivery, Job, Lookup
from lookups.notifications import webhook_events

Channel = Delivery.Channel
Event = Delivery.Event


def note_job(job_id: uuid.UUID, *, now: datetime) -> None:
    """A single job has ended, in the caller's transaction: write to its account, if that has an address for it.

    Not of what a person alone asked in the workspace, whose page shows it: no program of the customer knows of it.
    """
    asked = Job.objects.single().filter(pk=job_id)
    job = asked.select_related("account", "key", "lookup__version__entity", "lookup__filing_set").first()
    address = job.account.webhook_address(livemode=job.key.livemode) if job else ""
    if job is None or not address or (job.lookup.origin == Lookup.Origin.PAGE and not job.is_awaited):
        return
    event = Event.LOOKUP_COMPLETE if job.status == Job.Status.COMPLETE else Event.LOOKUP_FAILED
    data = bodies.of_job(job, job.request_id)
    write(_webhook(job, event, address, data, now=now, job=job))


def note_bulk(bulk_id: uuid.UUID, *, now: datetime) -> None:
    """A bulk job has ended, in the caller's transaction: write to whoever wanted to know.

    To no program of what a person asked in the workspace, as with a single job, or from a spreadsheet.
    """
    bulk = BulkJob.objects.select_related("account", "key", "hold").get(pk=bulk_id)
    event = Event.BULK_CANCELLED if bulk.cancelled_at else Event.BULK_COMPLETE
    rows = []
    livemode = bulk.key.livemode
    address = bulk.webhook_url or bulk.account.webhook_address(livemode=livemode)
    if address and not _is_of_a_person(bulk):
        data = bodies.of_bulk_end(bulk)
        rows.append(_webhook(bulk, event, address, data, now=now, bulk=bulk))
    if bulk.emails_results:
        mail = {"channel": Channel.EMAIL, "event": event, "address": bulk.account.email}
        row = Delivery(account=bulk.account, bulk=bulk, livemode=livemode, next_at=now, created_at=now, **mail)
        rows.append(row)
    write(*rows)


def _is_of_a_person(bulk: BulkJob) -> bool:
    return bulk.key.is_workspace or keys.is_for_spreadsheets(bulk.key)  # who asked may have left meanwhile


def wake() -> None:
    """Call a worker to what is due."""
    call("deliver", queue="upkeep")


def _webhook(
    ended: Job | BulkJob, event: Delivery.Event, address: str, data: Any, *, now: datetime, **about: Any
) -> Delivery:
    row = Delivery(
        account=ended.account,
        livemode=ended.key.livemode,
        channel=Channel.WEBHOOK,
        event=event,
        address=address,
        next_at=now,
        created_at=now,
        **about,
    )
    row.body = webhook_events.write_for(row, data)
    return row


def write(*rows: Delivery) -> None:
    """At most once for each event of a job: one that failed, was asked again and failed again has had its message."""
    assert transaction.get_connection().in_atomic_block, "An event and its message are committed together."
    if rows:
        Delivery.objects.bulk_create(rows, ignore_conflicts=True)
        transaction.on_commit(wake)
