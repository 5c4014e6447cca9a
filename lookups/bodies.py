"""From what the service knows to the shapes of the wire: the one place that knows both.

A lookup is said in the same words whether it is asked for, told by a job, a bulk row or a webhook, mailed or exported.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from billing import money, prices
from lookups.api.wire import bulk as wire_bulk
from lookups.api.wire import errors, events, lookups, names, service
from lookups.api.wire.entities import Entity, Suggestion
from lookups.api.wire.filings import UccData
from lookups.api.wire.shape import Shape, fill, to_plain
from lookups.api.wire.words import BulkState, EventType, JobState, RowState, SearchType, Source
from lookups.bulk.progress import Progress, get_progress, list_progress
from lookups.identities import bodies as identities
from lookups.jobs import waiting
from lookups.lookup.storage import wire_time
from lookups.models import BulkJob, Job, Lookup
from lookups.privacy import suppression
from lookups.verdicts import Verdict, find_breakdown
from scrapers import gateway
from scrapers.failures import Failure, find_failure
from scrapers.refusals import Field, find_refusal, write_sentence

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
_WAITING = {"pending": RowState.QUEUED, "processing": RowState.PROCESSING}


def of_lookup(lookup: Lookup) -> Shape:
    """A lookup that has ended, whichever way."""
    match lookup.outcome:
        case Verdict.FOUND:
            return _of_found(lookup)
        case Verdict.FREE | Verdict.TAKEN | Verdict.CANNOT_SAY:
            return _of_verdict(lookup)
    return of_failure(lookup)


def of_failure(lookup: Lookup) -> errors.Error:
    """A lookup that brought nothing: why, as an error."""
    verdict = lookup.outcome
    assert verdict is not None, "Only what has ended is told."
    common = {"success": False, "cost": 0, "requestId": lookup.request_id, **_marks(lookup), **_error_words(lookup)}
    common["docUrl"] = errors.doc_url(common["code"])
    match verdict:
        case Verdict.NOT_FOUND | Verdict.AMBIGUOUS:
            return fill(
                errors.EntityNotFound,
                common,
                suggestions=lookup.candidates,
                ambiguous=verdict is Verdict.AMBIGUOUS,
                note=lookup.note or None,
                evidence=lookup.evidence,
            )
        case Verdict.REFUSED:
            return fill(errors.InvalidRequest, common, reason=lookup.reason, details=refusal_details(lookup))
        case Verdict.UNAVAILABLE:
            note = {"note": lookup.note} if lookup.note else {}
            return fill(errors.SourceUnavailable, common, reason=lookup.reason, state=lookup.state, **note)
    return fill(errors.Error, common)


def refusal_details(lookup: Lookup) -> dict[str, list[str]]:
    """Which field of the question has to change, and why."""
    values, refusal = lookup.refusal or {}, find_refusal(lookup.reason)
    field = WIRE_FIELDS[refusal.facts.field] if refusal else str(values.get("field", "entity_name"))
    # The version before kept the sentence alone; it stands in the note.
    sentence = write_sentence(lookup.reason, values) if refusal or not lookup.note else ""
    why = gateway.explain_off(lookup.state) if refusal and refusal.facts.explained else ""
    return {field: [" ".join(filter(None, (sentence, why, lookup.note)))]}


def is_retryable(lookup: Lookup) -> bool:
    """Whether the same question may be answered later: always where there is a moment from which on it may."""
    if lookup.outcome is Verdict.FAILED:
        return find_breakdown(lookup.reason).facts.retryable
    if lookup.outcome is not Verdict.UNAVAILABLE:
        return False
    failure = find_failure(lookup.reason) or Failure.DOWN  # another version may have written another word
    return failure.facts.retryable or lookup.retry_at is not None


def of_acceptance(job: Job) -> lookups.Accepted:
    """A lookup that is answered later, as it was accepted: a repetition is told the same."""
    return lookups.Accepted(
        success=True,
        async_=True,
        jobId=job.public_id,
        message="This registry answers slowly. Ask statusUrl for the result.",
        pollInterval=waiting.POLL_MS,
        estimatedSeconds=job.estimated_seconds,
        statusUrl=status_url(job.public_id),
        **{**_marks(job.lookup), "verdict": None},
    )


def of_running_job(job: Job, *, now: datetime) -> lookups.JobStatus:
    """A job that nobody has answered yet: how long that will take, and when its registry is tried next."""
    forecast = waiting.forecast(job, now=now)
    return lookups.JobStatus(
        success=True,
        jobId=job.public_id,
        status=JobState(job.status),
        pollInterval=forecast.poll_ms,
        estimatedSeconds=forecast.seconds,
        nextTryAt=wire_time(forecast.next_try_at),
        **_marks(job.lookup),
    )


def of_job(job: Job, request_id: str) -> lookups.JobStatus | lookups.JobFailed:
    """A job that has ended."""
    return _complete(job) if job.status == Job.Status.COMPLETE else _failed(job, request_id)


def of_open(lookup: Lookup) -> lookups.OpenLookup:
    """A lookup that has not ended, by its own id."""
    job = find_job(lookup)
    return lookups.OpenLookup(
        success=True,
        jobId=job.public_id if job else None,
        statusUrl=status_url(job.public_id) if job else None,
        **_marks(lookup),
    )


def of_listed(lookup: Lookup) -> lookups.ListedLookup:
    """A lookup in a list: what was asked, how it ended and what it cost."""
    told = {
        **_question(lookup),
        **_marks(lookup),
        "ref": lookup.ref,
        "bulk": lookup.bulk.public_id if lookup.bulk is not None else None,
        "reason": lookup.reason or None,
        "cost": money.to_json_number(lookup.charged),
        "createdAt": wire_time(lookup.created_at),
        "endedAt": wire_time(lookup.ended_at),
        "url": f"/v1/lookups/{lookup.public_id}",
    }
    return fill(lookups.ListedLookup, told)


def of_bulk(bulk: BulkJob) -> wire_bulk.BulkSummary:
    """The numbers of a bulk job."""
    return wire_bulk.BulkSummary(**_numbers(bulk, get_progress(bulk)))


def of_bulk_jobs(bulks: list[BulkJob]) -> list[wire_bulk.BulkSummary]:
    """The numbers of several, in a list."""
    return [wire_bulk.BulkSummary(**_numbers(*one)) for one in list_progress(bulks)]


def of_bulk_page(bulk: BulkJob, rows: list[Lookup], *, more: bool, now: datetime) -> wire_bulk.BulkPage:
    """Its numbers with some of its rows; `more`: there are others after them."""
    return wire_bulk.BulkPage(
        **_numbers(bulk, get_progress(bulk)),
        results=[of_row(row, now=now) for row in rows],
        next_cursor=str(rows[-1].position) if more else None,
    )


def of_bulk_end(bulk: BulkJob) -> wire_bulk.BulkEnded:
    """Its numbers, as its webhook has them."""
    return wire_bulk.BulkEnded(**_numbers(bulk, get_progress(bulk)), poll_url=poll_url(bulk))


def of_accepted_bulk(bulk: BulkJob) -> wire_bulk.BulkAccepted:
    """A bulk job that was taken on."""
    return wire_bulk.BulkAccepted(
        job_id=bulk.public_id,
        livemode=bulk.key.livemode,
        status=BulkState.QUEUED,
        total=bulk.total,
        poll_url=poll_url(bulk),
    )


def of_row(row: Lookup, *, now: datetime) -> wire_bulk.BulkRow:
    """One row's result: all that a single lookup would tell. A row that repeats another costs nothing."""
    job, verdict = find_job(row), row.outcome
    state = _WAITING[job.status if job else "pending"] if verdict is None else RowState(verdict.facts.row)
    next_try_at = waiting.find_next_try(job, now=now) if job and verdict is None else None
    told: dict[str, Any] = {"details": refusal_details(row)} if verdict is Verdict.REFUSED else {}
    if verdict is not None and not verdict.facts.billed:
        told |= _error_words(row)
    data, left_out = _data(row)
    note = "" if verdict is Verdict.REFUSED else row.note  # there it stands among the details
    return fill(
        wire_bulk.BulkRow,
        _question(row) | _marks(row) | told,
        index=row.position,
        ref=row.ref,
        status=state,
        data=data,
        note=f"{note} {left_out}".strip() or None,
        cost=money.to_json_number(row.cost),
        source=_source(row) if verdict and verdict.facts.billed else None,
        reason=row.reason or None,
        suggestions=[fill(Suggestion, one) for one in row.candidates],
        evidence=row.evidence,
        identifiers=identities.of_lookup(row),
        next_try_at=wire_time(next_try_at),
    )


def of_event(
    *, message_id: str, event: str, livemode: bool, created_at: datetime, data: Shape | Mapping[str, Any]
) -> dict[str, Any]:
    """What a webhook brings."""
    told = events.Event(
        id=message_id, type=EventType(event), livemode=livemode, created_at=wire_time(created_at), data=data
    )
    plain: dict[str, Any] = to_plain(told)
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


def find_job(lookup: Lookup) -> Job | None:
    """What executes this lookup, or the one it repeats; None when nothing does (any more)."""
    return getattr(lookup.repeats or lookup, "job", None)


def _marks(lookup: Lookup) -> dict[str, Any]:
    """What every reply about a lookup carries."""
    return {"lookupId": lookup.public_id, "verdict": lookup.verdict, "livemode": lookup.livemode}


def _question(lookup: Lookup) -> dict[str, Any]:
    asked, ucc = lookup.question, lookup.kind == "ucc"
    of_liens: tuple[Field, ...] = ("search_by", "date_after", "date_before") if ucc else ()
    return {
        "entity_name": asked.get("name"),
        "entity_id": asked.get("entity_id"),
        "searchType": SearchType.UCC if ucc else SearchType.BUSINESS_ENTITY,
        "state": lookup.state,
        **{WIRE_FIELDS[name]: asked.get(name) for name in of_liens},
    }


def _error_words(lookup: Lookup) -> dict[str, Any]:
    verdict = lookup.outcome
    assert verdict is not None
    error, code = verdict.facts.error, verdict.facts.code
    refusal = find_refusal(lookup.reason)
    if verdict is Verdict.FAILED:
        why = find_breakdown(lookup.reason).facts
        error, code = why.error, why.code
    elif verdict is Verdict.REFUSED and refusal is not None and refusal.facts.unsupported:
        code = "unsupported_state"
    return {"error": error, "code": code, "retryable": is_retryable(lookup)}


def _of_found(lookup: Lookup) -> lookups.EntityReply | lookups.UccReply:
    """An answer: a company, or UCC filings."""
    source, (data, left_out) = _source(lookup), _data(lookup)
    receipt: dict[str, Any] = {
        "success": True,
        **_marks(lookup),
        "cost": money.to_json_number(lookup.charged),
        "source": source,
        "cached": source is Source.CACHE,
        "stale": False,
        "dataAsOf": wire_time(lookup.data_as_of or lookup.created_at),
        "total_results": lookup.total,
        "state_scraper_version": lookup.reader_version,
        "scraper_built_at": lookup.reader_built_at,
        "note": f"{lookup.note} {left_out}".strip() or None,
        "identifiers": identities.of_lookup(lookup),
        **_left(lookup),
    }
    if lookup.kind == "ucc":
        return fill(lookups.UccReply, receipt, data=data)
    return fill(lookups.EntityReply, receipt, data=data, **({"entity": data} if source is Source.CACHE else {}))


def _of_verdict(lookup: Lookup) -> names.NameReply:
    return fill(
        names.NameReply,
        lookup.name_check or {},
        success=True,
        **_marks(lookup),
        cost=money.to_json_number(lookup.charged),
        data_source=_source(lookup),
        evidence=lookup.evidence,
        **_left(lookup),
    )


def _source(lookup: Lookup) -> Source:
    """Whether the registry itself was asked for this answer: a stored record or a copy is from the cache."""
    return Source.LIVE if lookup.source == Lookup.Source.LIVE else Source.CACHE


def _data(lookup: Lookup) -> tuple[Entity | UccData | None, str]:
    """What was found, None where nothing was or it was not kept; and a sentence on what is left out of it."""
    version, evidence = lookup.version, lookup.evidence or {}
    if lookup.filing_set is not None:
        shown, left_out = suppression.withhold_parties(lookup.filing_set.filings, state=lookup.state)
        filings = {"filings": shown, "totalResults": lookup.total, "evidence": evidence}
        return fill(UccData, filings), left_out
    if version is None:
        return None, ""
    record = suppression.withhold(version.data, version.normalized, state=lookup.state)
    data = fill(
        Entity,
        record.data,
        scrapedAt=evidence.get("retrievedAt"),
        cached=_source(lookup) is Source.CACHE,
        cacheExpiresAt=wire_time(lookup.expires_at),
        relatedResults=lookup.related,
        entityPageUrl=version.entity.page_url,
        normalized={**record.normalized, "match": lookup.match},
        evidence=evidence,
    )
    return data, record.note


def _left(lookup: Lookup) -> dict[str, Any]:
    """What was left after the charge; None where no balance paid."""
    left = lookup.balance_after
    return {
        "walletBalance": None if left is None else money.to_rounded_string(left),
        "lookupsRemaining": None if left is None else prices.lookups_covered(left),
    }


def _numbers(bulk: BulkJob, progress: Progress) -> dict[str, Any]:
    return {
        "job_id": bulk.public_id,
        "livemode": bulk.key.livemode,
        "status": BulkState(progress.status),
        "total": bulk.total,
        "completed": progress.completed,
        "found": progress.found,
        "not_found": progress.not_found,
        "failed": progress.failed,
        "cost": money.to_json_number(progress.cost),
        "created_at": wire_time(bulk.created_at),
        "completed_at": wire_time(bulk.ended_at),
    }


def _complete(job: Job) -> lookups.JobStatus:
    """Of a job that was answered: the reply under `result`, and at the top where older clients read it."""
    reply: Any = of_lookup(job.lookup)
    status = lookups.JobStatus(
        success=reply.success, jobId=job.public_id, status=JobState.COMPLETE, result=reply, **_marks(job.lookup)
    )
    status.data, status.cost = (reply.data, reply.cost) if reply.success else (None, 0)
    if not reply.success:
        status.error = reply.error
    return status


def _failed(job: Job, request_id: str) -> lookups.JobFailed:
    """Of a job that nobody could answer; it cost nothing."""
    lookup, words = job.lookup, _error_words(job.lookup)
    more: dict[str, Any] = {"details": refusal_details(lookup)} if lookup.outcome is Verdict.REFUSED else {}
    if lookup.outcome is Verdict.UNAVAILABLE and lookup.note:
        more = {"note": lookup.note}
    return fill(
        lookups.JobFailed,
        {**words, **_marks(lookup), **more},
        success=False,
        jobId=job.public_id,
        status=JobState.FAILED,
        reason=lookup.reason or None,
        cost=0,
        requestId=request_id,
        docUrl=errors.doc_url(words["code"]),
    )
