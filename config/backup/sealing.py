"""Encrypts a stream with a passphrase, in chunks, so that an archive of any size is never in memory as a whole.

The form is that of `age` (STREAM): a key of its own for each archive, made by scrypt from the passphrase and a random
salt, and AES-256-GCM over chunks whose nonce is their number and whether they are the last. So no chunk can be changed,
exchanged, left out, added or cut off unseen.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from config.backup import Refused

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

MAGIC = b"SOS Lookup backup 1\n"
SALT, TAG, CHUNK = 16, 16, 1024 * 1024
SCRYPT = {"length": 32, "n": 2**17, "r": 8, "p": 1}  # 128 MiB and about half a second for each guess
SHORTEST = 12
CHECK_NONCE = b"\xff" * 12  # no chunk has this one


class Sealed(io.RawIOBase):
    """What is written here goes into `file` encrypted; without `finish`, which marks the end, nobody can read it."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        if len(passphrase) < SHORTEST:
            raise Refused(f"BACKUP_PASSPHRASE is too short: {SHORTEST} characters at least.")
        self._file, self._number, self._waiting = file, 0, bytearray()
        salt = os.urandom(SALT)
        self._key = _key(passphrase, salt)
        file.write(MAGIC + salt + self._key.encrypt(CHECK_NONCE, b"", MAGIC))

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: ReadableBuffer) -> int:
        """Take some bytes; a whole chunk may be kept back, as it may be the last."""
        before = len(self._waiting)
        self._waiting += data
        count = len(self._waiting) - before
        while len(self._waiting) > CHUNK:
            self._put(bytes(self._waiting[:CHUNK]), last=False)
            del self._waiting[:CHUNK]
        return count

    def finish(self) -> None:
        """Write the last chunk."""
        self._put(bytes(self._waiting), last=True)

    def _put(self, chunk: bytes, *, last: bool) -> None:
        self._file.write(self._key.encrypt(_nonce(self._number, last=last), chunk, MAGIC))
        self._number += 1


class Opened(io.RawIOBase):
    """Reads what `Sealed` wrote; raises Refused for a wrong passphrase, and at the first chunk that was changed."""

    def __init__(self, file: io.BufferedReader, passphrase: str) -> None:
        self._file, self._number, self._rest, self._ended = file, 0, b"", False
        salt, check = file.read(SALT), file.read(TAG)
        self._key = _key(passphrase, salt)
        try:
            self._key.decrypt(CHECK_NONCE, check, MAGIC)
        except (InvalidTag, ValueError):
            raise Refused("BACKUP_PASSPHRASE is not the one that the archive was encrypted with.") from None

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill the buffer with what is left of a chunk; 0 at the end."""
        while not self._rest and not self._ended:
            self._next()
        room = memoryview(buffer).cast("B")
        count = min(len(room), len(self._rest))
        room[:count], self._rest = self._rest[:count], self._rest[count:]
        return count

    def _next(self) -> None:
        chunk = self._file.read(CHUNK + TAG)
        last = not self._file.peek(1)
        try:
            self._rest = self._key.decrypt(_nonce(self._number, last=last), chunk, MAGIC)
        except (InvalidTag, ValueError):
            raise Refused("The archive was changed or cut off after it was written.") from None
        self._number, self._ended = self._number + 1, last


def _key(passphrase: str, salt: bytes) -> AESGCM:
    return AESGCM(Scrypt(salt=salt, **SCRYPT).derive(passphrase.encode()))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
