"""/v1/bulk-lookup: up to a thousand questions at once, their results page by page or as a file, and an end to them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from rest_framework import serializers as drf
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from billing import money
from lookups.api import errors, idempotency, replies, tables
from lookups.api.endpoint import Endpoint
from lookups.api.schema import bulk as schema
from lookups.api.serializers import BulkEntity, LookupRequest
from lookups.api.views.lookup import accepts_stored, to_question
from lookups.models import BulkJob, BulkRow
from lookups.outcomes import OutOfFunds
from lookups.services import bulk, storing
from lookups.services.idempotency import Claim
from lookups.services.storing import wire_time

MOST_ROWS = 1000
PAGE, LONGEST_PAGE = 100, 500
FLAT = tuple(name for name in storing.ENTITY_FIELDS if name not in ("officers", "entityName", "status"))
CSV_COLUMNS = (
    "index", "ref", "entity_name", "state", "status", "cost", "error", "entityName", "entityStatus", *FLAT,
)  # fmt: skip
WAITING = {"pending": "queued", "processing": "processing"}


class BulkView(Endpoint):
    """New bulk jobs."""

    scope = "bulk"
    body_limit = 1024 * 1024

    @schema.ask
    def post(self, request: Request) -> Any:
        """Take all rows on, or none."""
        key, wanted = self.key_of(request), read_rows(request.data)
        said = _read_source(request.data)

        def answer(claim: Claim | None) -> Response:
            made = bulk.accept(
                wanted=wanted, key=key, accepts_stored=accepts_stored(said, key.account),
                bulk_id=claim.ask_id if claim else uuid.uuid4(), now=timezone.now(),
                request_id=request.request_id,  # type: ignore[attr-defined]
            )  # fmt: skip
            if isinstance(made, OutOfFunds):
                raise replies.to_error(made)
            told = {"job_id": made.public_id, "status": "queued", "total": made.total, "poll_url": _url(made)}
            return Response(told, status=202, headers={"Location": _url(made), "Retry-After": "3"})

        return idempotency.answer_once(request, key=key, answer=answer)


class BulkJobView(Endpoint):
    """One bulk job of the caller's account."""

    scope = "bulk"
    renderer_classes = (JSONRenderer, tables.CsvRenderer, tables.NdjsonRenderer)

    @schema.read
    def get(self, request: Request, job_id: str) -> Any:
        """How far it is, and its results: a page as JSON, all as CSV or NDJSON."""
        found = self._find(request, job_id)
        if isinstance(request.accepted_renderer, tables.CsvRenderer):
            return _stream(found, request.accepted_renderer)
        after, limit = _page(request)
        rows = list(bulk.list_rows(found, after=after)[: limit + 1])
        more, rows = len(rows) > limit, rows[:limit]
        return Response(
            summary(found) | {
                "results": [row_fields(row) for row in rows], "next_cursor": str(rows[-1].index) if more else None,
            }
        )  # fmt: skip

    @schema.cancel
    def delete(self, request: Request, job_id: str) -> Response:
        """Cancel what has not begun."""
        found = self._find(request, job_id)
        bulk.cancel(found, now=timezone.now())
        found.refresh_from_db()
        return Response(summary(found))

    def _find(self, request: Request, job_id: str) -> BulkJob:
        found = bulk.find(job_id, account_id=self.key_of(request).account_id, now=timezone.now())
        if found is None:
            raise errors.ApiError(404, "job_not_found", "Job not found")
        return found


def read_rows(body: Any) -> list[bulk.Wanted]:
    """The rows of the body; ApiError 400 that names each wrong one."""
    rows = body.get("entities")
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_ROWS:
        raise _wrong([{"index": None, "error": f"entities: send a list of 1 to {MOST_ROWS:,} rows."}])
    if body.get("webhook_url") is not None or body.get("email_results"):
        raise _wrong([{"index": None, "error": "webhook_url, email_results: not offered here; ask poll_url instead."}])
    wanted, wrong = [], []
    for index, row in enumerate(rows):
        serializer = BulkEntity(data=row)
        if serializer.is_valid():
            said = serializer.validated_data
            wanted.append(bulk.Wanted(to_question(said), said.get("ref")))
        else:
            wrong.append({"index": index, "error": _first(serializer.errors)})
    if wrong:
        raise _wrong(wrong)
    return wanted


def summary(found: BulkJob) -> dict[str, Any]:
    """The numbers of a bulk job."""
    progress = bulk.get_progress(found)
    return {
        "job_id": found.public_id,
        "status": progress.status,
        "total": found.total,
        "completed": progress.completed,
        "found": progress.found,
        "not_found": progress.not_found,
        "failed": progress.failed,
        "cost": money.to_json_number(progress.cost),
        "created_at": wire_time(found.created_at),
        "completed_at": wire_time(found.ended_at) if found.ended_at else None,
    }


def row_fields(row: BulkRow) -> dict[str, Any]:
    """One row's result. A row that repeats another has its data and costs nothing."""
    job, reply = row.job, row.job.reply or {}
    pays = reply.get("success") and job.position == row.index
    return {
        "index": row.index,
        "ref": row.ref,
        "entity_name": row.entity_name,
        "state": row.state,
        "status": WAITING.get(job.status) or _ended(job.reply_status),
        "data": reply.get("data"),
        "cost": reply.get("cost", 0) if pays else 0,
        "error": reply.get("error"),
    }


def _ended(status: int | None) -> str:
    words = {bulk.FOUND_STATUS: "found", bulk.NOT_FOUND_STATUS: "not_found", bulk.CANCELLED_STATUS: "cancelled"}
    return words.get(status or 0, "failed")


def _stream(found: BulkJob, renderer: tables.CsvRenderer) -> StreamingHttpResponse:
    rows = map(row_fields, bulk.list_rows(found).iterator(chunk_size=200))
    if isinstance(renderer, tables.NdjsonRenderer):
        lines: Iterable[str] = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        lines = tables.csv_lines(CSV_COLUMNS, _flat(rows))
    headers = {"Content-Disposition": f'attachment; filename="{found.public_id}.{renderer.format}"'}
    kind = f"{renderer.media_type}; charset=utf-8"
    return StreamingHttpResponse(lines, content_type=kind, headers=headers)


def _flat(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in rows:
        data = row["data"] or {}
        yield {**{name: data.get(name) for name in FLAT}, **row, "entityName": data.get("entityName"),
               "entityStatus": data.get("status")}  # fmt: skip


def _read_source(body: Any) -> dict[str, Any]:
    field = LookupRequest().fields["source"]
    source = body.get("source")
    try:
        return {} if source is None else {"source": field.run_validation(source)}
    except drf.ValidationError as wrong:
        raise _wrong([{"index": None, "error": f"source: {wrong.detail[0]}"}]) from None  # type: ignore[index]


def _page(request: Request) -> tuple[int, int]:
    asked = request.query_params
    after, limit = asked.get("cursor", "-1"), asked.get("limit", str(PAGE))
    wrong = {}
    if after != "-1" and not (after.isascii() and after.isdigit() and len(after) < 7):
        wrong["cursor"] = ["Send the next_cursor of the page before."]
    if not (limit.isascii() and limit.isdigit() and len(limit) < 5 and 1 <= int(limit) <= LONGEST_PAGE):
        wrong["limit"] = [f"Send a whole number from 1 to {LONGEST_PAGE}."]
    if wrong:
        raise errors.invalid(wrong)
    return int(after), int(limit)


def _first(found: Any) -> str:
    name, messages = next(iter(found.items()))
    return str(messages[0]) if name == "non_field_errors" else f"{name}: {messages[0]}"


def _wrong(details: list[dict[str, Any]]) -> errors.ApiError:
    return errors.ApiError(400, "invalid_request", errors.INVALID_BODY, details=details)


def _url(made: BulkJob) -> str:
    return f"/v1/bulk-lookup/{made.public_id}"
