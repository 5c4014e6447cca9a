"""Text with a sign between its cells (CSV, or what a spreadsheet puts on the clipboard), or a name in each line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from lookups.bulk.tables.columns import find_field
from lookups.bulk.tables.lines import MOST_ROWS, Line, Unreadable, clean, too_wide
from scrapers.normalize import names

_SEPARATORS = ("\t", ";", ",", "|")
_SAMPLE = 30
NOTHING = "There is nothing in it."
OLD_SIGNS = "It is not UTF-8; it was read as Windows text. Look at the names with accents."
WIDEST = 16_384  # cells, most of them empty: what a spreadsheet has
ABOVE = 10  # lines beyond the rows' number that may be titles and headings


def read(raw: bytes) -> tuple[list[Line], list[str]]:
    """The lines that have something in them, and notes. Raises Unreadable."""
    text, notes = _decode(raw)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise Unreadable(NOTHING)
    separator = find_separator(text)
    alone = ((number, [line]) for number, line in enumerate(io.StringIO(text), start=1))
    found: Iterable[tuple[int, list[str]]] = alone if separator is None else _parse(text, separator)
    lines, number_of = [], 0
    for number, cells in found:
        if number_of > MOST_ROWS + ABOVE:  # the others are counted and not kept
            number_of += any(map(str.strip, cells))
            continue
        if len(cells) > WIDEST:
            raise too_wide(len(cells))
        line = Line(number, [clean(cell) for cell in cells])
        number_of += any(line.cells)
        if any(line.cells):
            lines.append(line)
    if not lines:  # commas alone, as a spreadsheet saves rows that were emptied
        raise Unreadable(NOTHING)
    if number_of > MOST_ROWS + ABOVE:
        raise Unreadable(f"It has {number_of:,} rows; up to {MOST_ROWS:,} are taken at a time.")
    return lines, notes


def find_separator(text: str) -> str | None:
    """The sign between cells; None where each line is one cell, as in a list of names."""
    sample = [line for line in text.split("\n", 4 * _SAMPLE)[: 4 * _SAMPLE] if line.strip()][:_SAMPLE]
    best: tuple[int, bool, float, int] | None = None
    chosen = None
    for separator in _SEPARATORS:
        try:
            rows = list(csv.reader(sample, delimiter=separator))
        except csv.Error:
            continue
        widest = max((len(row) for row in rows), default=0)
        if widest < 2 or (separator == "," and _parts_legal_forms(rows)):
            continue
        steady = sum(len(row) == widest for row in rows) / len(rows)
        known = max(sum(find_field(cell) is not None for cell in row) for row in rows[:6])
        score = (known, separator == "\t", steady, widest)
        if (known or steady >= 0.6) and (best is None or score > best):
            best, chosen = score, separator
    return chosen


def _decode(raw: bytes) -> tuple[str, list[str]]:
    """The text, by the mark it begins with, as UTF-8, or as older programs for Windows write it."""
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text, [OLD_SIGNS] if encoding == "cp1252" else []
    raise Unreadable("This is neither text nor a workbook. Save it as XLSX or CSV UTF-8.")


def _parse(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for cells in reader:
            yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        raise Unreadable(f"Line {begins} is no line of a table: {error}.", begins) from None


def _parts_legal_forms(rows: list[list[str]]) -> bool:
    """Whether the commas only stand before legal forms: "Acme, Inc." in each line is no table."""
    rests = [" ".join(row[1:]).strip() for row in rows if len(row) > 1]
    return all(len(rest) <= 30 and _is_legal_form(rest) for rest in rests)


def _is_legal_form(text: str) -> bool:
    form = names.form(f"Zebra {text}")
    return bool(form.legal_form) and form.letters.strip().casefold() == names.form("Zebra").letters.strip().casefold()
