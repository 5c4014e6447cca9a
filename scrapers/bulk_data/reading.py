"""Reads published files: constant memory, one row at a time, a changed layout refused before anything is loaded."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from jurisdictions.nesting import refuse_deep
from scrapers.bulk_data.archives import AS_WINDOWS, Lines, member_lines, refusing_damage, unpacked
from scrapers.bulk_data.published import BulkData, Row
from scrapers.failures import PageChanged


def rows(path: Path, bulk_data: BulkData) -> Iterator[Row]:
    """Every row of the downloaded file, or folder, by column name; PageChanged when one of its columns is missing.

    Fixed-width files yield {"line": the whole line}; the state cuts it.
    """
    with refusing_damage(path.name):
        if bulk_data.joined is not None:
            yield from bulk_data.joined(path)
        elif bulk_data.kind == "csv":
            with path.open(newline="", encoding=bulk_data.encoding, errors=AS_WINDOWS) as file:
                yield from _csv_rows(Lines(file, path.name), bulk_data.columns, path.name, bulk_data.known)
        else:
            with unpacked(path) as archive:
                for member in find_members(archive, bulk_data.members):
                    yield from _member_rows(archive, member, bulk_data)


def _member_rows(archive: zipfile.ZipFile, member: str, bulk_data: BulkData) -> Iterator[Row]:
    if bulk_data.kind == "csv-zip":
        for row in table(archive, member, bulk_data.columns, encoding=bulk_data.encoding):
            yield {**row, "_member": member}
    elif bulk_data.kind == "fixed-zip":
        for line in fixed_lines(archive, member, bulk_data.width, encoding=bulk_data.encoding):
            yield {"line": line}
    else:
        with member_lines(archive, member, encoding=bulk_data.encoding) as lines:
            yield from _json_rows(lines, bulk_data.columns, member)


def find_members(archive: zipfile.ZipFile, wanted: tuple[str, ...]) -> list[str]:
    """The files of an archive that are to be read: those wanted, or all ("*"), or the only one; PageChanged else."""
    have = archive.namelist()
    if wanted == ("*",):
        return sorted(have)
    if not wanted:
        if len(have) != 1:
            raise PageChanged(f"the archive holds {have}, expected one file")
        return have
    missing = [name for name in wanted if name not in have]
    if missing:
        raise PageChanged(f"the archive lacks {missing}: it holds {have}")
    return list(wanted)


def table(archive: zipfile.ZipFile, member: str, columns: frozenset[str], *, encoding: str) -> Iterator[Row]:
    """Every row of one table in an archive, by column name."""
    with member_lines(archive, member, encoding=encoding) as lines:
        yield from _csv_rows(lines, columns, member)


def bare_rows(archive: zipfile.ZipFile, member: str, *, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of every row of a table without headings, with its number."""
    with member_lines(archive, member, encoding=encoding) as lines:
        yield from _cells(lines)


def open_table(path: Path, columns: frozenset[str], *, encoding: str) -> Iterator[Row]:
    """Every row of a table in a file of its own, whose column names may be in any case; given in lower case."""
    if not path.is_file():
        raise PageChanged(f"{path.parent.name} holds no {path.name}")
    with path.open(newline="", encoding=encoding, errors=AS_WINDOWS) as file:
        yield from _csv_rows(Lines(file, path.name), columns, path.name, caseless=True)


def _csv_rows(
    lines: Lines, columns: frozenset[str], name: str, known: re.Pattern[str] | None = None, *, caseless: bool = False
) -> Iterator[Row]:
    rows = _cells(lines)
    _, first = next(rows, (1, []))
    head = [cell.lower() if caseless else cell for cell in first]
    wrong = sorted(column for column in columns if head.count(column) != 1)
    if wrong:
        raise PageChanged(f"{name}: the columns {wrong} are not among {head}, each of them once")
    strange = [column for column in head if column not in columns and known and not known.fullmatch(column)]
    if strange:
        raise PageChanged(f"{name}: the columns {strange} are unknown, so the file may not be what it was")
    for number, cells in rows:
        extra = cells[len(head) :]
        if len(cells) < len(head) or any(extra):  # trailing commas are harmless, anything else is a shifted row
            raise PageChanged(f"{name}, line {number}: {len(cells)} cells where the header has {len(head)}")
        yield dict(zip(head, cells, strict=False))


def _cells(lines: Lines) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, with their numbers from 1; some files pad each cell to a width.

    PageChanged where a stray quote makes several rows one, which may have as many cells as any: then the lines that
    it begins and ends in have the commas of a whole row each, which no text of two lines has.
    """
    reader, lines.rows_go_on = csv.reader(lines), True
    written: list[str] = []
    for number, cells in enumerate(reader, start=1):
        first, *_, last = written if len(written := lines.end_row()) > 1 else ("", "")
        if min(first.count(","), last.count(",")) >= len(cells) - 1 > 0:
            raise PageChanged(f"row {number}: a quote holds several rows")
        trimmed = [cell.strip() for cell in cells]
        if any(trimmed):
            yield number, trimmed
    if _is_cut(written):
        raise PageChanged("the table ends within a quoted cell: the rest of it is missing")


def _is_cut(row: list[str]) -> bool:
    """Whether the lines of a row end before their last quote does: a reader takes what is there for all of it."""
    try:
        list(csv.reader(row, strict=True))
    except csv.Error as error:
        return "end of data" in str(error)
    return False


def _json_rows(lines: Lines, columns: frozenset[str], name: str) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            refuse_deep(line)
            row = json.loads(line)
        except ValueError as error:
            raise PageChanged(f"{name}, line {number}: no JSON") from error
        if not isinstance(row, dict) or not columns <= row.keys():
            raise PageChanged(f"{name}, line {number}: lacks {sorted(columns - set(row))}")
        yield {key: "" if value is None else str(value) for key, value in row.items()}


def fixed_lines(archive: zipfile.ZipFile, member: str, width: int, *, encoding: str) -> Iterator[str]:
    """Every line of a file of fixed width; PageChanged for a line of another width."""
    with member_lines(archive, member, encoding=encoding) as lines:
        for number, line in enumerate(lines, start=1):
            text = line.rstrip("\r\n")
            if text and len(text) != width:
                raise PageChanged(f"{member}, line {number}: {len(text)} characters, expected {width}")
            if text:
                yield text
