"""The bulk endpoints in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers

from lookups.api.schema import components, describe
from lookups.api.schema.components import maybe, moment, number, text, whole, word
from lookups.api.serializers import BulkRequest


class BulkAccepted(serializers.Serializer[Any]):
    job_id = text()
    status = word(["queued"])
    total = whole()
    poll_url = text()


class BulkSummary(serializers.Serializer[Any]):
    job_id = text()
    status = word(["queued", "processing", "complete", "cancelled"])
    total = whole("Rows asked for.")
    completed = whole("Rows that have ended.")
    found = whole()
    not_found = whole()
    failed = whole()
    cost = number("Charged until now, in USD.")
    created_at = moment()
    completed_at = moment(allow_null=True)


class BulkResult(serializers.Serializer[Any]):
    index = whole()
    ref = maybe()
    entity_name = maybe()
    state = text()
    status = word(["queued", "processing", "found", "not_found", "failed", "cancelled"])
    data = serializers.DictField(allow_null=True, help_text="As in the reply to a single lookup.")  # type: ignore[assignment]
    cost = number("USD; 0 for a row that repeats another.")
    error = maybe()


class BulkPage(BulkSummary):
    results = BulkResult(many=True)
    next_cursor = maybe("Send it as `cursor` for the next page; null on the last one.")


class BulkProblem(serializers.Serializer[Any]):
    index = whole("Which row; null for the request as a whole.", allow_null=True)
    error = text()


class InvalidBulk(components.Error):
    details = serializers.JSONField(required=False, help_text="A list of `{index, error}`, or field to messages.")


_PATH = OpenApiParameter("job_id", OpenApiTypes.STR, OpenApiParameter.PATH, description="Its `job_id`.")
_GONE = describe.reply(components.Error, "No such job, or another account's, or older than seven days.")

ask = extend_schema(
    operation_id="bulkLookup",
    tags=["Bulk"],
    summary="Look up to 1,000 companies up",
    description="All rows are taken on or none. The whole price is held; what is not found is given back.",
    request=BulkRequest,
    parameters=[describe.IDEMPOTENCY_KEY, *describe.HEADERS],
    responses={
        202: describe.reply(BulkAccepted, "Taken on: ask `poll_url`."),
        (402, "application/problem+json"): describe.reply(components.PaymentRequired, "The balance is too low."),
        **{status: shape for status, shape in describe.ASKING.items() if status != 503},
        400: describe.reply(InvalidBulk, "Nothing was queued, nothing charged."),
    },
)

read = extend_schema(
    operation_id="getBulkJob",
    tags=["Bulk"],
    summary="How far a bulk job is, and its results",
    description="JSON in pages, or everything with `Accept: text/csv` or `application/x-ndjson`.",
    parameters=[
        _PATH,
        OpenApiParameter("cursor", OpenApiTypes.STR, description="`next_cursor` of the page before."),
        OpenApiParameter(
            "limit", {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}, description="Rows a page."
        ),
        *describe.HEADERS,
    ],
    responses={
        (200, "application/json"): describe.reply(BulkPage, "Its numbers and a page of results."),
        (200, "text/csv"): OpenApiTypes.STR,
        (200, "application/x-ndjson"): OpenApiTypes.STR,
        400: describe.reply(components.InvalidRequest, "A cursor or limit that is none."),
        404: _GONE,
        **describe.KEYED,
    },
)

cancel = extend_schema(
    operation_id="cancelBulkJob",
    tags=["Bulk"],
    summary="Cancel what has not begun",
    description="What is under way ends by itself; the price of the rest is given back.",
    parameters=[_PATH, *describe.HEADERS],
    responses={200: describe.reply(BulkSummary, "Its numbers now."), 404: _GONE, **describe.KEYED},
)
