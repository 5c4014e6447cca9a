"""The replies of a lookup: found, answered later, and how far that is."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from lookups.api.wire.entities import Entity
from lookups.api.wire.filings import UccData
from lookups.api.wire.identifiers.shapes import Identifiers
from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, VERDICT, Day, Moment, Shape, about, either
from lookups.api.wire.words import BodyState, Code, JobState, OutcomeReason, SearchBy, SearchType, Source, Verdict


class Receipt(Shape):
    """What every answer that was sold carries beside its data."""

    success: Annotated[bool, about("Always true.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    data: Annotated[Any, either("What was found.", "Entity", "UccData", "null")]
    cost: Annotated[float, about("Charged, in USD; 0 for test keys.")]
    source: Annotated[Source, about("Where the answer is from.")]
    cached: Annotated[bool, about("Whether it was stored here before it was asked for.")]
    stale: Annotated[bool, about("Always false: what is older than wanted is asked for anew.")]
    dataAsOf: Annotated[Moment, about("The day the source says its data is from, or when it was read.")]
    total_results: Annotated[int, about("How many the registry listed.")]
    state_scraper_version: Annotated[str, about("Version of the reader of this state.")]
    scraper_built_at: Annotated[str, about("When that version was made.")]
    walletBalance: Annotated[str | None, about("What is left, in USD; null when the request itself was paid.")]
    lookupsRemaining: Annotated[int | None, about("How many lookups that covers; null when the request was paid.")]
    note: Annotated[
        str | None, about("What one must know of this source, such as that it lists active companies only.")
    ]


class EntityReply(Receipt):
    """One company."""

    data: Annotated[Entity, about("The company.")]
    entity: Annotated[Entity | UnsetType, about("The same as `data`; in replies from stored records only.")] = UNSET
    identifiers: Annotated[Identifiers | UnsetType, about("Where `include` names them.")] = UNSET


class UccReply(Receipt):
    """The liens of a party."""

    data: Annotated[UccData, about("The filings.")]


class Accepted(Shape, rename={"async_": "async"}):
    """The registry is slow: the answer comes later, as a job."""

    success: Annotated[bool, about("Always true.")]
    async_: Annotated[bool, about("Always true.")]
    jobId: Annotated[str, about("Names the job.")]
    message: Annotated[str, about("For people.")]
    pollInterval: Annotated[int, about("Milliseconds between two polls.")]
    estimatedSeconds: Annotated[int, about("How long it will take.")]
    statusUrl: Annotated[str, about("Where to ask, from the root of this host.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict | None, VERDICT]
    livemode: Annotated[bool, LIVEMODE]


class JobStatus(Shape):
    """How far a job is, or what came of it."""

    success: Annotated[bool, about("False when the registry has no such company.")]
    jobId: Annotated[str, about("Names the job.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict | None, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    status: Annotated[JobState, about("How far it is.")]
    pollInterval: Annotated[int | UnsetType, about("While it runs: milliseconds between two polls.")] = UNSET
    estimatedSeconds: Annotated[int | UnsetType, about("While it runs: how long it will still take.")] = UNSET
    nextTryAt: Annotated[
        Moment | UnsetType | None,
        about("While it runs: when its registry is tried next; null when it is not waited for."),
    ] = UNSET
    result: Annotated[
        Any, either("Once complete: the whole reply to the lookup.", "EntityReply", "UccReply", "EntityNotFound")
    ] = UNSET
    error: Annotated[str | UnsetType, about("Once complete, when nothing was found: for people.")] = UNSET
    data: Annotated[Any, either("Once complete: the `data` of the result.", "Entity", "UccData", "null")] = UNSET
    cost: Annotated[float | UnsetType, about("Once complete: charged, in USD.")] = UNSET


class JobFailed(Shape, kw_only=True):
    """A job that nobody could answer."""

    success: Annotated[bool, about("Always false.")]
    jobId: Annotated[str, about("Names the job.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    status: Annotated[JobState, about("Always failed.")]
    error: Annotated[str, about("For people.")]
    code: Annotated[Code, about("For programs.")]
    reason: Annotated[OutcomeReason | None, about("Why there is no answer, as a word; null where none was kept.")]
    details: Annotated[
        dict[str, list[str]] | UnsetType, about("Of a refused question: each field that does not fit, and why.")
    ] = UNSET
    note: Annotated[
        str | UnsetType, about("The operator's sentence, or another way to an answer, where there is one.")
    ] = UNSET
    cost: Annotated[float, about("USD; always 0.")]
    retryable: Annotated[bool, about("Whether the same request may succeed later.")]
    requestId: Annotated[str, about("Names the request; quote it when you write to us.")]
    docUrl: Annotated[str, about("Where the code is explained.", format="uri")]


class OpenLookup(Shape):
    """A lookup that has not ended."""

    success: Annotated[bool, about("Always true.")]
    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict | None, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    jobId: Annotated[str | None, about("The job that answers it; null while its own request does.")]
    statusUrl: Annotated[str | None, about("Where that is asked for, from the root of this host.")]


class ListedLookup(Shape):
    """One lookup in a list."""

    lookupId: Annotated[str, LOOKUP_ID]
    verdict: Annotated[Verdict | None, VERDICT]
    livemode: Annotated[bool, LIVEMODE]
    entity_name: Annotated[str | None, about("The name that was asked for.")]
    entity_id: Annotated[str | None, about("The identifier that was asked for.")]
    searchType: Annotated[SearchType, about("What was looked up.")]
    state: Annotated[str, about("The jurisdiction.")]
    ref: Annotated[str | None, about("Your own mark.")]
    bulk: Annotated[str | None, about("The bulk job (`job_id`) whose row it is, if it is one.")]
    reason: Annotated[OutcomeReason | None, about("Why there is no answer, as a word.")]
    cost: Annotated[float, about("Charged, in USD.")]
    createdAt: Annotated[Moment, about("When it was accepted, UTC.")]
    endedAt: Annotated[Moment | None, about("When it ended, UTC; null until then.")]
    url: Annotated[str, about("Where its whole reply is told again, from the root of this host.")]
    searchBy: Annotated[SearchBy | None, about("UCC: which party of a lien was searched for.")]
    dateAfter: Annotated[Day | None, about("UCC: only what was filed on this day or later.")]
    dateBefore: Annotated[Day | None, about("UCC: only what was filed on this day or earlier.")]


class LookupList(Shape):
    """A page of lookups."""

    success: Annotated[bool, about("Always true.")]
    livemode: Annotated[bool, LIVEMODE]
    lookups: Annotated[list[ListedLookup], about("The newest first.")]
    nextCursor: Annotated[str | None, about("Send it as `cursor` for the next page; null on the last one.")]


class ChainPlace(Shape):
    """Where the manifest stands in the chain: `hash` is SHA-256 over the bytes of `previous` and of its `sha256`."""

    number: Annotated[int, about("From 1; none is left out.", minimum=1)]
    previous: Annotated[str, about("The hash of the entry before it; 64 zeros for the first.")]
    hash: Annotated[str, about("Its own, in hexadecimal digits.")]


class SignedHead(Shape):
    """The chain's last entry at some hour."""

    number: Annotated[int, about("The entry it is.", minimum=1)]
    document: Annotated[str, about("The exact text that was signed.")]
    signature: Annotated[str, about("Ed25519 over that text, in base64.")]
    keyId: Annotated[str, about("The key: `/.well-known/sos-lookup-keys.json`.")]
    timeStamp: Annotated[str | None, about("An authority's reply about that text (RFC 3161, DER), in base64.")]
    stampedAt: Annotated[Moment | None, about("The authority's time.")]


class ExchangeRecord(Shape):
    """One exchange with the source: the record that was signed, and whether its bytes are handed out."""

    sha256: Annotated[str, about("SHA-256 of the record in the form of RFC 8785; `manifest.exchanges` has it.")]
    record: Annotated[dict[str, Any], about("What was asked and answered; `body.sha256` is that of the bytes.")]
    bytes: Annotated[
        BodyState, about("Whether the bytes are in the file of evidence, were left out, or are not kept (any more).")
    ]


class EvidenceReply(Shape, kw_only=True):
    """What proves one lookup."""

    success: Annotated[bool, about("Always true.")]
    lookupId: Annotated[str, LOOKUP_ID]
    livemode: Annotated[bool, LIVEMODE]
    manifest: Annotated[dict[str, Any], about("What is signed: the question, how it ended, and hashes of the rest.")]
    document: Annotated[str, about("The manifest's exact text (RFC 8785), which is hashed and signed.")]
    sha256: Annotated[str, about("SHA-256 of that text; `evidence.sha256` of the reply.")]
    signature: Annotated[str, about("Ed25519 over that text, in base64.")]
    keyId: Annotated[str, about("The key: `/.well-known/sos-lookup-keys.json`.")]
    publicKey: Annotated[str, about("Its 32 bytes, in base64.")]
    exchanges: Annotated[list[ExchangeRecord], about("What was asked of the source and answered, in order.")]
    identifierExchanges: Annotated[
        list[ExchangeRecord] | UnsetType,
        about(
            "What was asked for `identifiers` and answered, where they were included. It came after the manifest, "
            "which does not name it."
        ),
    ] = UNSET
    facts: Annotated[
        str | None,
        about("The exact text of what you were told of the registry; null where something of it is left out since."),
    ]
    chain: Annotated[ChainPlace, about("Its place in the chain.")]
    head: Annotated[SignedHead | None, about("The first signed head over it; null for up to an hour.")]
    archiveUrl: Annotated[str, about("The same as a file, with the bytes; from the root of this host.")]
