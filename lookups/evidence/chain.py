"""The chain over all manifests: each entry hashes the one before it and the next manifest, in the manifests' order.

Nobody can slip a manifest in, take one out or change one without writing every later entry anew, and the heads, signed
each hour and time-stamped elsewhere where the operator asks for it, would contradict that. An entry holds no text: an
erased account's manifests end, their entries stay.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from lookups.models import ChainEntry, ChainHead, ChainTip, Manifest, SigningKey

START = "0" * 64
BATCH = 500


def link(previous: str, manifest: str) -> str:
    """The hash of an entry: SHA-256 over the 32 bytes of each, all in hexadecimal digits."""
    return hashlib.sha256(bytes.fromhex(previous) + bytes.fromhex(manifest)).hexdigest()


def append() -> int:
    """Chain what is not chained yet, batch after batch; return how many entries that makes.

    A manifest is numbered before its transaction commits: one that comes late takes its place behind those that are
    there by then.
    """
    added = 0
    while True:
        made = _append_batch()
        added += made
        if made < BATCH:
            return added


def find_difference() -> str | None:
    """Read the whole chain; the first thing that does not fit, as a sentence, or None.

    It may be written on meanwhile: what is behind the end that was there first is not read.
    """
    tip = ChainTip.objects.first() or ChainTip()
    hashed, number = START, 0
    for entry in _entries(upto=tip.number):
        number += 1
        if entry.number != number:
            return f"Entry {number} is missing."
        if entry.previous_hash != hashed or link(hashed, entry.manifest_sha256) != entry.hash:
            return f"Entry {number} does not follow from the one before it."
        if entry.manifest.sha256 != entry.manifest_sha256:
            return f"The manifest of entry {number} is not the one that was chained."
        document = entry.manifest.document
        if document is not None and hashlib.sha256(document.encode()).hexdigest() != entry.manifest_sha256:
            return f"The manifest of entry {number} was changed."
        if document is not None and not _is_signed(document, entry.manifest.signature, entry.manifest.key):
            return f"The signature of the manifest of entry {number} was changed."
        hashed = entry.hash
    if (tip.number, tip.hash or START) != (number, hashed):
        return f"The chain ends at entry {number}, and had {tip.number}."
    end = Coalesce(Subquery(ChainTip.objects.values("number")[:1]), 0)
    beyond = ChainEntry.objects.filter(number__gt=end).order_by("number").first()
    if beyond is not None:
        return f"Entry {beyond.number} stands behind the end of the chain."
    cut_off = Manifest.objects.filter(is_chained=True, entry=None).order_by("id").first()
    if cut_off is not None:
        return f"The manifest {cut_off.sha256} had a place in the chain, and has none."
    return _find_other_head()


def _is_signed(document: str, signature: str, by: SigningKey) -> bool:
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(by.public_key))
    try:
        key.verify(base64.b64decode(signature), document.encode())
    except (InvalidSignature, ValueError):  # the second of what is no signature at all
        return False
    return True


def _find_other_head() -> str | None:
    """The first head that is not of this chain: who writes all of it anew, or cuts its end off, has signed another."""
    own = ChainEntry.objects.filter(number=OuterRef("number")).values("hash")
    for head in ChainHead.objects.order_by("number").select_related("key").annotate(own_hash=Subquery(own)):
        if not _is_signed(head.document, head.signature, head.key):
            return f"The head at entry {head.number} was changed."
        signed = json.loads(head.document)
        if (signed["number"], signed["hash"]) != (head.number, head.own_hash):
            return f"The head at entry {head.number} is of another chain."
    return None


def _append_batch() -> int:
    with transaction.atomic():
        tip, _ = ChainTip.objects.select_for_update().get_or_create(pk=1)
        waiting = Manifest.objects.filter(is_chained=False).order_by("id")
        manifests = list(waiting.values_list("id", "sha256")[:BATCH])
        entries = []
        for number, sha256 in manifests:
            previous = tip.hash or START
            tip.number, tip.hash = tip.number + 1, link(previous, sha256)
            entries.append(
                ChainEntry(
                    number=tip.number,
                    manifest_id=number,
                    manifest_sha256=sha256,
                    previous_hash=previous,
                    hash=tip.hash,
                )
            )
        if entries:
            ChainEntry.objects.bulk_create(entries)
            Manifest.objects.filter(pk__in=[number for number, _ in manifests]).update(is_chained=True)
            tip.save()
        return len(entries)


def _entries(*, upto: int) -> Iterator[ChainEntry]:
    return (
        ChainEntry.objects.filter(number__lte=upto)
        .order_by("number")
        .select_related("manifest__key")
        .iterator(chunk_size=2000)
    )
