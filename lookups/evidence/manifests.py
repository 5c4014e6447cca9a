"""The manifest of a lookup: what was asked, how it ended and what that rests on, as one signed text.

It is written with the lookup's end, in the same transaction as the charge, and its hash is the `sha256` of every reply.
What it says of the registry stands beside it as hashes: of each exchange, and of the facts that the customer was given.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from jurisdictions import canonical
from jurisdictions.prepared import Insertion
from lookups.evidence import signing
from lookups.evidence.signing import Signed
from lookups.lookup.storage import wire_time
from lookups.models import Lookup, Manifest
from lookups.verdicts import Verdict
from scrapers.models import Reading
from scrapers.transport.exchanges import record_hash

_WRITTEN = Insertion(Manifest)
_SAYS_NOTHING = (Verdict.CANCELLED, Verdict.FAILED)  # of a registry, unless one was read


@dataclass(frozen=True, slots=True)
class Facts:
    """What the customer was given of the registry, as bytes that hash to what the manifest says."""

    document: bytes

    @property
    def sha256(self) -> str:
        """In hexadecimal digits."""
        return hashlib.sha256(self.document).hexdigest()


def seal(lookup: Lookup, *, reading: Reading | None, now: datetime) -> Signed | None:
    """Sign what this lookup, ended but not written yet, says; None where it says nothing of a registry.

    Its evidence names the manifest from then on.
    """
    if reading is None and lookup.verdict in _SAYS_NOTHING:
        return None
    signed = signing.sign(content_of(lookup, reading=reading), now=now)
    if lookup.evidence is not None:
        lookup.evidence = {**lookup.evidence, "sha256": signed.sha256}
    return signed


def keep(signed: Signed | None, lookup: Lookup) -> None:
    """Write the manifest of a lookup that is written by now; joins the caller's transaction."""
    if signed is not None:
        _WRITTEN.write(_row(signed, lookup))


def keep_with(signed: Signed | None, lookup: Lookup, insertion: Insertion[Lookup]) -> None:
    """Write a lookup by this insertion, and its manifest: both, or neither."""
    if signed is None:
        insertion.write(lookup)
    else:
        insertion.write_named(lookup, _WRITTEN, "lookup_id", _row(signed, lookup))


def _row(signed: Signed, lookup: Lookup) -> Manifest:
    return Manifest(
        lookup_id=lookup.pk,
        document=signed.document.decode(),
        sha256=signed.sha256,
        signature=signed.signature,
        key_id=signed.key_id,
    )


def content_of(lookup: Lookup, *, reading: Reading | None) -> dict[str, Any]:
    """What a manifest says."""
    assert lookup.ended_at is not None
    return {
        "type": "sos-lookup/manifest",
        "version": 1,
        "service": settings.PUBLIC_URL,
        "lookup": lookup.public_id,
        "livemode": lookup.livemode,
        "requestId": lookup.request_id or None,
        "question": _question(lookup),
        "askedAt": wire_time(lookup.created_at),
        "answeredAt": wire_time(lookup.ended_at),
        "verdict": lookup.verdict,
        "reason": lookup.reason or None,
        "source": lookup.source,
        "dataAsOf": wire_time(lookup.data_as_of),
        "readAt": wire_time(reading.read_at) if reading else None,
        "reader": _reader(lookup, reading) if reading else None,
        "exchanges": [record_hash(record) for record in reading.exchanges] if reading else [],
        "facts": {"sha256": facts_of(lookup).sha256},
    }


def facts_of(lookup: Lookup) -> Facts:
    """What the customer was given of the registry, from the columns of the row and from nothing else."""
    return Facts(canonical.to_bytes({"verdict": lookup.verdict, **_given(lookup)}))


def _given(lookup: Lookup) -> dict[str, Any]:
    if lookup.filing_set is not None:
        return {"filings": lookup.filing_set.filings, "totalResults": lookup.total}
    if lookup.version is not None:
        return {
            "record": lookup.version.data,
            "normalized": lookup.version.normalized,
            "match": lookup.match,
            "related": lookup.related,
        }
    if lookup.name_check is not None:  # its evidence names the manifest itself
        return {"nameCheck": {name: value for name, value in lookup.name_check.items() if name != "evidence"}}
    if lookup.verdict in (Verdict.NOT_FOUND, Verdict.AMBIGUOUS):
        return {"candidates": lookup.candidates}
    return {}


def _question(lookup: Lookup) -> dict[str, Any]:
    asked = lookup.question
    return {
        "state": lookup.state,
        "searchType": lookup.kind,
        "entityName": asked.get("name"),
        "entityId": asked.get("entity_id"),
        "searchBy": asked.get("search_by") if lookup.kind == "ucc" else None,
        "dateAfter": asked.get("date_after"),
        "dateBefore": asked.get("date_before"),
    }


def _reader(lookup: Lookup, reading: Reading) -> dict[str, Any]:
    """Who read these facts of the kept bytes: of a correction another reader than then, whose revision nobody kept."""
    is_stored = lookup.source == Lookup.Source.STORED
    is_corrected = is_stored and lookup.version is not None and lookup.version.is_correction
    return {
        "state": reading.state,
        "version": lookup.reader_version if is_corrected else reading.reader_version,
        "builtAt": lookup.reader_built_at if is_corrected else reading.reader_built_at,
        "revision": None if is_corrected else reading.reader_revision,
    }
