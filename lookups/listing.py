"""Lookups that are asked for again: one by its id, or those of an account that fit a filter, newest first."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from lookups.models import Lookup

_PUBLIC_ID = re.compile(r"(?P<kind>lk|nc)_(?P<ask>[0-9a-f]{32})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What is wanted of an account's lookups; None: whichever.

    `verdict` is "open" for those that have not ended; `day` is when a day of UTC begins.
    """

    state: str | None = None
    verdict: str | None = None
    ref: str | None = None
    bulk_id: uuid.UUID | None = None
    day: datetime | None = None


def find(public_id: str, *, account_id: int, sandbox: bool) -> Lookup | None:
    """The lookup of this account and mode by its public id, with all that a reply tells of it; None for others'."""
    found = _PUBLIC_ID.fullmatch(public_id)
    if found is None:
        return None
    mine = Lookup.objects.whole().select_related("job").filter(account_id=account_id, sandbox=sandbox)
    lookup = mine.filter(ask_id=uuid.UUID(found["ask"])).first()
    return lookup if lookup is not None and lookup.public_id == public_id else None


def list_lookups(*, account_id: int, sandbox: bool, wanted: Filter, before: int | None = None) -> QuerySet[Lookup]:
    """The lookups of this account and mode that fit, newest first, from before that row on."""
    rows = Lookup.objects.filter(account_id=account_id, sandbox=sandbox).select_related("bulk", "payment")
    rows = rows.defer("match", "related", "candidates", "name_check", "evidence")  # a list tells none of it
    if wanted.state is not None:
        rows = rows.filter(state=wanted.state)
    if wanted.verdict is not None:
        rows = rows.open() if wanted.verdict == "open" else rows.filter(verdict=wanted.verdict)
    if wanted.ref is not None:
        rows = rows.filter(ref=wanted.ref)
    if wanted.bulk_id is not None:
        rows = rows.filter(bulk_id=wanted.bulk_id)
    if wanted.day is not None:
        rows = rows.filter(created_at__gte=wanted.day, created_at__lt=wanted.day + timedelta(days=1))
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return rows.order_by("-pk")
