"""From what the service knows to the shapes of the wire: the one place that knows both.

A lookup, a job or a bulk job is said in the same words whether it is asked for, sent by webhook, mailed or exported.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from billing import money, prices
from lookups.api.wire import bulk as wire_bulk
from lookups.api.wire import events, lookups, names, service
from lookups.api.wire.entities import Entity
from lookups.api.wire.errors import EntityNotFound, doc_url
from lookups.api.wire.filings import UccData
from lookups.api.wire.shape import Shape, fill, to_plain
from lookups.api.wire.words import BulkState, EventType, JobState, RowState, Source
from lookups.bulk.progress import get_progress
from lookups.jobs.endings import find_ending
from lookups.lookup.outcomes import Accepted, Delivered, Judged
from lookups.lookup.storage import wire_time
from lookups.models import BulkJob, BulkRow, Job, StoredAnswer

POLL_MS = 3000  # how often a waiting client should ask
_WAITING = {"pending": RowState.QUEUED, "processing": RowState.PROCESSING}


def of_delivery(outcome: Delivered) -> lookups.EntityReply | lookups.UccReply:
    """An answer that was sold: a company, or UCC filings."""
    answer = outcome.answer
    as_of = answer.entity.data_as_of if answer.entity else answer.as_of or answer.retrieved_at
    receipt: dict[str, Any] = {
        "success": True,
        "cost": money.to_json_number(outcome.cost),
        "source": Source.LIVE if asked_now(outcome) else Source.CACHE,
        "cached": not asked_now(outcome),
        "stale": False,
        "dataAsOf": wire_time(as_of),
        "total_results": answer.total,
        "state_scraper_version": answer.version,
        "scraper_built_at": answer.built_at,
        "note": answer.note or None,
        **_left(outcome.balance),
    }
    if answer.kind == "ucc":
        return fill(lookups.UccReply, receipt, data=of_filings(answer))
    data = of_entity(outcome)
    return fill(lookups.EntityReply, receipt, data=data, **({} if asked_now(outcome) else {"entity": data}))


def of_entity(outcome: Delivered) -> Entity:
    """The company: the state's own text in flat fields, our reading under `normalized`."""
    answer, entity = outcome.answer, outcome.answer.entity
    assert entity is not None
    return fill(
        Entity,
        entity.data,
        scrapedAt=wire_time(entity.retrieved_at),
        cached=not asked_now(outcome),
        cacheExpiresAt=wire_time(outcome.expires_at) if outcome.expires_at else None,
        relatedResults=answer.related,
        entityPageUrl=entity.page_url,
        normalized={**entity.normalized, "match": answer.match},
        evidence=entity.evidence,
    )


def of_filings(answer: StoredAnswer) -> UccData:
    """The UCC filings."""
    return fill(UccData, {"filings": answer.filings, "totalResults": answer.total, "evidence": answer.evidence})


def asked_now(outcome: Delivered) -> bool:
    """Whether the registry itself was asked for this answer: a stored record or a loaded register is a copy."""
    return outcome.live and not outcome.answer.evidence.get("fromRegister", False)


def of_verdict(outcome: Judged) -> names.NameReply:
    """A name check."""
    from_copy = outcome.verdict["evidence"]["fromRegister"]
    return fill(
        names.NameReply,
        outcome.verdict,
        success=True,
        cost=money.to_json_number(outcome.cost),
        data_source=Source.CACHE if from_copy else Source.LIVE,
        **_left(outcome.balance),
    )


def of_acceptance(outcome: Accepted) -> lookups.Accepted:
    """A lookup that is answered later."""
    return lookups.Accepted(
        success=True,
        async_=True,
        jobId=outcome.job_id,
        message="This registry answers slowly. Ask statusUrl for the result.",
        pollInterval=POLL_MS,
        estimatedSeconds=outcome.estimated_seconds,
        statusUrl=status_url(outcome.job_id),
    )


def of_running_job(job: Job, *, now: datetime) -> lookups.JobStatus:
    """A job that nobody has answered yet; the estimate shrinks, and never says zero."""
    gone = int((now - job.created_at).total_seconds())
    return lookups.JobStatus(
        success=True,
        jobId=job.public_id,
        status=JobState(job.status),
        pollInterval=POLL_MS,
        estimatedSeconds=max(1, job.estimated_seconds - gone),
    )


def of_job(job: Job, request_id: str) -> lookups.JobStatus | lookups.JobFailed:
    """A job that has ended."""
    return _complete(job) if job.status == Job.Status.COMPLETE else _failed(job, request_id)


def of_bulk(bulk: BulkJob) -> wire_bulk.BulkSummary:
    """The numbers of a bulk job."""
    return wire_bulk.BulkSummary(**_numbers(bulk))


def of_bulk_page(bulk: BulkJob, rows: list[BulkRow], *, more: bool) -> wire_bulk.BulkPage:
    """Its numbers with some of its rows; `more`: there are others after them."""
    return wire_bulk.BulkPage(
        **_numbers(bulk),
        results=[of_row(row) for row in rows],
        next_cursor=str(rows[-1].index) if more else None,
    )


def of_bulk_end(bulk: BulkJob) -> wire_bulk.BulkEnded:
    """Its numbers, as its webhook has them."""
    return wire_bulk.BulkEnded(**_numbers(bulk), poll_url=poll_url(bulk))


def of_accepted_bulk(bulk: BulkJob) -> wire_bulk.BulkAccepted:
    """A bulk job that was taken on."""
    return wire_bulk.BulkAccepted(
        job_id=bulk.public_id, status=BulkState.QUEUED, total=bulk.total, poll_url=poll_url(bulk)
    )


def of_row(row: BulkRow) -> wire_bulk.BulkRow:
    """One row's result. A row that repeats another has its data and costs nothing."""
    job, reply, ending = row.job, row.job.reply or {}, find_ending(row.job)
    pays = reply.get("success") and job.position == row.index
    return wire_bulk.BulkRow(
        index=row.index,
        ref=row.ref,
        entity_name=row.entity_name,
        state=row.state,
        status=_WAITING.get(job.status) or RowState(ending.facts.row if ending else "failed"),
        data=_data(reply.get("data")),
        cost=reply.get("cost", 0) if pays else 0,
        error=reply.get("error"),
    )


def of_event(*, message_id: str, event: str, created_at: datetime, data: Shape | Mapping[str, Any]) -> dict[str, Any]:
    """What a webhook brings."""
    kind = EventType(event)
    plain: dict[str, Any] = to_plain(
        events.Event(id=message_id, type=kind, created_at=wire_time(created_at), data=data)
    )
    return plain


def of_state(row: Mapping[str, Any]) -> service.State:
    """One jurisdiction."""
    return fill(service.State, row)


def status_url(job_id: str) -> str:
    """Where a job is asked for, from the root of the site."""
    return f"/v1/lookup/status/{job_id}"


def poll_url(bulk: BulkJob) -> str:
    """Where a bulk job is asked for, from the root of the site."""
    return f"/v1/bulk-lookup/{bulk.public_id}"


def _left(balance: int | None) -> dict[str, Any]:
    """What is left after a charge; None where no balance paid."""
    return {
        "walletBalance": None if balance is None else money.to_rounded_string(balance),
        "lookupsRemaining": None if balance is None else prices.lookups_covered(balance),
    }


def _numbers(bulk: BulkJob) -> dict[str, Any]:
    progress = get_progress(bulk)
    return {
        "job_id": bulk.public_id,
        "status": BulkState(progress.status),
        "total": bulk.total,
        "completed": progress.completed,
        "found": progress.found,
        "not_found": progress.not_found,
        "failed": progress.failed,
        "cost": money.to_json_number(progress.cost),
        "created_at": wire_time(bulk.created_at),
        "completed_at": wire_time(bulk.ended_at) if bulk.ended_at else None,
    }


def _data(kept: dict[str, Any] | None) -> Entity | UccData | None:
    """The data of a kept reply, in the shape's order of names (PostgreSQL keeps none)."""
    if kept is None:
        return None
    return fill(UccData, kept) if "filings" in kept else fill(Entity, kept)


def _reply(kept: dict[str, Any]) -> lookups.EntityReply | lookups.UccReply:
    data = _data(kept["data"])
    if isinstance(data, UccData):
        return fill(lookups.UccReply, kept, data=data)
    return fill(lookups.EntityReply, kept, data=data)


def _complete(job: Job) -> lookups.JobStatus:
    """Of a job that was answered: the reply under `result`, and at the top where older clients read it."""
    kept: dict[str, Any] = job.reply or {}
    status = lookups.JobStatus(success=kept["success"], jobId=job.public_id, status=JobState.COMPLETE)
    if not kept["success"]:
        status.result = fill(EntityNotFound, {"docUrl": doc_url(kept["code"]), **kept})
        status.error, status.data, status.cost = kept["error"], None, 0
        return status
    reply = _reply(kept)
    status.result, status.data, status.cost = reply, reply.data, reply.cost
    return status


def _failed(job: Job, request_id: str) -> lookups.JobFailed:
    """Of a job that nobody could answer; it cost nothing."""
    reason: dict[str, Any] = job.reply or {}
    code = reason.get("code", "internal_error")
    return lookups.JobFailed(
        success=False,
        jobId=job.public_id,
        status=JobState.FAILED,
        error=reason.get("error", "Internal error"),
        code=code,
        reason=reason.get("reason"),
        cost=0,
        retryable=bool(reason.get("retryable", True)),
        requestId=request_id,
        docUrl=doc_url(code),
    )
