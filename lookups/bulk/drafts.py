"""A table on its way to a bulk job: kept from the first look at it, mended row by row, and bought once.

The draft gives the bulk job its id, so whoever buys it twice, in two windows or by two clicks, has bought one.
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from billing import locks
from billing.models import ApiKey
from lookups.bulk import bulk_jobs, spreading
from lookups.bulk.tables import columns
from lookups.bulk.tables.columns import Mapping as Columns
from lookups.bulk.tables.lines import Line, Unreadable
from lookups.bulk.tables.reading import LONGEST_CELL, Table, with_headers
from lookups.lookup.outcomes import NobodyAtWork, OutOfFunds
from lookups.models import BulkDraft, BulkJob

KEPT_FOR = timedelta(days=30)  # after its last change, while nobody has bought it
MOST_OPEN = 50  # of an account and mode
NO_HEADINGS = "There are no headings: the first row of the file is a row already."


class TooMany(Exception):
    """The account keeps as many drafts as it may."""


class Changed(Exception):
    """Somebody has changed, bought or discarded the draft since it was shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a draft: where it stands, its cells, what was mended in it by field, and what it asks."""

    index: int
    line: int
    cells: list[str]
    kinds: dict[int, str]
    own: dict[str, str]
    dropped: bool
    is_part: bool  # one of several, of a line that names several states
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """What is bought of a draft: questions by the index of their row, and the rows that are left out, with why."""

    wanted: Sequence[tuple[int, bulk_jobs.Wanted]]
    left_out: Sequence[dict[str, Any]]
    accepts_stored: bool
    max_wait: timedelta


def keep(*, table: Table, name: str, key: ApiKey, now: datetime) -> BulkDraft:
    """Keep a table as a draft, its columns guessed. Raises TooMany and Unreadable."""
    if list_open(key).count() >= MOST_OPEN:
        raise TooMany
    mapping = columns.guess(table.headers, table.lines)
    return BulkDraft.objects.create(
        account_id=key.account_id,
        sandbox=key.is_test,
        name=name[:200],
        table=_to_json(table, mapping, sandbox=key.is_test, now=now),
        mapping=mapping.to_json(),
        created_at=now,
        changed_at=now,
    )


def find(draft_id: uuid.UUID, *, key: ApiKey) -> BulkDraft | None:
    """The draft of this key's account and mode; None for anybody else's."""
    own = BulkDraft.objects.filter(account_id=key.account_id, sandbox=key.is_test)
    return own.select_related("bulk").filter(pk=draft_id).first()


def list_open(key: ApiKey) -> QuerySet[BulkDraft]:
    """The drafts of this key's account and mode that nobody has bought, the one touched last first."""
    own = BulkDraft.objects.open().filter(account_id=key.account_id, sandbox=key.is_test)
    return own.defer("table", "mapping")


def read_rows(draft: BulkDraft) -> list[Row]:
    """Its rows in the order of the file, with what each asks as the columns are understood now."""
    mapping = Columns.from_json(draft.mapping)
    rows = []
    for index, kept in enumerate(draft.table["rows"]):
        fields = columns.read_fields(mapping, kept["cells"]) | kept.get("own", {})
        rows.append(
            Row(
                index=index,
                line=kept["line"],
                cells=kept["cells"],
                kinds={int(column): kind for column, kind in kept.get("kinds", {}).items()},
                own=kept.get("own", {}),
                dropped=kept.get("dropped", False),
                is_part="part" in kept,
                fields={name: text for name, text in fields.items() if text},
            )
        )
    return rows


def read_layout(draft: BulkDraft) -> str:
    """Which row stands at which index, as a word: it changes with the headings, and where a line becomes several."""
    places = [(row["line"], row.get("part")) for row in draft.table["rows"]]
    return f"{zlib.crc32(repr(places).encode()):08x}"


def change_columns(*, draft: BulkDraft, mapping: Columns, now: datetime) -> None:
    """Understand its columns otherwise. Raises Changed and Unreadable."""
    with _changing(draft, now=now) as held:
        held.mapping = mapping.to_json()
        held.table["rows"] = spreading.spread(held.table["rows"], mapping, sandbox=held.sandbox, now=now)


def move_headings(*, draft: BulkDraft, into_rows: bool, now: datetime) -> None:
    """The headings are a row themselves, or the first row has the headings. Raises Changed and Unreadable.

    What was left out or mended of the other rows stays so. Headings above those of the first row are kept, and become
    a row once those are.
    """
    with _changing(draft, now=now) as held:
        _refuse_moved(held, of=draft)
        rows, heading, above = held.table["rows"], held.table.get("heading"), held.table.get("above", [])
        lines = [_read_line(row) for row in spreading.join(rows)]
        if into_rows:
            first = _find_heading(held)
            table = with_headers([_read_line(first), *lines], None)
            rows, above = [first, *rows], above if heading else above[:-1]
        elif len(lines) > 1:
            above = [*above, heading] if heading else above
            table = with_headers(lines, 0)
            rows = spreading.list_beneath_first(rows)
        else:
            raise Changed
        mapping = columns.guess(table.headers, table.lines)
        held.mapping = mapping.to_json()
        heading = table.heading and _keep_line(table.heading)
        held.table |= {"headers": table.headers, "heading": heading, "above": above}
        held.table["rows"] = spreading.spread(rows, mapping, sandbox=held.sandbox, now=now)


def mend(*, draft: BulkDraft, rows: Iterable[int], fields: Mapping[str, str], now: datetime) -> None:
    """Write other text into fields of some rows; the cells of the file stay as they are. Raises Changed."""
    written = {name: _one_line(text)[:LONGEST_CELL] for name, text in fields.items() if name in columns.LABELS}
    if "state" in written:
        written["state"] = columns.find_state(written["state"]) or written["state"]
    with _changing(draft, now=now) as held:
        for row in _chosen(held, rows, of=draft):
            row["own"] = {**row.get("own", {}), **written}


def drop(*, draft: BulkDraft, rows: Iterable[int], dropped: bool, now: datetime) -> None:
    """Leave some rows out, or take them back. Raises Changed."""
    with _changing(draft, now=now) as held:
        for row in _chosen(held, rows, of=draft):
            row["dropped"] = dropped


def discard(*, draft: BulkDraft) -> None:
    """Delete it, if nobody has bought it."""
    BulkDraft.objects.open().filter(pk=draft.pk).delete()


def buy(
    *,
    draft: BulkDraft,
    revision: int,
    order: Order,
    key: ApiKey,
    request_id: str,
    now: datetime,
    asked_by_id: int | None = None,
) -> BulkJob | OutOfFunds | NobodyAtWork:
    """Take the rows of a draft on as a bulk job, at the price that was shown of this revision; once.

    What is kept of it then is what the results need: the columns that come along. Raises Changed.
    """
    with transaction.atomic():
        held = BulkDraft.objects.select_for_update(of=("self",)).select_related("bulk").filter(pk=draft.pk).first()
        if held is None:
            raise Changed
        if held.bulk is not None:
            return held.bulk
        if held.revision != revision:
            raise Changed
        made = bulk_jobs.accept(
            wanted=[wanted for _, wanted in order.wanted],
            key=key,
            accepts_stored=order.accepts_stored,
            bulk_id=held.pk,
            request_id=request_id,
            max_wait=order.max_wait,
            now=now,
            asked_by_id=asked_by_id,
        )
        if isinstance(made, BulkJob):
            held.bulk, held.changed_at, held.left_out = made, now, list(order.left_out)
            _keep_carried(held, [index for index, _ in order.wanted])
            held.save()
        return made


def find_carried(bulk: BulkJob) -> tuple[list[str], list[list[str]], list[dict[str, Any]]]:
    """The headings that come along to its results, their cells row by row, and what was left out of the file."""
    draft = BulkDraft.objects.filter(bulk=bulk).first()
    if draft is None:
        return [], [], []
    return draft.table["headers"], [row["cells"] for row in draft.table["rows"]], draft.left_out


def prune(*, now: datetime) -> int:
    """Forget the drafts that nobody has touched for 30 days; returns how many."""
    old = BulkDraft.objects.abandoned(now - KEPT_FOR)
    with transaction.atomic():
        locks.lock_rows(old)
        return old.delete()[0]


@contextmanager
def _changing(draft: BulkDraft, *, now: datetime) -> Iterator[BulkDraft]:
    """The draft as it is now, nobody else's to change until it is saved; `draft` is brought up to it."""
    with transaction.atomic():
        held = BulkDraft.objects.select_for_update().open().filter(pk=draft.pk).first()
        if held is None:
            raise Changed
        yield held
        held.revision += 1
        held.changed_at = now
        held.save()
    draft.table, draft.mapping, draft.revision = held.table, held.mapping, held.revision


def _one_line(text: str) -> str:
    """As a cell has it; without NUL, which PostgreSQL stores nowhere (a file that has one is not taken at all)."""
    return " ".join(text.replace("\0", "").split())


def _chosen(draft: BulkDraft, rows: Iterable[int], *, of: BulkDraft) -> list[dict[str, Any]]:
    """The rows that stood at these places when it was looked at, as `of`. Raises Changed."""
    _refuse_moved(draft, of=of)
    wanted = set(rows)
    return [row for index, row in enumerate(draft.table["rows"]) if index in wanted]


def _refuse_moved(draft: BulkDraft, *, of: BulkDraft) -> None:
    """Raise Changed where its rows stand at other places than when it was looked at, as `of`."""
    if read_layout(draft) != read_layout(of):
        raise Changed


def _keep_carried(draft: BulkDraft, asked: Sequence[int]) -> None:
    """Keep the columns that come along, of the rows that are asked and of those that are left out."""
    carried = Columns.from_json(draft.mapping).carried
    rows, headers = draft.table["rows"], draft.table["headers"]

    def cells_of(index: int) -> list[str]:
        return [rows[index]["cells"][column] for column in carried]

    draft.left_out = [{**one, "cells": cells_of(one["index"])} for one in draft.left_out]
    draft.table = {
        "headers": [headers[column] for column in carried],
        "notes": [],
        "rows": [{"line": rows[index]["line"], "cells": cells_of(index)} for index in asked],
    }
    draft.mapping = Columns(carried=tuple(range(len(carried)))).to_json()


def _to_json(table: Table, mapping: Columns, *, sandbox: bool, now: datetime) -> dict[str, Any]:
    rows = spreading.spread([_keep_line(line) for line in table.lines], mapping, sandbox=sandbox, now=now)
    heading = table.heading and _keep_line(table.heading)
    return {"headers": table.headers, "heading": heading, "notes": table.notes, "rows": rows}


def _keep_line(line: Line) -> dict[str, Any]:
    """A line of the file as a draft keeps it."""
    return {"line": line.number, "cells": line.cells} | ({"kinds": line.kinds} if line.kinds else {})


def _read_line(kept: Mapping[str, Any]) -> Line:
    return Line(kept["line"], kept["cells"], {int(at): kind for at, kind in kept.get("kinds", {}).items()})


def _find_heading(draft: BulkDraft) -> dict[str, Any]:
    """The line of the headings as the file has it, where the page may show them told apart. Raises Unreadable."""
    table = draft.table
    as_shown = {"line": max(1, table["rows"][0]["line"] - 1), "cells": table["headers"]}
    heading: dict[str, Any] | None = table.get("heading", as_shown)  # the version before kept the line in no draft
    above: list[dict[str, Any]] = [heading] if heading is not None else table.get("above", [])
    if not above:
        raise Unreadable(NO_HEADINGS)
    return above[-1]
