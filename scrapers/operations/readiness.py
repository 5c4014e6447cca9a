"""What is known of a state before its portal is asked, read in one statement: its switch, its breaker and its copy."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Subquery

from jurisdictions.models import Jurisdiction
from jurisdictions.prepared import Blank, Prepared
from scrapers.models import BulkCopy
from scrapers.operations import breaker

SECONDS = 1.0  # so long it serves the thread that asks: who waits longer for his turn reads it anew


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a state is switched on (`reason`: why not), its portal well, and of which day its loaded copy is."""

    enabled: bool
    reason: str
    is_well: bool
    copy_as_of: datetime | None
    copy_sha256: str = ""
    copy_id: int | None = None
    read_at: float = field(default_factory=time.monotonic)

    @property
    def is_fresh(self) -> bool:
        """Whether it may still be acted upon."""
        return time.monotonic() - self.read_at < SECONDS


def _known() -> Any:
    copy = BulkCopy.objects.filter(state=OuterRef("pk"), status="current")
    known = Jurisdiction.objects.filter(code=Blank("code")).annotate(
        is_ill=Exists(breaker.list_ill().filter(pk=OuterRef("pk"))),
        copy_as_of=Subquery(copy.values("as_of")[:1]),
        copy_sha256=Subquery(copy.values("sha256")[:1]),
        copy_id=Subquery(copy.values("pk")[:1]),
    )
    return known.values_list("enabled", "reason", "is_ill", "copy_as_of", "copy_sha256", "copy_id")


_KNOWN = Prepared(_known)


def read(state: str) -> Readiness:
    """Read it now; Jurisdiction.DoesNotExist when `sync_jurisdictions` was never run."""
    for enabled, reason, is_ill, as_of, sha256, copy_id in _KNOWN.tuples(code=state):
        return Readiness(enabled, reason, not is_ill, as_of, sha256 or "", copy_id)
    raise Jurisdiction.DoesNotExist(state)
