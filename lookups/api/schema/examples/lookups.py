"""Single lookups, jobs and name checks."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiExample

from lookups.api.schema.examples.errors import NOT_FOUND
from lookups.api.schema.examples.making import JOB, LOOKUP, marks, reply, request
from lookups.api.schema.examples.records import ENTITY, EVIDENCE, FILINGS, RECEIPT, WHEN
from lookups.api.wire import lookups as wire
from lookups.api.wire import names
from lookups.api.wire.shape import fill, to_plain
from lookups.api.wire.words import BodyState, JobState, Source, Sureness
from lookups.evidence import wacz

_HASH = "1f0b5f2c6f2b7d1a9e0c4d3b8a7f6e5d4c3b2a190817263544332211ffeeddcc"
ASKED = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
ASK = request("A company", **ASKED)
ASK_STORED = request("A stored record will do", **ASKED, source="cache")
ASK_UCC = request("UCC filings of a debtor", **ASKED, searchType="ucc")
ASK_NAME = request("A name", **ASKED)
COMPANY = fill(wire.EntityReply, RECEIPT, data=ENTITY)
FOUND = reply("The company's record", COMPANY)
FOUND_FILINGS = reply("Its UCC filings", fill(wire.UccReply, RECEIPT, data=FILINGS))
LATER = reply(
    "Answered later",
    wire.Accepted(
        success=True,
        async_=True,
        jobId=JOB,
        message="This registry answers slowly. Ask statusUrl for the result.",
        pollInterval=3000,
        estimatedSeconds=60,
        statusUrl=f"/v1/lookup/status/{JOB}",
        **marks(None),
    ),
    202,
)
_RUNNING = wire.JobStatus(
    success=True,
    jobId=JOB,
    status=JobState.PROCESSING,
    pollInterval=3000,
    estimatedSeconds=42,
    nextTryAt=None,
    **marks(None),
)
COMPLETE = wire.JobStatus(
    success=True, jobId=JOB, status=JobState.COMPLETE, result=COMPANY, data=ENTITY, cost=COMPANY.cost, **marks()
)
FAILED = wire.JobFailed(
    success=False,
    **marks("unavailable"),
    jobId=JOB,
    status=JobState.FAILED,
    error="State portal temporarily unavailable",
    code="source_unavailable",
    reason="down",
    cost=0,
    retryable=True,
    requestId="req-7f3a",
    docUrl="https://example.com/docs/errors/#source_unavailable",
)
JOB_RUNNING, JOB_COMPLETE = reply("Running", _RUNNING), reply("Complete", COMPLETE)
JOB_NOT_FOUND = reply(
    "Complete, and nothing found",
    wire.JobStatus(
        success=False,
        jobId=JOB,
        status=JobState.COMPLETE,
        result=NOT_FOUND.value,
        error="Entity not found",
        data=None,
        cost=0,
        **marks("not_found"),
    ),
)
JOB_FAILED = reply("failed_500", FAILED, 500)
JOB_REFUSED = reply(
    "refused_400",
    wire.JobFailed(
        success=False,
        **marks("refused"),
        jobId=JOB,
        status=JobState.FAILED,
        error="Invalid request body",
        code="invalid_request",
        reason="too_many_companies",
        details={"entity_name": ["There are too many companies of such a name; give more of it, or the entity_id."]},
        cost=0,
        retryable=False,
        requestId="req-7f3a",
        docUrl="https://example.com/docs/errors/#invalid_request",
    ),
    400,
)
NAME_TAKEN = reply(
    "Taken",
    names.NameReply(
        success=True,
        **marks("taken"),
        available=False,
        searchedName=ASKED["entity_name"],
        state="DE",
        conflictingEntities=[fill(names.ConflictingEntity, to_plain(ENTITY), statusClass="active", entityPageUrl=None)],
        variationNote=None,
        warning=None,
        statusNote=None,
        cost=0.0314,
        data_source=Source.LIVE,
        dataAsOf=None,
        walletBalance="28.45",
        lookupsRemaining=906,
        designatorNote="An LLC's name must contain Limited Liability Company, LLC or L.L.C.",
        normalizedName="blueheronlogistic",
        rule=names.NameRule(
            text="Two names are the same when nothing tells them apart but capitals, accents and legal forms.",
            source="assumed: the general standard of the model acts, read strictly",
            sure=Sureness.ASSUMED,
        ),
        ownerRule=names.NameRule(
            text="Whatever exists on the register stands in the way.",
            source="assumed: what exists stands in the way",
            sure=Sureness.ASSUMED,
        ),
        registryVerdict=None,
        evidence=EVIDENCE,
    ),
)

OPEN = reply(
    "Not answered yet",
    wire.OpenLookup(success=True, **marks(None), jobId=JOB, statusUrl=f"/v1/lookup/status/{JOB}"),
)
LISTED = reply(
    "One that was found",
    wire.LookupList(
        success=True,
        livemode=True,
        lookups=[
            fill(
                wire.ListedLookup,
                {**ASKED, **marks(), "searchType": "business_entity", "ref": "row 7", "cost": 0.0314},
                createdAt=WHEN,
                endedAt=WHEN,
                url=f"/v1/lookups/{LOOKUP}",
            )
        ],
        nextCursor=None,
    ),
)
EVIDENCE_FILE = OpenApiExample(
    "A ZIP archive, by its first four bytes",
    value="PK\x03\x04",
    response_only=True,
    status_codes=["200"],
    media_type=wacz.MEDIA_TYPE,
)
EVIDENCE_FOUND = reply(
    "Of a company that was found",
    wire.EvidenceReply(
        success=True,
        lookupId=LOOKUP,
        livemode=True,
        manifest={
            "type": "sos-lookup/manifest",
            "version": 1,
            "lookup": LOOKUP,
            "verdict": "found",
            "exchanges": [_HASH],
            "facts": {"sha256": _HASH},
        },
        document=f'{{"exchanges":["{_HASH}"],"facts":{{"sha256":"{_HASH}"}},"lookup":"{LOOKUP}",…',
        sha256=EVIDENCE.sha256,
        signature="ZQ8c…==",
        keyId="c0ffee0ddba11ace",
        publicKey="11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
        exchanges=[
            wire.ExchangeRecord(
                sha256=_HASH,
                record={
                    "at": WHEN,
                    "method": "GET",
                    "url": "https://sandbox.invalid/DE/SB-DE-000123",
                    "status": 200,
                    "body": {"sha256": _HASH, "size": 1834, "cuts": [], "whole": True},
                },
                bytes=BodyState.KEPT,
            )
        ],
        facts='{"match":{"features":[],"kind":"exact","score":1},"normalized":{"statusClass":"active",…',
        chain=wire.ChainPlace(number=412, previous=_HASH, hash=_HASH),
        head=None,
        archiveUrl=f"/v1/lookups/{LOOKUP}/evidence.wacz",
    ),
)
