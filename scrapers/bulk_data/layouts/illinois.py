"""Illinois' companies as published: corporations and LLCs, each in a master, a name and an agent file.

Fixed width, joined here by file number. Known from a public description (2025-08) whose author fetched them; another
source says that bulk use needs a paid contract, so an operator must settle that first. Offsets are from that
description; the two-digit status codes have no published list that could be checked, so a code is told as it stands.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import listed
from scrapers.records import Address, EntityRecord

_FOLDER = "https://www.ilsos.gov/data/bs/"
_ENCODING = "iso8859_9"
_MORE = listed("cdxallnam | cdxallagt | llcallmst | llcallnam | llcallagt")


def _rows(folder: Path) -> Iterator[Row]:
    """Corporations, then LLCs: {"kind", "master", "name", "agent"}; the agent is empty where there is none."""
    for kind, prefix in (("corporation", "cdxall"), ("llc", "llcall")):
        with ExitStack() as stack:
            master, name, agent = (_lines(folder / f"{prefix}{part}.zip", stack) for part in ("mst", "nam", "agt"))
            yield from _joined(kind, master, name, agent)


def _lines(path: Path, stack: ExitStack) -> Iterator[tuple[str, str]]:
    """(file number, line) of one file, in rising order; its first and last line are header and footer."""
    archive = stack.enter_context(zipfile.ZipFile(path))
    if len(archive.namelist()) != 1:
        raise PageChanged(f"{path.name} holds {archive.namelist()}, expected one file")
    raw = stack.enter_context(archive.open(archive.namelist()[0]))
    before = ""
    for line in io.TextIOWrapper(raw, encoding=_ENCODING, errors="replace", newline=""):
        number = line[:8]
        if not number.isdigit():
            continue  # header and footer do not begin with a number
        if number < before:
            raise PageChanged(f"{path.name}: {number} stands after {before}, so the files cannot be joined")
        before = number
        yield number, line.rstrip("\r\n")


def _joined(
    kind: str, master: Iterator[tuple[str, str]], name: Iterator[tuple[str, str]], agent: Iterator[tuple[str, str]]
) -> Iterator[Row]:
    names, agents = _Following(name), _Following(agent)
    for number, line in master:
        called = names.take(number)
        if called is None:
            raise PageChanged(f"{kind} {number} has no name")
        yield {"kind": kind, "master": line, "name": called, "agent": agents.take(number) or ""}


class _Following:
    """One of the joined files, read along with the master file."""

    def __init__(self, lines: Iterator[tuple[str, str]]) -> None:
        self._lines = lines
        self._next: tuple[str, str] | None = next(lines, None)

    def take(self, number: str) -> str | None:
        """The first line with this number; earlier ones are passed over."""
        while self._next is not None and self._next[0] < number:
            self._next = next(self._lines, None)
        return self._next[1] if self._next is not None and self._next[0] == number else None


def _record(row: Row) -> EntityRecord:
    """One joined row as a record."""
    master, agent = row["master"], row["agent"]
    corporation = row["kind"] == "corporation"
    code = master[29:31] if corporation else master[14:16]
    street = 68 if corporation else 69
    return EntityRecord(
        entity_name=row["name"][8:].strip(),
        entity_id=master[:8],
        entity_type="Corporation" if corporation else "Limited Liability Company",
        status=f"status code {code}",  # no list of the codes is published: never guessed at
        formation_date=(master[8:16] if corporation else master[24:32]).strip() or None,
        jurisdiction=(master[24:26] if corporation else master[41:43]).strip() or None,
        agent_name=(agent[8:68] if corporation else agent[9:69]).strip() or None,
        agent_address=addresses.from_parts(
            agent[street : street + 45],
            city=agent[street + 45 : street + 75],
            state="IL" if agent else None,
            zip=(agent[152:161] if corporation else agent[144:153]).strip(),
        ),
        principal_address=Address() if corporation else _office(master),
        sos_url="https://apps.ilsos.gov/businessentitysearch/",
    )


def _office(master: str) -> Address:
    """An LLC's principal office; corporations have none in the files."""
    return addresses.from_parts(master[43:88], city=master[88:118], state=master[127:129], zip=master[118:127].strip())


BULK_DATA = BulkData(
    f"{_FOLDER}cdxallmst.zip",
    "fixed-zip",
    least_rows=500_000,
    record=_record,
    more=tuple(f"{_FOLDER}{name}.zip" for name in _MORE),
    joined=_rows,
    walled=True,
)
