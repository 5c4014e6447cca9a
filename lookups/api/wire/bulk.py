"""The replies of bulk jobs; a row is written by the same shape as JSON, as a line of NDJSON and as CSV."""

from __future__ import annotations

from typing import Annotated, Any

from lookups.api.wire.shape import Moment, Shape, about, either
from lookups.api.wire.words import BulkState, RowState


class BulkAccepted(Shape):
    """All rows were taken on."""

    job_id: Annotated[str, about("Names the bulk job.")]
    status: Annotated[BulkState, about("Always queued.")]
    total: Annotated[int, about("Rows asked for.")]
    poll_url: Annotated[str, about("Where to ask, from the root of this host.")]


class BulkSummary(Shape):
    """How far a bulk job is, in numbers."""

    job_id: Annotated[str, about("Names the bulk job.")]
    status: Annotated[BulkState, about("How far it is.")]
    total: Annotated[int, about("Rows asked for.")]
    completed: Annotated[int, about("Rows that have ended.")]
    found: Annotated[int, about("Rows that found a record.")]
    not_found: Annotated[int, about("Rows whose registry has no such record.")]
    failed: Annotated[int, about("Rows that nobody could answer.")]
    cost: Annotated[float, about("Charged until now, in USD.")]
    created_at: Annotated[Moment, about("When it was taken on, UTC.")]
    completed_at: Annotated[Moment | None, about("When its last row ended, UTC; null until then.")]


class BulkRow(Shape):
    """What came of one row."""

    index: Annotated[int, about("Its place in the request, from 0.")]
    ref: Annotated[str | None, about("Your own mark.")]
    entity_name: Annotated[str | None, about("The name that was asked for.")]
    state: Annotated[str, about("The jurisdiction.")]
    status: Annotated[RowState, about("How far it is, or how it ended.")]
    data: Annotated[Any, either("As in the reply to a single lookup.", "Entity", "UccData", "null")]
    cost: Annotated[float, about("USD; 0 for a row that repeats another.")]
    error: Annotated[str | None, about("Why there is no data, for people.")]


class BulkPage(BulkSummary):
    """A bulk job's numbers, and a page of its rows."""

    results: Annotated[list[BulkRow], about("Rows in the order they were asked.")]
    next_cursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]


class BulkEnded(BulkSummary):
    """A bulk job's numbers, as its webhook tells them."""

    poll_url: Annotated[str, about("Where its rows are asked for, from the root of this host.")]
