"""The archive: a compressed tar, perhaps encrypted, written and read in one pass.

Its last member is the manifest with the hash of every other, so nothing is read twice while it is written; who reads it
unpacks into a folder of its own, and touches nothing until all hashes fit.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tarfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from config.backup import Refused, manifest, sealing
from config.backup.manifest import Manifest

MANIFEST, LARGEST_MANIFEST = "manifest.json", 4 * 1024 * 1024
GZIP = b"\x1f\x8b"
NAME = re.compile(r"[^/\0]+(/[^/\0]+)*")
BLOCK = 1024 * 1024


class _Hashing(io.RawIOBase):
    """Hands on so many bytes of a file and hashes them; one that shrinks meanwhile is an error, more is not seen."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.sha256 = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Some bytes."""
        data = self._file.read(size)
        self.sha256.update(data)
        return data


class Writer:
    """An archive that is being filled."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.parts: dict[str, dict[str, int | str]] = {}

    def add(self, name: str, path: Path) -> None:
        """Take in a file as it is now."""
        with path.open("rb") as file:
            self._put(name, file, os.fstat(file.fileno()).st_size)

    def add_bytes(self, name: str, data: bytes) -> None:
        """Take in something that is in memory."""
        self._put(name, io.BytesIO(data), len(data))

    def _put(self, name: str, file: BinaryIO, size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.mtime = size, 0o600, int(time.time())
        hashing = _Hashing(file)
        self._tar.addfile(member, hashing)
        self.parts[name] = {"bytes": size, "sha256": hashing.sha256.hexdigest()}


@contextmanager
def writing(path: Path, *, passphrase: str) -> Iterator[Writer]:
    """Write to `path`.part, readable by its owner alone, and rename it when it is whole and on the disk.

    An empty passphrase: not encrypted. Raises Refused where there is an archive already.
    """
    part = path.with_name(path.name + ".part")
    if path.exists():
        raise Refused(f"{path} is there already: name another file.")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Refused(f"{part} is there: another backup is under way, or one was broken off; then remove it.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            with (
                _outer(file, passphrase) as outer,
                gzip.GzipFile(fileobj=outer, mode="wb", compresslevel=3) as packed,
                tarfile.open(fileobj=packed, mode="w|") as tar,
            ):
                yield Writer(tar)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            raise Refused(f"{path} was made by somebody else meanwhile: name another file.")
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def unpack(path: Path, *, into: Path, passphrase: str) -> Manifest:
    """Unpack an archive into an empty folder; Refused unless everything is in it as it was written."""
    with path.open("rb") as file, _inner(file, passphrase) as packed:
        try:
            parts = _unpack_members(packed, into)
            while packed.read(BLOCK):  # to the end, where the checksum and the last chunk are
                pass
        except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as problem:
            raise Refused(f"The archive is damaged or cut off: {problem}") from problem
    written = into / MANIFEST
    if not parts.pop(MANIFEST, None) or written.stat().st_size > LARGEST_MANIFEST:
        raise Refused("The archive has no manifest: it is damaged or cut off.")
    about = manifest.read(written.read_bytes())
    if wrong := sorted(name for name in parts.keys() | about.parts.keys() if parts.get(name) != about.parts.get(name)):
        raise Refused(f"The archive is damaged: {', '.join(wrong)} is not what was written.")
    return about


def _unpack_members(packed: gzip.GzipFile, into: Path) -> dict[str, dict[str, int | str]]:
    parts: dict[str, dict[str, int | str]] = {}
    with tarfile.open(fileobj=packed, mode="r|") as tar:
        for member in tar:
            source = tar.extractfile(member) if member.isreg() else None
            if source is None or not NAME.fullmatch(member.name) or {".", ".."} & set(member.name.split("/")):
                raise Refused(f"The archive holds {member.name!r}, which no backup writes.")
            hashing, target = _Hashing(source), into / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                while data := hashing.read(BLOCK):
                    file.write(data)
            parts[member.name] = {"bytes": member.size, "sha256": hashing.sha256.hexdigest()}
    return parts


@contextmanager
def _outer(file: BinaryIO, passphrase: str) -> Iterator[Any]:
    if not passphrase:
        yield file
        return
    sealed = sealing.Sealed(file, passphrase)
    yield sealed
    sealed.finish()


def _inner(file: io.BufferedReader, passphrase: str) -> gzip.GzipFile:
    start = file.read(len(sealing.MAGIC))
    if start == sealing.MAGIC:
        if not passphrase:
            raise Refused(
                "The archive is encrypted: name its passphrase by BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE."
            )
        return gzip.GzipFile(fileobj=io.BufferedReader(sealing.Opened(file, passphrase)))
    if not start.startswith(GZIP):
        raise Refused("This is no backup of this product.")
    if passphrase:
        raise Refused("The archive is not encrypted: was it exchanged? If not, leave BACKUP_PASSPHRASE empty.")
    file.seek(0)
    return gzip.GzipFile(fileobj=file)
