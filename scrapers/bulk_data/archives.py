"""Opens published files within bounds: whatever stands in one, little of it is in memory at a time.

A few hundred kilobytes of zip can hold a line of gigabytes. What exceeds a bound here is no register that anybody
meant to publish, and is refused like a changed layout: the copy that was loaded before goes on answering.
"""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from scrapers.failures import PageChanged

LONGEST_ROW = 256 * 1024  # characters; the longest row of a known register has 5,000
LARGEST = 16 * 1024**3  # bytes unpacked; the largest known register has 7 GB
MOST_TIMES = 200  # its size, unpacked; tables come to 5 to 20 times, lines of blanks to 60
MOST_MEMBERS = 1_000  # files in one archive; the known ones have one to ten
_ALWAYS_FINE = 16 * 1024**2  # bytes unpacked, however small the archive
AS_WINDOWS = "as-windows"  # how bytes are decoded that the file's own encoding has not
_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, IsADirectoryError, RuntimeError, csv.Error)


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8 as Windows writes them, as Florida's files mix both: no name has a U+FFFD in it."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    raw = error.object[error.start : error.end]
    return "".join(bytes((one,)).decode("cp1252", "ignore") or chr(one) for one in raw), error.end


codecs.register_error(AS_WINDOWS, _as_windows)


@contextmanager
def refusing_damage(name: str) -> Iterator[None]:
    """Have a damaged or locked archive, a table that is none, or a folder in place of a file end as PageChanged."""
    try:
        yield
    except _UNREADABLE as error:
        raise PageChanged(f"{name} cannot be read: {error}") from error


@contextmanager
def unpacked(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, for as long as the block takes; PageChanged when it is none, or holds too much."""
    if not zipfile.is_zipfile(path):
        raise PageChanged(f"{path.name} is no zip archive")
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise PageChanged(f"{path.name} holds {len(members)} files")
        size, whole = path.stat().st_size, sum(member.file_size for member in members)
        if whole > LARGEST or whole > max(size * MOST_TIMES, _ALWAYS_FINE):
            raise PageChanged(f"{path.name} has {size} bytes and would unpack to {whole}")
        yield archive


@contextmanager
def member_lines(archive: zipfile.ZipFile, member: str, *, encoding: str) -> Iterator[Lines]:
    """The lines of one file in the archive."""
    with archive.open(member) as raw:
        yield Lines(io.TextIOWrapper(raw, encoding=encoding, errors=AS_WINDOWS, newline=""), member)


class Lines:
    """The lines of a text, line ends kept; PageChanged for a row that is too long.

    A line is a row, unless `rows_go_on`: a quoted cell may have line ends in it, and who reads such rows says where
    each ends (`end_row`).
    """

    def __init__(self, text: TextIO, name: str) -> None:
        self._text, self._name = text, name
        self._number = 0
        self._row: list[str] = []
        self._length = 0
        self.rows_go_on = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(LONGEST_ROW + 1)
        if not line:
            raise StopIteration
        self._number += 1
        self._length += len(line)
        self._row.append(line)
        if self._length > LONGEST_ROW:
            raise PageChanged(f"{self._name}, line {self._number}: a row of more than {LONGEST_ROW} characters")
        if not self.rows_go_on:
            self.end_row()
        return line

    def end_row(self) -> list[str]:
        """What comes now is another row; the lines of the one that ends."""
        ended, self._row, self._length = self._row, [], 0
        return ended
