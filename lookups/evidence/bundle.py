"""Everything that proves one lookup, gathered: its manifest, what was exchanged, the facts, and its place in the chain.

What people asked to be left out is not handed out in bytes either: a body that names them, and facts from before they
asked, are withheld. Their hashes stay, so that what is handed out can be checked all the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jurisdictions import canonical
from lookups.evidence import chain, manifests
from lookups.models import ChainEntry, ChainHead, Identifiers, Lookup, Manifest
from lookups.privacy import suppression
from scrapers.evidence import readings

State = Literal["kept", "withheld", "not_kept"]
MOST_LINKS = 20_000  # entries between one and the head that a file has; an hour of 5 lookups a second


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange: its record as it was signed, and its bytes as far as they are handed out."""

    record: Mapping[str, Any]
    document: bytes
    body: bytes | None
    state: State

    @property
    def sha256(self) -> str:
        """The hash of the record, in hexadecimal digits."""
        return hashlib.sha256(self.document).hexdigest()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a manifest stands in the chain, and the head over it, once there is one."""

    entry: ChainEntry
    head: ChainHead | None

    def list_links(self) -> list[str] | None:
        """The manifests between, which lead to the head; None where there is none yet, or they are too many."""
        if self.head is None or self.head.number - self.entry.number > MOST_LINKS:
            return None
        between = ChainEntry.objects.filter(number__gt=self.entry.number, number__lte=self.head.number)
        return list(between.order_by("number").values_list("manifest_sha256", flat=True))


@dataclass(frozen=True, slots=True)
class Bundle:
    """The proof of one lookup. `facts` is None where they are withheld."""

    manifest: Manifest
    document: str
    exchanges: list[Exchange]
    facts: bytes | None
    place: Place

    @property
    def content(self) -> dict[str, Any]:
        """What the manifest says."""
        return dict(json.loads(self.document))


def find(lookup: Lookup) -> Bundle | None:
    """The proof of a lookup that has ended; None where none was kept, or not any more."""
    told = lookup.repeats or lookup
    manifest = Manifest.objects.select_related("key").filter(lookup=told).first()
    if manifest is None or manifest.document is None:
        return None
    return Bundle(
        manifest=manifest,
        document=manifest.document,
        exchanges=_list_exchanges(told),
        facts=_find_facts(told),
        place=find_place(manifest),
    )


def is_kept(lookup: Lookup) -> bool:
    """Whether there is a proof of it, which for an answer given again is that of the first."""
    return Manifest.objects.filter(lookup=lookup.repeats_id or lookup.pk).exclude(document=None).exists()


def find_place(manifest: Manifest) -> Place:
    """Where a manifest stands in the chain, which is written on where it has no place yet."""
    if not manifest.is_chained:
        chain.append()
    entry = ChainEntry.objects.get(manifest=manifest)
    return Place(entry, find_head(entry))


def find_head(entry: ChainEntry) -> ChainHead | None:
    """The first head over an entry with a time-stamp, else the first; None where there is none yet.

    A time-stamp that is too far away says nothing of the entry: the way there is shown to nobody.
    """
    over = ChainHead.objects.select_related("key").filter(number__gte=entry.number).order_by("number")
    return over.filter(token__isnull=False, number__lte=entry.number + MOST_LINKS).first() or over.first()


def list_identifier_exchanges(lookup: Lookup) -> list[Exchange] | None:
    """What was asked of other registers for its identifiers; None where it did not ask for them."""
    row: Identifiers | None = getattr(lookup.repeats or lookup, "identifiers", None)
    return None if row is None else _judge(row.exchanges, lookup)


def _list_exchanges(lookup: Lookup) -> list[Exchange]:
    return [] if lookup.reading is None else _judge(lookup.reading.exchanges, lookup)


def _judge(records: Sequence[Mapping[str, Any]], lookup: Lookup) -> list[Exchange]:
    is_withheld = _is_left_out(lookup)
    return [_exchange(record, lookup.state, is_withheld=is_withheld) for record in records]


def _exchange(record: Mapping[str, Any], state: str, *, is_withheld: bool) -> Exchange:
    document = canonical.to_bytes(dict(record))
    if is_withheld:
        return Exchange(record, document, None, "withheld")
    body = readings.find_body(record) if record["status"] is not None else None
    if body is None:
        return Exchange(record, document, None, "not_kept")
    if suppression.names_anyone(readings.to_text(record, body), state=state):
        return Exchange(record, document, None, "withheld")
    return Exchange(record, document, body, "kept")


def _is_left_out(lookup: Lookup) -> bool:
    """Whether something of what was found is left out: then its pages are, wherever it stands there."""
    version, filings = lookup.version, lookup.filing_set
    if version is not None:
        found = suppression.withhold(version.data, version.normalized, state=lookup.state)
        return bool(found.note) or not suppression.has_page(version.entity)
    return filings is not None and bool(suppression.withhold_parties(filings.filings, state=lookup.state)[1])


def _find_facts(lookup: Lookup) -> bytes | None:
    """The facts as they were signed; None where something of them is left out since."""
    version, filings = lookup.version, lookup.filing_set
    if version is not None:
        found = suppression.withhold(version.data, version.normalized, state=lookup.state)
        if (found.data, found.normalized) != (version.data, version.normalized):
            return None
    if filings is not None:
        shown, _ = suppression.withhold_parties(filings.filings, state=lookup.state)
        if shown != filings.filings:
            return None
    return manifests.facts_of(lookup).document
