"""POST /v1/lookup and the status of what it answers later, in the document."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema

from lookups.api.requests import serializers
from lookups.api.schema import describe
from lookups.api.schema.components import refer
from lookups.api.schema.describe import reply
from lookups.api.schema.examples import errors as errors_examples
from lookups.api.schema.examples import lookups as lookups_examples
from lookups.api.views import paging
from lookups.api.wire.errors import EntityNotFound, Error, InvalidRequest, PaymentRequired, SourceUnavailable
from lookups.api.wire.lookups import (
    Accepted,
    EntityReply,
    EvidenceReply,
    JobFailed,
    JobStatus,
    LookupList,
    OpenLookup,
    UccReply,
)
from lookups.api.wire.names import NameReply
from lookups.api.wire.words import VerdictWanted
from lookups.evidence import wacz

JOB_ID = OpenApiParameter(
    "jobId", {"type": "string", "pattern": "^job_[0-9a-f]{32}$"}, OpenApiParameter.PATH, description="Its `jobId`."
)

lookup = extend_schema(
    operation_id="lookup",
    tags=["Lookup"],
    summary="Look a company up in its state's own registry",
    description="Returns the registry's record of one company, or the UCC filings of a party (`searchType: ucc`). "
    "Charged per answer delivered; not found, refused and unavailable cost nothing. Without a key the request itself "
    "can be paid: it is answered 402 with a Payment challenge, and repeated with the payment.",
    request=serializers.LookupRequest,
    parameters=[
        OpenApiParameter(
            "fresh",
            {"type": "boolean"},
            OpenApiParameter.QUERY,
            deprecated=True,
            description="Older form of `source`: true = live, false = cache. Goes before the body's `fresh`; `source` "
            "goes before both.",
        ),
        describe.IDEMPOTENCY_KEY,
        *describe.HEADERS,
    ],
    examples=[lookups_examples.ASK, lookups_examples.ASK_STORED, lookups_examples.ASK_UCC],
    responses=describe.replies(
        {
            200: reply(
                {"anyOf": [refer(EntityReply), refer(UccReply)]},
                "Found.",
                lookups_examples.FOUND,
                lookups_examples.FOUND_FILINGS,
            ),
            202: reply(Accepted, "The registry is slow: ask `statusUrl` for the answer.", lookups_examples.LATER),
            404: reply(
                EntityNotFound,
                "The registry has no such company, or several that fit equally well. Not charged.",
                errors_examples.NOT_FOUND,
                errors_examples.AMBIGUOUS,
            ),
        },
        describe.ASKING_OR_LATER,
        describe.PAYING,
        {
            (402, describe.PROBLEM): reply(
                PaymentRequired,
                "The balance does not cover it, or (without a key) what it costs.",
                errors_examples.NO_FUNDS,
                errors_examples.NO_BUDGET,
                errors_examples.PAY,
            )
        },
    ),
)

job_status = extend_schema(
    operation_id="getJob",
    tags=["Lookup"],
    summary="How far a lookup is that is answered later",
    description="Ask every `pollInterval` milliseconds. Kept for seven days.",
    parameters=[JOB_ID, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(
                JobStatus,
                "Running, or complete with its result.",
                lookups_examples.JOB_RUNNING,
                lookups_examples.JOB_COMPLETE,
                lookups_examples.JOB_NOT_FOUND,
            ),
            400: reply(JobFailed, "The registry did not take the question. Not charged.", lookups_examples.JOB_REFUSED),
            404: reply(Error, "No such job, or another account's, or older than seven days.", errors_examples.NO_JOB),
            500: reply(
                {"anyOf": [refer(JobFailed), refer(Error)]},
                "The job failed, or something broke here. Not charged.",
                lookups_examples.JOB_FAILED,
                errors_examples.CRASHED,
            ),
        },
    ),
)

LOOKUP_ID = OpenApiParameter(
    "lookupId",
    {"type": "string", "pattern": "^(lk|nc)_[0-9a-f]{32}$"},
    OpenApiParameter.PATH,
    description="Its `lookupId`.",
)

read_lookup = extend_schema(
    operation_id="getLookup",
    tags=["Lookup"],
    summary="The reply to a lookup again",
    description="Free. The body is the one its request was answered with, always under status 200: `verdict` says what "
    "came of it. Also for rows of bulk jobs, lookups that were answered later, and name checks.",
    parameters=[LOOKUP_ID, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(
                {
                    "anyOf": [
                        refer(shape)
                        for shape in (
                            EntityReply,
                            UccReply,
                            NameReply,
                            EntityNotFound,
                            SourceUnavailable,
                            InvalidRequest,
                            OpenLookup,
                            Error,
                        )
                    ]
                },
                "What came of it, or that it is open.",
                lookups_examples.FOUND,
                lookups_examples.OPEN,
            ),
            404: reply(Error, "No such lookup, or another account's.", errors_examples.NO_LOOKUP),
        },
    ),
)

_PROVEN = "Free. Not for lookups that have not ended, were cancelled, or are from before evidence was kept. "
_NO_EVIDENCE = reply(
    Error,
    "No such lookup, or another account's; or no evidence of it is kept.",
    errors_examples.NO_EVIDENCE,
    errors_examples.NO_LOOKUP,
)

read_evidence = extend_schema(
    operation_id="getEvidence",
    tags=["Lookup"],
    summary="What proves the answer to a lookup",
    description=_PROVEN + "`sha256` is `evidence.sha256` of the reply: that of the manifest, a text that names the "
    "question, the verdict, and the hashes of every exchange with the registry and of the facts you were told. It is "
    "signed, and stands in a chain. What that proves and what not: `/docs/guides/evidence/`; `/verify/` checks it.",
    parameters=[LOOKUP_ID, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {200: reply(EvidenceReply, "The proof.", lookups_examples.EVIDENCE_FOUND), 404: _NO_EVIDENCE},
    ),
)

download_evidence = extend_schema(
    operation_id="downloadEvidence",
    tags=["Lookup"],
    summary="The same as a web archive (WACZ), with the bytes",
    description=_PROVEN + "Programs for web archives show its pages; `/verify/` and `/verify/verify.py` check it.",
    parameters=[LOOKUP_ID, *describe.HEADERS],
    responses=describe.replies(
        describe.KEYED,
        {
            (200, wacz.MEDIA_TYPE): reply(
                {"type": "string", "format": "binary"}, "The file.", lookups_examples.EVIDENCE_FILE
            ),
            404: _NO_EVIDENCE,
        },
    ),
)

list_lookups = extend_schema(
    operation_id="listLookups",
    tags=["Lookup"],
    summary="Lookups of the account, newest first",
    description="Those of the key's mode, rows of bulk jobs and name checks among them. As a table (`format=csv`, or "
    f"`Accept: text/csv`) they come at once, up to {paging.LONGEST_TABLE:,} where you name no `limit`; its columns are "
    "the fields of `lookups` and `nextCursor`, which is empty but in the last line of a table that was cut. A table is "
    "counted as a request, a page as a look.",
    parameters=[
        OpenApiParameter(
            "state",
            {"type": "string", "minLength": 2, "maxLength": 2, "pattern": "^[A-Za-z]{2}$"},
            description="Of this jurisdiction.",
        ),
        OpenApiParameter(
            "verdict",
            refer(VerdictWanted),
            description="That ended so; `open`: that have not ended.",
        ),
        OpenApiParameter(
            "ref", {"type": "string", "minLength": 1, "maxLength": 200}, description="With this mark of yours."
        ),
        OpenApiParameter(
            "bulk", {"type": "string", "pattern": "^bulk_[0-9a-f]{32}$"}, description="Rows of this bulk job."
        ),
        OpenApiParameter("day", describe.DAY, description="Accepted on this day (UTC)."),
        describe.cursor("nextCursor", 18),
        describe.LIMIT,
        describe.choice("json", "csv"),
        describe.BOM,
        *describe.HEADERS,
    ],
    responses=describe.replies(
        describe.KEYED,
        {
            200: reply(LookupList, "A page of them.", lookups_examples.LISTED),
            (200, "text/csv"): reply(describe.TABLE, "All of them, a line each, below a header."),
            400: describe.INVALID,
        },
    ),
)
