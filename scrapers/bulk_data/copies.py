"""Loads bulk data into the database and answers from it: streaming, resumable, switched at once.

A load reads the file row by row and commits a batch together with its position, so a killed load goes on where it
stopped. The old copy answers until the new one is whole and its counts are believable; then one transaction
switches, and the old rows are removed in slices.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, connection, transaction

from scrapers.bulk_data import reading
from scrapers.bulk_data.published import BulkData, Row
from scrapers.bulk_data.stored_form import from_plain, to_plain
from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.models import BulkCopy, BulkEntity, BulkName
from scrapers.normalize import names
from scrapers.records import Candidate, EntityRecord, NameKind

BATCH = 5_000  # rows
LARGEST_BATCH = 32 * 1024**2  # characters, so that a file of overlong rows takes no more memory than any other
_KEYS = 500  # asked for at once: for thousands PostgreSQL reads the whole table
LONGEST_PATH = 300  # characters; the copy's row keeps no longer one
_LONGEST_KEY = 200  # characters of a name's key that are kept, and so that are asked for
_CELL = 64  # what an empty cell takes, more or less
SHRINK = 0.9  # a new copy with fewer than 90 % of the old one's entities is refused
END = 100  # of the last entities of the old one most are in the new one, or that ended early
TRIPPED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, DataError)  # over a cell
Plain = dict[str, Any]
Progress = Callable[[BulkCopy], None]


class LoadRefused(Exception):
    """The file is not loaded, or not switched to; the old copy goes on answering. The text says why."""


class OtherLoad(LoadRefused):
    """The same bulk data is being loaded by somebody else, who goes on."""


def begin(*, state: str, bulk_data: BulkData, file: Path, as_of: datetime, now: datetime) -> BulkCopy:
    """The loading to work on: a broken one of the same file goes on, any other broken one is dropped."""
    if len(str(file)) > LONGEST_PATH:
        raise LoadRefused(f"{file}: its path has more than {LONGEST_PATH} characters")
    sha256 = _digest(file)  # what stands under a name may be another file by now
    broken = BulkCopy.objects.filter(state=state, status="loading").first()
    if broken is not None:
        if (broken.file, broken.as_of, broken.sha256) == (str(file), as_of, sha256):
            return broken
        refuse(copy=broken, why="replaced by a newer load", now=now)
    try:
        with transaction.atomic():
            return BulkCopy.objects.create(
                state=state, url=bulk_data.url, file=str(file), sha256=sha256, as_of=as_of, started_at=now
            )
    except IntegrityError as error:  # somebody else began meanwhile
        raise OtherLoad(f"another load of {state} is under way") from error


def _digest(file: Path) -> str:
    """The SHA-256 of a file; of a folder that of the list of its files, as `LC_ALL=C sha256sum *` prints it there."""
    if file.is_dir():
        files = sorted(one for one in file.iterdir() if one.is_file() and not one.name.startswith("."))
        listed = "".join(f"{_digest(one)}  {one.name}\n" for one in files)
        return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()
    with file.open("rb") as whole:
        return hashlib.file_digest(whole, "sha256").hexdigest()


def load(*, copy: BulkCopy, bulk_data: BulkData, progress: Progress = lambda copy: None) -> None:
    """Read the file from where the copy stands to its end; LoadRefused when it cannot be read so."""
    rows = islice(reading.rows(Path(copy.file), bulk_data), copy.rows_read, None)
    try:
        while batch := _take_batch(rows):
            records = [record for record in map(bulk_data.record, batch) if record is not None]
            if unnumbered := next((record for record in records if not record.entity_id), None):
                raise PageChanged(f"{unnumbered.entity_name!r} has no number")
            with transaction.atomic():
                _advance(copy, rows=len(batch), entities=len(records))
                _insert(copy, records)
            progress(copy)
    except PageChanged as error:
        raise LoadRefused(f"the layout has changed: {error.detail}") from error
    except TRIPPED as error:  # again at the same row, whenever it is tried
        raise LoadRefused(f"after row {copy.rows_read}: {type(error).__name__}: {error}"[:500]) from error


def _take_batch(rows: Iterator[Row]) -> list[Row]:
    """The next rows: as many as are committed together, and of few characters."""
    batch: list[Row] = []
    size = 0
    for row in islice(rows, BATCH):
        batch.append(row)
        size += sum(len(cell) + _CELL for cell in row.values())
        if size > LARGEST_BATCH:
            break
    return batch


def _advance(copy: BulkCopy, *, rows: int, entities: int) -> None:
    """Move the copy's position from where this load saw it; OtherLoad when somebody else has moved it meanwhile."""
    seen = BulkCopy.objects.filter(pk=copy.pk, status="loading", rows_read=copy.rows_read)
    if not seen.update(rows_read=copy.rows_read + rows, entities=copy.entities + entities):
        raise OtherLoad(f"another load of {copy.state} is under way")
    copy.rows_read += rows
    copy.entities += entities


def switch(*, copy: BulkCopy, bulk_data: BulkData, now: datetime, may_shrink: bool = False) -> None:
    """Let the new copy answer, in one transaction, when its counts are believable; LoadRefused otherwise.

    `may_shrink`: an operator knows that the register has far fewer entities than it had.
    """
    counted = _count(copy)
    if not may_shrink and (lost := _count_lost_at_end(copy)) > END / 2:
        raise LoadRefused(f"{lost} of the last {END} entities of the copy that answers are missing: it may be cut off")
    with transaction.atomic():
        old = BulkCopy.objects.select_for_update().filter(state=copy.state, status="current").first()
        least = max(bulk_data.least_rows, int(_count(old) * SHRINK) if old and not may_shrink else 0)
        if counted < least:
            raise LoadRefused(f"only {counted} entities where at least {least} were expected")
        BulkCopy.objects.filter(state=copy.state, status="current").update(status="replaced")
        if not _end(copy, "current", now=now):  # else it was given up meanwhile, and its rows may be gone
            raise OtherLoad(f"another load of {copy.state} is under way")


def _count(copy: BulkCopy) -> int:
    """Its entities, each once: of a file that holds them twice the next whole one would have "too few" for ever."""
    return BulkEntity.objects.filter(copy=copy).values("entity_id").distinct().count()


def _count_lost_at_end(copy: BulkCopy) -> int:
    """How many of the last entities that the file of the copy before has are missing; of a short one nothing is said.

    A register loses companies here and there. What loses all of the last ones was not written, or sent, to its end.
    """
    before = BulkEntity.objects.filter(copy__state=copy.state, copy__status="current").order_by("-pk")
    last = list(before.values_list("entity_id", flat=True)[:END])
    there = BulkEntity.objects.filter(copy=copy, entity_id__in=last).values_list("entity_id", flat=True)
    return len(set(last).difference(there)) if len(last) == END else 0


def refuse(*, copy: BulkCopy, why: str, now: datetime) -> None:
    """Give a loading up; its rows go with the next `prune`. One that has ended meanwhile stays what it is."""
    _end(copy, "refused", now=now, why=why)


def _end(copy: BulkCopy, status: str, *, now: datetime, why: str = "") -> bool:
    """End a loading so; False where somebody else has ended it."""
    loading = BulkCopy.objects.filter(pk=copy.pk, status="loading")
    ended = bool(loading.update(status=status, detail=why, finished_at=now))
    if ended:
        copy.status, copy.detail, copy.finished_at = status, why, now
    return ended


def prune() -> int:
    """Remove the rows of replaced and refused copies in short transactions; returns how many."""
    removed = 0
    for copy in BulkCopy.objects.filter(status__in=("replaced", "refused")):
        for rows in (BulkEntity.objects, BulkName.objects):
            while ids := list(rows.filter(copy=copy).values_list("pk", flat=True)[:20_000]):
                removed += rows.filter(pk__in=ids)._raw_delete("default")
    return removed


def _insert(copy: BulkCopy, records: list[EntityRecord]) -> None:
    others = [row for record in records for row in _other_names(record)]
    if connection.vendor == "postgresql":
        _copy_in(copy, records, others)
        return
    BulkEntity.objects.bulk_create(
        BulkEntity(
            copy=copy,
            entity_id=record.entity_id[:40],
            name_key=names.key(record.entity_name)[:_LONGEST_KEY],
            record=to_plain(record),
        )
        for record in records
    )
    BulkName.objects.bulk_create(
        BulkName(copy=copy, entity_id=number, name_key=key, name=name, kind=kind) for number, key, name, kind in others
    )


def _other_names(record: EntityRecord) -> Iterator[tuple[str, str, str, NameKind]]:
    """Number, key, name and kind of each name the entity had, or has beside the present one."""
    kinds: tuple[tuple[NameKind, tuple[str, ...]], ...] = (
        ("former", record.former_names),
        ("assumed", record.assumed_names),
    )
    for kind, others in kinds:
        for name in others:
            if key := names.key(name)[:_LONGEST_KEY]:
                yield record.entity_id[:40], key, name, kind


def _copy_in(copy: BulkCopy, records: list[EntityRecord], others: list[tuple[str, str, str, NameKind]]) -> None:
    """PostgreSQL's COPY: four times the speed of INSERT, in the same transaction as the position."""
    statement = "COPY scrapers_bulkentity (copy_id, entity_id, name_key, record) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as sink:
        for record in records:
            plain = json.dumps(to_plain(record), ensure_ascii=False).replace("\\u0000", "")
            sink.write_row((copy.pk, record.entity_id[:40], names.key(record.entity_name)[:_LONGEST_KEY], plain))
    statement = "COPY scrapers_bulkname (copy_id, entity_id, name_key, name, kind) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as sink:
        for number, key, name, kind in others:
            sink.write_row((copy.pk, number, key, name.replace("\0", ""), kind))


def list_copies() -> frozenset[str]:
    """The states a current copy of the bulk data is loaded of."""
    return frozenset(BulkCopy.objects.filter(status="current").values_list("state", flat=True))


def is_shared(*, state: str, entity_id: str) -> bool:
    """Whether several companies bear this number in the copy that answers for the state."""
    rows = BulkEntity.objects.filter(copy__state=state, copy__status="current", entity_id=entity_id)
    return len(rows.values_list("name_key", flat=True).distinct()[:2]) > 1


@dataclass(frozen=True, slots=True)
class CurrentCopy:
    """The copy that answers for a state, as the scraping core sees it (`scrapers.search.sources.Copy`).

    Once another one answers, its entities are removed: what is missing then was not missing in the file, and what the
    other one has is not of this file. So reading it raises PortalUnavailable from then on.
    """

    state: str
    as_of: datetime
    sha256: str
    number: int

    def list_by_name(self, key: str, *, limit: int, wider: int) -> tuple[list[EntityRecord], list[EntityRecord]]:
        """Entities with just this key, and `wider` at most of those whose key goes on after it."""
        if not key:
            return [], []
        with self._whole():
            rows = BulkEntity.objects.filter(copy=self.number).values_list("record", flat=True)
            own = [from_plain(plain) for plain in rows.filter(name_key=key[:_LONGEST_KEY])[:limit]]
            return own, [from_plain(plain) for plain in rows.filter(name_key__startswith=key + " ")[:wider]]

    def list_by_keys(self, keys: Collection[str], *, limit: int) -> list[EntityRecord]:
        """Entities with one of these keys."""
        every, records = sorted(keys), list[EntityRecord]()
        with self._whole():
            for start in range(0, len(every), _KEYS):
                rows = BulkEntity.objects.filter(copy=self.number, name_key__in=every[start : start + _KEYS])
                plain = rows.values_list("record", flat=True)[: limit - len(records)]
                records += map(from_plain, plain)
        return records

    def list_beginning(self, start: str, *, most: int) -> list[EntityRecord] | None:
        """Entities whose key begins with these letters; None where there are more than `most`."""
        if not start:
            return []
        with self._whole():
            rows = BulkEntity.objects.filter(copy=self.number, name_key__startswith=start)
            if len(ids := list(rows.values_list("pk", flat=True)[: most + 1])) > most:
                return None
            chosen = BulkEntity.objects.filter(pk__in=ids).values_list("record", flat=True)
            return [from_plain(plain) for plain in chosen]

    def list_by_other_name(self, key: str, *, limit: int) -> list[Candidate]:
        """Entities that had, or have beside their present one, a name with just this key; under that name."""
        if not key:
            return []
        with self._whole():
            found = BulkName.objects.filter(copy=self.number, name_key=key[:_LONGEST_KEY])
            others = set(found.values_list("entity_id", "name", "kind")[:limit])
            rows = BulkEntity.objects.filter(copy=self.number, entity_id__in={number for number, _, _ in others})
            records = [from_plain(plain) for plain in rows.values_list("record", flat=True)]
        return [
            replace(Candidate.of(record, name_kind=kind), name=name)
            for record in records  # two may have one number, and not the same names
            for number, _, name, kind in _other_names(record)
            if (number, name, kind) in others
        ]

    def list_by_id(self, entity_id: str) -> list[EntityRecord]:
        """The entity with this identifier."""
        with self._whole():
            plain = BulkEntity.objects.filter(copy=self.number, entity_id=entity_id).values_list("record", flat=True)
            return [from_plain(item) for item in plain[:10]]

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """What was read meanwhile was all there: the copy answers still."""
        yield
        if not BulkCopy.objects.filter(pk=self.number, status="current").exists():
            raise PortalUnavailable(f"the copy of {self.state} was replaced while it was read")


def find_current(state: str) -> CurrentCopy | None:
    """The copy that answers for a state; None where none is loaded."""
    found = BulkCopy.objects.filter(state=state, status="current").first()
    return CurrentCopy(state, found.as_of, found.sha256, found.pk) if found else None
