"""Bulk jobs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

from lookups.api.schema.examples.lookups import ASKED
from lookups.api.schema.examples.making import BULK, marks, reply, request
from lookups.api.schema.examples.records import ENTITY, WHEN
from lookups.api.wire import bulk
from lookups.api.wire.shape import fill
from lookups.api.wire.words import BulkState, RowState

ASK_BULK = request(
    "Two companies",
    entities=[{**ASKED, "ref": "row 7"}, {"entity_name": "Marrow & Thimble Holdings II", "state": "NV"}],
    source="auto",
)
ASK_BY_TABLE = OpenApiExample(
    "A table",
    value="entity_name,state,ref\r\nBlue Heron Logistics LLC,DE,row 7\r\n",
    media_type="text/csv",
    request_only=True,
)
NUMBERS: dict[str, Any] = {
    "job_id": BULK,
    "livemode": True,
    "status": BulkState.COMPLETE,
    "total": 2,
    "completed": 2,
    "found": 1,
    "not_found": 1,
    "failed": 0,
    "cost": 0.0314,
    "created_at": WHEN,
    "completed_at": "2026-11-21T08:00:04.000Z",
}
CANCELLED = NUMBERS | {"status": BulkState.CANCELLED, "completed": 1, "not_found": 0}
_ROW = fill(
    bulk.BulkRow,
    {**ASKED, **marks(), "index": 0, "ref": "row 7", "cost": 0.0314, "suggestions": [], "evidence": ENTITY.evidence},
    searchType="business_entity",
    status=RowState.FOUND,
    source="live",
    data=ENTITY,
)
_ABSENT = fill(
    bulk.BulkRow,
    {**marks("not_found"), "index": 1, "entity_name": "Nobody Knows This", "state": "DE", "cost": 0, "suggestions": []},
    searchType="business_entity",
    error="Entity not found",
    code="entity_not_found",
    retryable=False,
    evidence=ENTITY.evidence,
    status=RowState.NOT_FOUND,
)
BULK_TAKEN = reply(
    "Taken on",
    bulk.BulkAccepted(job_id=BULK, livemode=True, status=BulkState.QUEUED, total=2, poll_url=f"/v1/bulk-lookup/{BULK}"),
    202,
)
BULK_RESULTS = reply("Complete", bulk.BulkPage(**NUMBERS, results=[_ROW, _ABSENT], next_cursor=None))
BULK_CANCELLED = reply("Cancelled", bulk.BulkSummary(**CANCELLED))
BULK_JOBS = reply(
    "One that is complete",
    bulk.BulkList(success=True, livemode=True, bulk_jobs=[bulk.BulkSummary(**NUMBERS)], next_cursor=None),
)
