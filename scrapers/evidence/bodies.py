"""The bytes that registries sent, each once, under the SHA-256 of what is kept.

They lie in a folder, in the database or at an S3 service (`EVIDENCE_STORE`); a row for each says how long it is kept.
Beside a folder the small ones lie in their rows: a file of 300 bytes takes a block of the disk, and a sync of it.
The row is written before the bytes are, and its bytes are removed before it is: whatever breaks off, no bytes lie
where no row names them.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.db import connection, transaction
from django.db.models import Sum

from scrapers.models import Body

log = logging.getLogger(__name__)

AN_HOUR = timedelta(hours=1)
SLICE = 500  # rows that are looked at together when some are removed
MOST_STUCK = 10  # files that cannot be removed, and not the whole store
SMALL = 4096  # bytes, compressed: a block of most disks
_WRITE = """
INSERT INTO scrapers_body (sha256, size, packed_size, packed, keep_until) VALUES {rows}
ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, packed_size = excluded.packed_size,
    packed = COALESCE(scrapers_body.packed, excluded.packed),
    keep_until = CASE WHEN scrapers_body.keep_until < excluded.keep_until
        THEN excluded.keep_until ELSE scrapers_body.keep_until END
WHERE scrapers_body.keep_until < excluded.keep_until OR (scrapers_body.packed IS NULL AND excluded.packed IS NOT NULL)
"""


class DamagedBody(Exception):
    """What lies under a hash is something else."""


class StoreAway(Exception):
    """The folder is full or not to be written, or the S3 service does not answer: a moment may mend it."""


class FolderStorage(FileSystemStorage):
    """A folder whose files are whole or not there, also after the machine lost its power."""

    def _save(self, name: str, content: File[bytes]) -> str:
        to = Path(self.path(name))
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=to.parent, prefix=".", delete=False) as file:
            try:
                file.write(content.read())
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, to)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
        return name

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Its own: the same name has the same bytes."""
        return name


def keep(bodies: Iterable[bytes], *, until: datetime) -> None:
    """Keep these bytes until then at least. What is kept already is not written again. Raises StoreAway."""
    found = {hashlib.sha256(body).hexdigest(): body for body in bodies}
    if not found:
        return
    store = _find_store()
    packed = {sha256: zlib.compress(body, 6) for sha256, body in sorted(found.items())}
    stored = {} if store is None else {sha256: body for sha256, body in packed.items() if _is_for(store, body)}
    values: list[Any] = []
    ends = connection.ops.adapt_datetimefield_value(until)
    for sha256, body in packed.items():  # in the order of their hashes, so that two writers never wait for each other
        values += [sha256, len(found[sha256]), len(body), None if sha256 in stored else body, ends]
    with connection.cursor() as cursor:
        cursor.execute(_WRITE.format(rows=", ".join(["(%s, %s, %s, %s, %s)"] * len(packed))), values)
    with _may_be_away():
        for sha256, body in stored.items():
            if store is not None and not _is_whole(store, _name(sha256), len(body)):
                store.save(_name(sha256), ContentFile(body))


def read(sha256: str) -> bytes | None:
    """The bytes with this hash; None: not kept, or not any more.

    Raises DamagedBody where they are others by now, and StoreAway.
    """
    row = Body.objects.filter(pk=sha256).first()
    if row is None:
        return None
    if row.packed is not None:
        packed = bytes(row.packed)
    else:
        store = _find_store()
        with _may_be_away():
            if store is None or not store.exists(_name(sha256)):
                return None
            with store.open(_name(sha256)) as file:
                packed = file.read()
    try:
        body = zlib.decompress(packed)
    except zlib.error as error:
        raise DamagedBody(sha256) from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise DamagedBody(sha256)
    return body


def sweep(*, now: datetime) -> int:
    """Take away what a kill left in the folder: halves of files, and files that no row names; returns how many.

    A file gets a row that has ended, and is forgotten as any other: whoever keeps the same bytes meanwhile keeps it.
    Younger than an hour it may be somebody's who is about to write its row. An S3 service has no halves of files.
    """
    store, swept = _find_store(), 0
    if not isinstance(store, FolderStorage):
        return 0
    for folder in sorted(Path(store.location).glob("??")):
        left = [file for file in folder.rglob("*") if file.is_file() and _is_older(file, now - AN_HOUR)]
        halves = [file for file in left if file.name.startswith(".")]
        for half in halves:
            half.unlink(missing_ok=True)
        names = [file.stem for file in left if file not in halves]
        for start in range(0, len(names), SLICE):
            some = names[start : start + SLICE]
            unknown = set(some) - set(Body.objects.filter(pk__in=some).values_list("pk", flat=True))
            rows = [Body(sha256=sha256, size=0, packed_size=0, keep_until=now - AN_HOUR) for sha256 in unknown]
            Body.objects.bulk_create(rows, ignore_conflicts=True)
            swept += sum(_forget(sha256, keep_until__lt=now) for sha256 in sorted(unknown))
        swept += len(halves)
    return swept


def _is_older(file: Path, than: datetime) -> bool:
    try:
        return file.stat().st_mtime < than.timestamp()
    except FileNotFoundError:
        return False


def prune(*, now: datetime) -> int:
    """Forget what was kept for long enough, then what ends next while there is too much; returns how many.

    A file that cannot be removed keeps no other from being; raises StoreAway where there are many of them.
    """
    forgotten, stuck = 0, list[str]()
    ended = Body.objects.filter(keep_until__lt=now).values_list("pk", flat=True)
    while numbers := list(ended.exclude(pk__in=stuck)[:SLICE]):
        forgotten += sum(_forget_or_note(sha256, stuck, keep_until__lt=now) for sha256 in numbers)
    return forgotten + _make_room(stuck)


def _make_room(stuck: list[str]) -> int:
    most = settings.EVIDENCE_MOST_BYTES
    held = Body.objects.aggregate(sum=Sum("packed_size"))["sum"] or 0 if most else 0
    forgotten = 0
    ending = Body.objects.exclude(pk__in=stuck).order_by("keep_until").values_list("pk", "packed_size", "keep_until")
    for sha256, size, until in ending.iterator(chunk_size=SLICE) if held > most else ():
        if held <= most:
            break
        if _forget_or_note(sha256, stuck, keep_until=until):
            held, forgotten = held - size, forgotten + 1
    return forgotten


def _forget_or_note(sha256: str, stuck: list[str], **while_it: datetime) -> bool:
    """Forget it, or note that its file cannot be removed; raises StoreAway for the last one that may be so."""
    try:
        return _forget(sha256, **while_it)
    except StoreAway:
        stuck.append(sha256)
        log.exception("the bytes %s cannot be removed", sha256)
        if len(stuck) == MOST_STUCK:
            raise
        return False


def _forget(sha256: str, **while_it: datetime) -> bool:
    """Remove bytes and then their row, under its lock: who keeps the same bytes waits, and writes them anew.

    Not where somebody keeps them longer by now: `while_it` says what is still to be true of the row.
    """
    with transaction.atomic():
        row = Body.objects.select_for_update().filter(pk=sha256, **while_it).first()
        if row is None:
            return False
        store = _find_store()
        if row.packed is None and store is not None:
            with _may_be_away():
                store.delete(_name(sha256))
        row.delete()
    return True


def _is_whole(store: Storage, name: str, size: int) -> bool:
    """Whether so many bytes lie there: a disk or a copy that broke off leaves fewer, which prove nothing."""
    try:
        return store.size(name) == size
    except FileNotFoundError:
        return False


def _is_for(store: Storage, packed: bytes) -> bool:
    """Whether these bytes lie there and not in their row."""
    return not isinstance(store, FolderStorage) or len(packed) > SMALL


@contextmanager
def _may_be_away() -> Iterator[None]:
    try:
        yield
    except Exception as problem:  # OSError of a folder; an S3 service's library has its own
        raise StoreAway(str(problem)) from problem


def _find_store() -> Storage | None:
    """Where bytes lie; None: in the row itself."""
    return None if settings.EVIDENCE_STORE == "database" else storages["evidence"]


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.z"
