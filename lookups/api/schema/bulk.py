"""The bulk endpoints in the document."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema

from lookups import xlsx_export
from lookups.api.requests.fields import LONGEST_ADDRESS
from lookups.api.requests.serializers import LONGEST_WAIT_SECONDS, BulkRequest
from lookups.api.schema import describe
from lookups.api.schema.components import refer
from lookups.api.schema.describe import BYTES, reply
from lookups.api.schema.examples import bulk as bulk_examples
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.wire.bulk import BulkAccepted, BulkList, BulkPage, BulkSummary
from lookups.api.wire.errors import Error, InvalidBulk
from lookups.api.wire.identifiers.words import Included
from lookups.api.wire.words import SourceWanted

_PATH = OpenApiParameter(
    "job_id", {"type": "string", "pattern": "^bulk_[0-9a-f]{32}$"}, OpenApiParameter.PATH, description="Its `job_id`."
)
_GONE = reply(Error, "No such job, or another account's, or older than seven days.", errors_examples.NO_JOB)
STATES = {
    "type": ["array", "null"],
    "items": {"type": "string", "pattern": "^([A-Za-z]{2}|[*])$"},
    "minItems": 1,
    "description": 'Instead of `state`: one row for each, or `["*"]` alone for every state that can be asked.',
}


_WORDS_OF_A_TABLE = [
    describe.of_a_table("source", refer(SourceWanted), "which answers will do."),
    OpenApiParameter(
        "include",
        {"type": "array", "items": refer(Included)},
        explode=False,
        description="Of a table only: what each row's reply shall have beside the registry's answer.",
    ),
    describe.of_a_table(
        "webhook_url",
        {"type": "string", "format": "uri", "maxLength": LONGEST_ADDRESS},
        "where a message goes when the bulk job has ended.",
    ),
    describe.of_a_table("email_results", OpenApiTypes.BOOL, "whether the results are mailed."),
    describe.of_a_table(
        "max_wait_seconds",
        {"type": "integer", "minimum": 1, "maximum": LONGEST_WAIT_SECONDS},
        "how long the whole request may take.",
    ),
]

ask = extend_schema(
    operation_id="bulkLookup",
    tags=["Bulk"],
    summary="Look up to 1,000 companies at once",
    description="All rows are accepted or none. The whole price is held; what is not found is not charged. A row may "
    'name `states`, a list or `["*"]` for every state that can be asked: it becomes one row for each of them. Rows '
    "may also come as a table (`text/csv`, UTF-8, with a header: `entity_name`, `state` or `states`, `entity_id`, "
    "`searchType`, `searchBy`, `dateAfter`, `dateBefore`, `ref`); `source`, `include`, `webhook_url`, `email_results` "
    "and `max_wait_seconds` stand in the query string then, where they are refused beside JSON, and errors name line "
    "and column.",
    request={describe.JSON: BulkRequest, "text/csv": BYTES},
    parameters=[*_WORDS_OF_A_TABLE, describe.IDEMPOTENCY_KEY, *describe.HEADERS],
    examples=[bulk_examples.ASK_BULK, bulk_examples.ASK_BY_TABLE],
    responses=describe.replies(
        describe.SENDING,
        describe.SPENDING,
        describe.KEYED,
        describe.NOBODY_AT_WORK,
        {
            202: reply(BulkAccepted, "Taken on: ask `poll_url`.", bulk_examples.BULK_TAKEN),
            400: reply(InvalidBulk, "Nothing was queued, nothing charged.", errors_examples.INVALID_BULK),
        },
    ),
)

read = extend_schema(
    operation_id="getBulkJob",
    tags=["Bulk"],
    summary="The progress of a bulk job, and its results",
    description="JSON in pages, or everything with `Accept: text/csv`, `application/x-ndjson` or "
    f"`{xlsx_export.MEDIA_TYPE}` (or `format` in the address). Both tables have the same columns and "
    "lines: one a row, or one a lien; nested names have dots (`normalized.statusClass`, `filing.fileNumber`), and "
    "dates are text as they are in JSON. In XLSX, score and cost are numbers, nothing is a formula, and a cell is cut "
    "after 32,767 characters.",
    parameters=[
        _PATH,
        describe.cursor("next_cursor", 6, "^[0-9]+$"),
        describe.LIMIT,
        describe.choice("json", "csv", "ndjson", "xlsx"),
        describe.BOM,
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(BulkPage, "Its numbers and a page of results.", bulk_examples.BULK_RESULTS),
            (200, "text/csv"): reply(
                describe.TABLE,
                "One line a row, or one a lien; nested names have dots: `normalized.statusClass`, `filing.fileNumber`.",
            ),
            (200, "application/x-ndjson"): reply(describe.TABLE, "One row a line, as in `results`."),
            (200, xlsx_export.MEDIA_TYPE): reply(BYTES, "The same lines as in CSV, in a workbook with one sheet."),
            400: describe.INVALID,
            404: _GONE,
        },
    ),
)

cancel = extend_schema(
    operation_id="cancelBulkJob",
    tags=["Bulk"],
    summary="Cancel what has not started",
    description="Rows in progress end by themselves; the price of the rest is released.",
    parameters=[_PATH, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED, {200: reply(BulkSummary, "Its numbers now.", bulk_examples.BULK_CANCELLED), 404: _GONE}
    ),
)

list_bulk_jobs = extend_schema(
    operation_id="listBulkJobs",
    tags=["Bulk"],
    summary="Bulk jobs of the account, newest first",
    description="Those of the key's mode.",
    parameters=[describe.place("next_cursor"), describe.LIMIT, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED, {200: reply(BulkList, "A page of them.", bulk_examples.BULK_JOBS), 400: describe.INVALID}
    ),
)
