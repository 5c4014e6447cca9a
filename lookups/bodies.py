"""What the wire says of jobs and bulk jobs: the same words whether they are asked for, sent by webhook or mailed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from billing import money, prices
from lookups.bulk.progress import get_progress
from lookups.lookup import storage
from lookups.lookup.storage import wire_time
from lookups.models import BulkJob, Job, Lookup
from lookups.verdicts import Verdict, find_breakdown
from scrapers.failures import Failure, find_failure
from scrapers.refusals import Field, find_refusal, write_sentence

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
# What the fields that a refusal is about are called on the wire.
WIRE_FIELDS: dict[Field, str] = {
    "name": "entity_name",
    "entity_id": "entity_id",
    "state": "state",
    "kind": "searchType",
    "source": "source",
    "search_by": "searchBy",
    "date_after": "dateAfter",
    "date_before": "dateBefore",
}
_CHECKED = (
    "available",
    "searchedName",
    "state",
    "conflictingEntities",
    "variationNote",
    "warning",
    "statusNote",
)
_WAITING = {"pending": "queued", "processing": "processing"}


def of_lookup(lookup: Lookup) -> dict[str, Any]:
    """The body of a lookup that has ended, whichever way."""
    match lookup.outcome:
        case Verdict.FOUND:
            return _found(lookup)
        case Verdict.FREE | Verdict.TAKEN | Verdict.CANNOT_SAY:
            return _judged(lookup)
        case Verdict.NOT_FOUND | Verdict.AMBIGUOUS:
            return _error(lookup) | {
                "suggestions": lookup.candidates,
                "ambiguous": lookup.outcome is Verdict.AMBIGUOUS,
                "note": lookup.note or None,
                "evidence": lookup.evidence,
            }
        case Verdict.REFUSED:
            return _error(lookup) | {"details": refusal_details(lookup)}
        case Verdict.UNAVAILABLE:
            note = {"note": lookup.note} if lookup.note else {}
            return _error(lookup) | {"reason": lookup.reason, "state": lookup.state} | note
    return _error(lookup)


def _error(lookup: Lookup) -> dict[str, Any]:
    facts = lookup.outcome.facts  # type: ignore[union-attr]
    error, code, retryable = facts.error, facts.code, False
    if lookup.outcome is Verdict.UNAVAILABLE:
        retryable = is_retryable(lookup)
    elif lookup.outcome is Verdict.FAILED:
        why = find_breakdown(lookup.reason).facts
        error, code, retryable = why.error, why.code, why.retryable
    elif (refusal := find_refusal(lookup.reason)) is not None and refusal.facts.unsupported:
        code = "unsupported_state"
    return {
        "success": False,
        "error": error,
        "code": code,
        "cost": 0,
        "retryable": retryable,
        "requestId": lookup.request_id,
    }


def refusal_details(lookup: Lookup) -> dict[str, list[str]]:
    """Which field of the question has to change, and why."""
    values, refusal = lookup.refusal or {}, find_refusal(lookup.reason)
    field = WIRE_FIELDS[refusal.facts.field] if refusal else str(values.get("field", "entity_name"))
    sentence = write_sentence(lookup.reason, values)
    return {field: [f"{sentence} {lookup.note}".strip()]}


def is_retryable(lookup: Lookup) -> bool:
    """Whether the same question may be answered later: always where there is a moment from which on it may."""
    failure = find_failure(lookup.reason) or Failure.DOWN  # another version may have written another word
    return failure.facts.retryable or lookup.retry_at is not None


def _found(lookup: Lookup) -> dict[str, Any]:
    is_ucc, cached = lookup.kind == "ucc", lookup.source != Lookup.Source.LIVE
    data = _filings_data(lookup) if is_ucc else _entity_data(lookup)
    body: dict[str, Any] = {
        "success": True,
        "data": data,
        "cost": money.to_json_number(lookup.charged),
        "source": "cache" if cached else "live",
        "cached": cached,
        "stale": False,
        "dataAsOf": wire_time(lookup.data_as_of) if lookup.data_as_of else None,
        "total_results": lookup.total,
        "state_scraper_version": lookup.reader_version,
        "scraper_built_at": lookup.reader_built_at,
        **_wallet(lookup),
        "note": lookup.note or None,
    }
    if cached and not is_ucc:
        body["entity"] = data
    return body


def _wallet(lookup: Lookup) -> dict[str, Any]:
    left = lookup.balance_after
    return {
        "walletBalance": None if left is None else money.to_rounded_string(left),
        "lookupsRemaining": None if left is None else prices.lookups_covered(left),
    }


def _judged(lookup: Lookup) -> dict[str, Any]:
    check = lookup.name_check or {}
    wallet = _wallet(lookup)
    return {
        "success": True,
        **{name: check[name] for name in _CHECKED},
        "cost": money.to_json_number(lookup.charged),
        "data_source": "cache" if lookup.source == Lookup.Source.COPY else "live",
        "dataAsOf": check["dataAsOf"],
        **wallet,
        "designatorNote": check["designatorNote"],
        "normalizedName": check["normalizedName"],
        "registryVerdict": check["registryVerdict"],
        "evidence": check["evidence"],
    }


def _entity_data(lookup: Lookup) -> dict[str, Any]:
    """The company: the state's own text in flat fields, our reading under `normalized`."""
    version, evidence = lookup.version, lookup.evidence or {}
    assert version is not None
    return {
        **{name: version.data.get(name) for name in storage.ENTITY_FIELDS},  # PostgreSQL keeps no order of names
        "scrapedAt": evidence.get("retrievedAt"),
        "cached": lookup.source != Lookup.Source.LIVE,
        "cacheExpiresAt": wire_time(lookup.expires_at) if lookup.expires_at else None,
        "relatedResults": lookup.related,
        "entityPageUrl": version.entity.page_url,
        "normalized": {**version.normalized, "match": lookup.match},
        "evidence": evidence,
    }


def _filings_data(lookup: Lookup) -> dict[str, Any]:
    assert lookup.filing_set is not None
    return {"filings": lookup.filing_set.filings, "totalResults": lookup.total, "evidence": lookup.evidence}


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


def of_row(row: Lookup) -> dict[str, Any]:
    """One row's result. A row that repeats another has its data and costs nothing."""
    verdict, body = row.outcome, of_lookup(row) if row.verdict else {}
    first = row.repeats or row
    job = getattr(first, "job", None)
    return {
        "index": row.position,
        "ref": row.ref,
        "entity_name": row.question.get("name"),
        "state": row.state,
        "status": verdict.facts.row if verdict else _WAITING[job.status if job else "pending"],
        "data": body.get("data"),
        "cost": money.to_json_number(row.cost),
        "error": body.get("error"),
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
    result = of_lookup(job.lookup)
    body = {"success": result["success"], "jobId": job.public_id, "status": job.status, "result": result}
    if not result["success"]:
        return body | {"error": result["error"], "data": None, "cost": 0}
    return body | {"data": result["data"], "cost": result["cost"]}


def _failed(job: Job, request_id: str) -> dict[str, Any]:
    """Of a job that nobody could answer; it cost nothing."""
    body = of_lookup(job.lookup)
    return {**body, "jobId": job.public_id, "status": job.status, "reason": body.get("reason"), "requestId": request_id}
