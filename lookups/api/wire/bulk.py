"""The replies of bulk jobs; a row is written by the same shape as JSON, as a line of NDJSON and in tables."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from lookups.api.wire.entities import Evidence, Suggestion
from lookups.api.wire.identifiers.shapes import Identifiers
from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, VERDICT, Day, Moment, Shape, about, either
from lookups.api.wire.words import BulkState, Code, OutcomeReason, RowState, SearchBy, SearchType, Source, Verdict


class BulkAccepted(Shape):
    """All rows were taken on."""

    job_id: Annotated[str, about("Names the bulk job.")]
    livemode: Annotated[bool, LIVEMODE]
    status: Annotated[BulkState, about("Always queued.")]
    total: Annotated[int, about("Rows asked for.")]
    poll_url: Annotated[str, about("Where to ask, from the root of this host.")]


class BulkSummary(Shape):
    """How far a bulk job is, in numbers."""

    job_id: Annotated[str, about("Names the bulk job.")]
    livemode: Annotated[bool, LIVEMODE]
    status: Annotated[BulkState, about("How far it is.")]
    total: Annotated[int, about("Rows asked for.")]
    completed: Annotated[int, about("Rows that have ended.")]
    found: Annotated[int, about("Rows that found a record.")]
    not_found: Annotated[int, about("Rows that found nothing, or several that fit: their `verdict` says which.")]
    failed: Annotated[int, about("Rows that nobody could answer.")]
    cost: Annotated[float, about("Charged until now, in USD.")]
    created_at: Annotated[Moment, about("When it was taken on, UTC.")]
    completed_at: Annotated[Moment | None, about("When its last row ended, UTC; null until then.")]


class BulkRow(Shape, kw_only=True):
    """What came of one row: all that a single lookup would have told."""

    index: Annotated[int, about("Its place in the request, from 0.")]
    ref: Annotated[str | None, about("Your own mark.")]
    entity_name: Annotated[str | None, about("The name that was asked for.")]
    entity_id: Annotated[str | None, about("The identifier that was asked for.")]
    searchType: Annotated[SearchType, about("What was looked up.")]
    state: Annotated[str, about("The jurisdiction.")]
    status: Annotated[RowState, about("How far it is, or how it ended.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict | None, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    data: Annotated[Any, either("As in the reply to a single lookup.", "Entity", "UccData", "null")]
    cost: Annotated[float, about("USD; 0 for a row that repeats another.")]
    source: Annotated[Source | None, about("Where the answer is from; null where there is none.")]
    error: Annotated[str | None, about("Why there is no data, for people.")] = None
    code: Annotated[Code | None, about("The same for programs.")] = None
    reason: Annotated[OutcomeReason | None, about("What exactly stood in the way, as a word.")]
    retryable: Annotated[bool | None, about("Whether the same question may be answered later.")] = None
    details: Annotated[dict[str, list[str]] | None, about("Of a refused question: what has to change.")] = None
    note: Annotated[str | None, about("What one must know of this answer, or another way to one.")]
    suggestions: Annotated[
        list[Suggestion], about("Near misses. Of an ambiguous name first all that fit equally well, at most 25.")
    ]
    evidence: Annotated[Evidence | None, about("Where, when and what was read; also where nothing was found.")]
    identifiers: Annotated[Identifiers | UnsetType, about("Where `include` names them.")] = UNSET
    next_try_at: Annotated[Moment | None, about("While it waits for a registry that failed: when that is tried next.")]
    searchBy: Annotated[SearchBy | None, about("UCC: which party of a lien was searched for.")]
    dateAfter: Annotated[Day | None, about("UCC: only what was filed on this day or later.")]
    dateBefore: Annotated[Day | None, about("UCC: only what was filed on this day or earlier.")]


class BulkPage(BulkSummary):
    """A bulk job's numbers, and a page of its rows."""

    results: Annotated[list[BulkRow], about("Rows in the order they were asked.")]
    next_cursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]


class BulkEnded(BulkSummary):
    """A bulk job's numbers, as its webhook tells them."""

    poll_url: Annotated[str, about("Where its rows are asked for, from the root of this host.")]


class BulkList(Shape):
    """A page of bulk jobs."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    bulk_jobs: Annotated[list[BulkSummary], about("The newest first.")]
    next_cursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]
