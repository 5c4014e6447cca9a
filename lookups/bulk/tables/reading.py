"""A file that somebody dropped, or text that was pasted, as a table: headings, and lines of plain text.

Whatever a spreadsheet saves is read: CSV with commas, semicolons or tabs, in UTF-8, UTF-16 or Windows' own signs, and
workbooks. What was done to it on the way is said in notes; what cannot be read is refused with a way to save it better.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lookups.bulk.tables import delimited, workbooks
from lookups.bulk.tables.columns import find_field, has_states
from lookups.bulk.tables.lines import MOST_COLUMNS, MOST_ROWS, Line, Unreadable, too_wide
from scrapers.normalize import names

MOST_BYTES = 5 * 1024 * 1024
MOST_SIGNS = 3_000_000  # of all cells together: what a draft keeps
LONGEST_CELL = 2000
LOOKED_AT = 6  # lines, among which the headings are looked for
_WORKBOOK, _OLDER = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class Table:
    """What was read: a heading for each column, the lines beneath, and what was done on the way.

    `heading` is the line of the headings as the file has it; None where it has none.
    """

    headers: list[str]
    lines: list[Line]
    notes: list[str] = field(default_factory=list)
    heading: Line | None = None


def read_table(raw: bytes) -> Table:
    """The table in a file or a pasted text. Raises Unreadable."""
    if len(raw) > MOST_BYTES:
        raise Unreadable(f"The file has more than {MOST_BYTES // 1024 // 1024} MB.")
    if raw.startswith(_OLDER):
        raise Unreadable("This is a workbook of the older kind, or one with a password. Save it as XLSX without one.")
    lines, notes = workbooks.read(raw) if raw.startswith(_WORKBOOK) else delimited.read(raw)
    lines, cut = _without_long_cells(_without_empty_columns(lines))
    if cut:
        notes.append(f"{cut} cells with more than {LONGEST_CELL:,} characters were cut there.")
    if sum(len(cell) for line in lines for cell in line.cells) > MOST_SIGNS:
        raise Unreadable("There is too much text in it. Leave out the columns that are not needed.")
    table = with_headers(lines, _find_headers(lines))
    if not table.lines:
        raise Unreadable("There is no line beneath the headings.")
    if len(table.lines) > MOST_ROWS:
        raise Unreadable(f"It has more than {MOST_ROWS:,} rows. Take {MOST_ROWS:,} at a time.")
    return replace(table, notes=[*notes, *table.notes])


def with_headers(lines: list[Line], at: int | None) -> Table:
    """The table whose headings stand in the line `at`; None: it has none, and its columns are called by letters."""
    width = max((len(line.cells) for line in lines), default=0)
    rows = lines if at is None else lines[at + 1 :]
    given = [] if at is None else [" ".join(cell.split())[:100] for cell in lines[at].cells]
    headers: list[str] = []
    for column in range(width):
        name = (given[column] if column < len(given) else "") or f"Column {letter(column)}"
        same = sum(one == name or one.startswith(f"{name} (") for one in headers)
        heading = f"{name} ({same + 1})" if same else name
        while heading in headers:  # the file itself has "Note (2)" before "Note"
            same += 1
            heading = f"{name} ({same + 1})"
        headers.append(heading)
    whole = [replace(line, cells=[*line.cells, *[""] * (width - len(line.cells))]) for line in rows]
    above = f"{at} lines above the headings were left out." if at else ""
    notes = [above.replace("1 lines", "1 line").replace("were", "was") if at == 1 else above][: bool(at)]
    return Table(headers, whole, notes, heading=None if at is None else lines[at])


def letter(column: int) -> str:
    """What spreadsheets call a column: A, B, … AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def _without_empty_columns(lines: list[Line]) -> list[Line]:
    filled = sorted({at for line in lines for at, cell in enumerate(line.cells) if cell.strip()})
    if len(filled) > MOST_COLUMNS:
        raise too_wide(len(filled))
    place = {old: new for new, old in enumerate(filled)}
    return [
        Line(
            line.number,
            [line.cells[at] if at < len(line.cells) else "" for at in filled],
            {place[at]: kind for at, kind in line.kinds.items() if at in place},
        )
        for line in lines
    ]


def _without_long_cells(lines: list[Line]) -> tuple[list[Line], int]:
    cut = sum(len(cell) > LONGEST_CELL for line in lines for cell in line.cells)
    if cut:
        lines = [replace(line, cells=[cell[:LONGEST_CELL] for cell in line.cells]) for line in lines]
    return lines, cut


def _find_headers(lines: list[Line]) -> int | None:
    """Which line has the headings: the one with most words that are headings; else the first, where it looks so."""
    known = [sum(find_field(cell) is not None for cell in line.cells) for line in lines[:LOOKED_AT]]
    if any(known):
        return known.index(max(known))
    first = lines[0].cells
    looks = len(first) > 1 and all(cell.strip() and len(cell) <= 40 for cell in first)
    return 0 if looks and not has_states(first) and not any(names.legal_form(cell) for cell in first) else None
