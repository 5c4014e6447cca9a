"""What the wire says of jobs and bulk jobs: the same words whether they are asked for, sent by webhook or mailed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from billing import money
from lookups.bulk.progress import get_progress
from lookups.jobs.endings import find_ending
from lookups.lookup import storage
from lookups.lookup.storage import wire_time
from lookups.models import BulkJob, BulkRow, Job

FLAT = tuple(name for name in storage.ENTITY_FIELDS if name not in ("officers", "entityName", "status"))
CSV_COLUMNS = (
    "index",
    "ref",
    "entity_name",
    "state",
    "status",
    "cost",
    "error",
    "entityName",
    "entityStatus",
    *FLAT,
)
_WAITING = {"pending": "queued", "processing": "processing"}


def of_job(job: Job, request_id: str) -> dict[str, Any]:
    """The body of a job that has ended."""
    return _complete(job) if job.status == Job.Status.COMPLETE else _failed(job, request_id)


def of_bulk(bulk: BulkJob) -> dict[str, Any]:
    """The numbers of a bulk job."""
    progress = get_progress(bulk)
    return {
        "job_id": bulk.public_id,
        "status": progress.status,
        "total": bulk.total,
        "completed": progress.completed,
        "found": progress.found,
        "not_found": progress.not_found,
        "failed": progress.failed,
        "cost": money.to_json_number(progress.cost),
        "created_at": wire_time(bulk.created_at),
        "completed_at": wire_time(bulk.ended_at) if bulk.ended_at else None,
    }


def poll_url(bulk: BulkJob) -> str:
    """Where a bulk job is asked for, from the root of the site."""
    return f"/v1/bulk-lookup/{bulk.public_id}"


def of_row(row: BulkRow) -> dict[str, Any]:
    """One row's result. A row that repeats another has its data and costs nothing."""
    job, reply, ending = row.job, row.job.reply or {}, find_ending(row.job)
    pays = reply.get("success") and job.position == row.index
    return {
        "index": row.index,
        "ref": row.ref,
        "entity_name": row.entity_name,
        "state": row.state,
        "status": _WAITING.get(job.status) or (ending.facts.row if ending else "failed"),
        "data": reply.get("data"),
        "cost": reply.get("cost", 0) if pays else 0,
        "error": reply.get("error"),
    }


def flatten(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows' results with a cell for each of `CSV_COLUMNS`."""
    for row in rows:
        data = row["data"] or {}
        yield {
            **{name: data.get(name) for name in FLAT},
            **row,
            "entityName": data.get("entityName"),
            "entityStatus": data.get("status"),
        }


def _complete(job: Job) -> dict[str, Any]:
    """Of a job that was answered: the reply under `result`, and at the top where older clients read it."""
    result: dict[str, Any] = job.reply or {}
    told = {"success": result["success"], "jobId": job.public_id, "status": job.status, "result": result}
    if not result["success"]:
        return told | {"error": result["error"], "data": None, "cost": 0}
    return told | {"data": result["data"], "cost": result["cost"]}


def _failed(job: Job, request_id: str) -> dict[str, Any]:
    """Of a job that nobody could answer; it cost nothing."""
    reason: dict[str, Any] = job.reply or {}
    return {
        "success": False,
        "jobId": job.public_id,
        "status": job.status,
        "error": reason.get("error", "Internal error"),
        "code": reason.get("code", "internal_error"),
        "reason": reason.get("reason"),
        "cost": 0,
        "retryable": bool(reason.get("retryable", True)),
        "requestId": request_id,
    }
