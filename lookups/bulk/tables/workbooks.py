"""Workbooks: opened here as far as a zip, bounded and packed again, and read by a process of their own."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

from lookups.bulk.tables import workbook_process
from lookups.bulk.tables.lines import MOST_ROWS, Line, Unreadable, clean

MOST_UNPACKED = 40 * 1024 * 1024
MOST_PARTS = 500
PACKED_BY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what of others is unpacked can be bounded by nobody here
ABOVE = 10  # lines that may stand above or among the rows beyond their number: titles, headings
SECONDS = workbook_process.SECONDS + 5
_NEEDED = (
    "[Content_Types].xml",
    "_rels/",
    "xl/workbook",
    "xl/_rels/",
    "xl/worksheets/",
    "xl/sharedStrings",
    "xl/styles",
)
_PROBLEMS = {
    "empty": "No page of the workbook that is shown has anything in it.",
    "password": "The workbook has a password. Save it without one.",
    "large": "There is too much in the workbook. Leave out the columns that are not needed.",
    "formulas": "Results of formulas are not kept in the workbook. Open it in a spreadsheet program and save it again.",
    "broken": "This is no workbook that can be read. Save it as XLSX or CSV again.",
}
# A formula without its result, as programs write it that compute nothing; an empty text is one ("str").
_NO_RESULT = re.compile(
    rb"<((?:\w+:)?)c\b(?![^<>]*\bt=\"str\")[^<>]*>\s*<\1f\b[^<>]*(?:/>|>[^<]*</\1f>)\s*"
    rb"(?:<\1v\s*/>|<\1v>\s*</\1v>)?\s*</\1c>"
)


def read(raw: bytes) -> tuple[list[Line], list[str]]:
    """The lines of its first page, and notes. Raises Unreadable."""
    found = _ask_process(repack(raw))
    if "problem" in found:
        raise Unreadable(_PROBLEMS[found["problem"]])
    if found["total"] > MOST_ROWS + ABOVE:
        raise Unreadable(f"It has {found['total']:,} rows; up to {MOST_ROWS:,} are taken at a time.")
    others = "is 1" if found["others"] == 1 else f"are {found['others']}"
    notes = [f"Only the page “{found['sheet']}” was read; there {others} more."] if found["others"] else []
    if hidden := found["hidden"]:
        rows = "1 row that the workbook hides was" if hidden == 1 else f"{hidden:,} rows that the workbook hides were"
        notes.append(f"{rows} read as well.")
    return [_line(number, cells) for number, cells in found["rows"]], notes


def repack(raw: bytes) -> bytes:
    """The parts that have cells in them, unpacked, in a zip that says the truth of their sizes. Raises Unreadable.

    Macros, pictures and links to elsewhere are left behind; a part that is larger than it says is broken.
    """
    made, left = io.BytesIO(), MOST_UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, zipfile.ZipFile(made, "w") as clear:
            if len(packed.infolist()) > MOST_PARTS:
                raise Unreadable(_PROBLEMS["large"])
            for part in packed.infolist():
                if not part.filename.startswith(_NEEDED):
                    continue
                if part.compress_type not in PACKED_BY:
                    raise Unreadable(_PROBLEMS["broken"])
                left -= part.file_size
                if left < 0:
                    raise Unreadable(_PROBLEMS["large"])
                with packed.open(part) as content:  # no more than it says: `packed.read` unpacks all there is first
                    cells = content.read(part.file_size)
                if part.filename.startswith("xl/worksheets/") and _NO_RESULT.search(cells):
                    raise Unreadable(_PROBLEMS["formulas"])  # they would be read as empty, and rows be lost by that
                clear.writestr(part.filename, cells)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError):
        raise Unreadable(_PROBLEMS["broken"]) from None
    return made.getvalue()


def _ask_process(book: bytes) -> dict[str, Any]:
    program = [sys.executable, "-I", str(Path(workbook_process.__file__)), str(MOST_ROWS + ABOVE)]
    try:
        done = subprocess.run(program, input=book, capture_output=True, timeout=SECONDS, env={}, check=False)  # noqa: S603 (our own file)
    except subprocess.TimeoutExpired:
        return {"problem": "large"}
    if done.returncode < 0:  # it asked for more memory or time than it has
        return {"problem": "large"}
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"problem": "broken"}
    return found


def _line(number: int, cells: list[tuple[int, str, str]]) -> Line:
    texts = [""] * (1 + max(column for column, _, _ in cells))
    for column, text, _ in cells:
        texts[column] = clean(text)
    return Line(number, texts, {column: kind for column, _, kind in cells if kind})
