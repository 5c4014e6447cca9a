"""The rows of a filter, page by page, without counting and without reading through all that an account ever asked.

Any filter may fit a row in a million, and an index for each would cost every lookup. So a page looks through so many
rows at most, from the newest or from where the page before ended, and says how far it has looked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from lookups.models import Lookup
from lookups.workspace.history.filters import OPEN, Filter, Place

SPAN = 20_000  # rows that one page looks through: some hundredths of a second
SHOWN, PAGE = 50, 200  # rows that a page shows, and that are read at a time for a file
MOST_EXPORTED, MOST_SPANS = 10_000, 10
_BIG = ("match", "related", "candidates", "name_check", "evidence")


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows, the newest first. `next`: where the next page begins; `looked_to`: no older row was looked at."""

    rows: list[Lookup]
    next: Place | None
    looked_to: datetime | None = None


def read_page(
    *, account_id: int, sandbox: bool, wanted: Filter, before: Place | None = None, limit: int = SHOWN
) -> Page:
    """One page of the account's lookups of this mode."""
    whole = _bound(Lookup.objects.filter(account_id=account_id), wanted, before)
    floor = None if wanted.ref else _find_floor(whole)
    rows = _narrow(whole.filter(sandbox=sandbox), wanted)
    if floor is not None:
        rows = rows.filter(created_at__gte=floor)
    rows = rows.select_related("bulk", "payment", "asked_by", "key", "version", "filing_set").defer(*_BIG)
    page = list(rows.order_by("-created_at", "-pk")[: limit + 1])
    if len(page) > limit:
        last = page[limit - 1]
        return Page(page[:limit], (last.created_at, last.pk))
    return Page(page, (floor, 0) if floor is not None else None, looked_to=floor)


def list_all(*, account_id: int, sandbox: bool, wanted: Filter) -> Iterator[Lookup]:
    """Row by row what all pages show, up to a limit: for a file."""
    place, left = None, MOST_EXPORTED
    for _ in range(MOST_SPANS + MOST_EXPORTED // PAGE):
        page = read_page(account_id=account_id, sandbox=sandbox, wanted=wanted, before=place, limit=min(PAGE, left))
        yield from page.rows
        place, left = page.next, left - len(page.rows)
        if place is None or left <= 0:
            return


def _find_floor(rows: QuerySet[Lookup]) -> datetime | None:
    """When the last row was asked that is looked at; None where these are all."""
    times = rows.order_by("-created_at").values_list("created_at", flat=True)
    return next(iter(times[SPAN : SPAN + 1]), None)


def _bound(rows: QuerySet[Lookup], wanted: Filter, before: Place | None) -> QuerySet[Lookup]:
    if wanted.since is not None:
        rows = rows.filter(created_at__gte=wanted.since)
    if wanted.until is not None:
        rows = rows.filter(created_at__lt=wanted.until)
    if before is not None:
        same = Q(created_at=before[0], pk__lt=before[1])
        rows = rows.filter(Q(created_at__lt=before[0]) | same, created_at__lte=before[0])
    return rows


def _narrow(rows: QuerySet[Lookup], wanted: Filter) -> QuerySet[Lookup]:
    fits: dict[str, Any] = {name: getattr(wanted, name) for name in ("state", "kind", "origin", "ref")}
    rows = rows.filter(**{name: value for name, value in fits.items() if value})
    if wanted.verdict is not None:
        rows = rows.filter(**({"verdict__isnull": True} if wanted.verdict == OPEN else {"verdict": wanted.verdict}))
    if wanted.name:
        rows = rows.filter(asked__icontains=wanted.name)
    if wanted.who is not None:
        kind, number = wanted.who
        rows = rows.filter(asked_by=number) if kind == "user" else rows.filter(key=number, asked_by=None)
    return rows
