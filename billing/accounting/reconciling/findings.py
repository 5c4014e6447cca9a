"""What a comparison finds, and the rows it becomes: open from the first time it is found until it is not any more."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from billing.models import Difference

log = logging.getLogger(__name__)

BATCH = 500
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference; `at` is when what differs was made, None where every run looks at it anew."""

    name: Difference.Name
    subject: str
    numbers: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None


Check = Callable[[datetime | None], Iterator[Finding]]
added: list[tuple[tuple[str, ...], Check]] = []


def add_check(names: Iterable[str], check: Check) -> None:
    """Have `check` compare as well what another app keeps; it finds differences of these names."""
    added.append((tuple(names), check))


def list_open() -> dict[tuple[str, str], Difference]:
    """The open differences by name and subject."""
    return {(row.name, row.subject): row for row in Difference.objects.filter(gone_at=None)}


def record(
    found: Iterable[Finding],
    *,
    earlier: dict[tuple[str, str], Difference],
    names: Iterable[str],
    since: datetime | None,
    now: datetime,
) -> None:
    """Keep what was found; what was looked at again and not found is gone.

    `earlier` was open before the comparison began; `names` are those that were looked for, among what was made since
    then. A difference of something older stays as it is until a run that reads everything.
    """
    seen = {(one.name.value, one.subject[:300]): one for one in found}
    for key, one in seen.items():
        row = earlier.get(key)
        if row is None:
            log.error("difference: %s %s %s", one.name.value, one.subject, one.numbers)
        else:
            Difference.objects.filter(pk=row.pk).update(last_seen_at=now, numbers=one.numbers, gone_at=None)
    new = [
        Difference(
            name=name, subject=subject, numbers=one.numbers, happened_at=one.at, first_seen_at=now, last_seen_at=now
        )
        for (name, subject), one in seen.items()
        if (name, subject) not in earlier
    ]
    Difference.objects.bulk_create(new, batch_size=BATCH, ignore_conflicts=True)  # another run may be as fast
    looked_for = {str(name) for name in names}
    gone = [
        row.pk for key, row in earlier.items() if key not in seen and row.name in looked_for and _was_read(row, since)
    ]
    Difference.objects.filter(pk__in=gone).update(gone_at=now)


def in_batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """The rows, some hundreds at a time."""
    while batch := list(islice(rows, BATCH)):
        yield batch


def _was_read(row: Difference, since: datetime | None) -> bool:
    return row.happened_at is None or since is None or row.happened_at >= since
