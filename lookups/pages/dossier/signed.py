"""What was signed under a hash, for whoever holds the paper on which it stands, and knows nothing of who asked.

A hash on paper proves nothing by itself: somebody could print it below another record. So the record is shown beside
it, as strangers may read it, to be compared with the paper; the customer, the question and the minute are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from lookups.evidence import bundle
from lookups.models import ChainEntry, Lookup, Manifest
from lookups.pages.dossier.page import Dossier, NothingKept, of_lookup
from lookups.pages.dossier.record.words import Some, day
from lookups.privacy import suppression

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Signed:
    """One manifest: the day it was signed, its place in the chain, and what it is of where that may be shown."""

    sha256: str
    day: str
    key_id: str
    place: bundle.Place | None
    page: Dossier | None
    sandbox: bool

    @property
    def stamped_on(self) -> str | None:
        """The day of the outside authority's time-stamp over it; None where there is none."""
        head = self.place.head if self.place else None
        return day(head.stamped_at) if head is not None and head.token is not None else None


def find(sha256: str, *, now: datetime) -> Signed | None:
    """The manifest with this hash; None where we signed none."""
    sha256 = sha256.lower()  # some programs write a hash in capitals
    if not _SHA256.fullmatch(sha256):
        return None
    found = Manifest.objects.filter(sha256=sha256).first()
    if found is None:
        return None
    lookup = Lookup.objects.whole().get(pk=found.lookup_id)
    entry = ChainEntry.objects.filter(manifest=found).first()
    return Signed(
        sha256=sha256,
        day=day(lookup.ended_at) or "",
        key_id=found.key_id,
        place=bundle.Place(entry, bundle.find_head(entry)) if entry else None,
        page=_find_page(lookup, now=now) if found.document is not None else None,
        sandbox=lookup.sandbox,
    )


def _find_page(lookup: Lookup, *, now: datetime) -> Dossier | None:
    if settings.ENTITY_PAGES == "off" or (lookup.version and not suppression.has_page(lookup.version.entity)):
        return None
    try:
        page = of_lookup(lookup, viewer="public", now=now)
    except NothingKept:
        return None
    # What else the search brought is not on the paper, and says how somebody asked
    return replace(page, matches=Some([]), lookup_id="")
