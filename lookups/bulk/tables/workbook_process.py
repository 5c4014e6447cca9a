"""Reads one workbook from standard input and writes its cells to standard output, in a process of its own.

A workbook of 700 bytes may name a cell so far away that reading it asks for half a terabyte, and ends the process that
asks. So this file is started alone (it imports nothing of the service), with little memory, little time and no
environment. Formulas are not computed: what was kept as their result is read.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from datetime import date, datetime
from typing import Any

MEMORY, SECONDS = 384 * 1024 * 1024, 10
MOST_CELLS, MOST_SIGNS = 200_000, 4_000_000


class Unfit(Exception):
    """Why the workbook is not read, as a word."""


def main(most_rows: int) -> None:
    """Read, and write `{"sheet", "others", "rows": [[number, [[column, text, kind]]]], "total"}` or `{"problem"}`."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    from python_calamine import CalamineError, PasswordError

    try:
        found = read(sys.stdin.buffer.read(), most_rows)
    except Unfit as why:
        found = {"problem": str(why)}
    except PasswordError:
        found = {"problem": "password"}
    except (CalamineError, ValueError, OSError, MemoryError):
        found = {"problem": "broken"}
    json.dump(found, sys.stdout)


def read(raw: bytes, most_rows: int) -> dict[str, Any]:
    """The first visible page that has cells. A range of merged cells has its text in each of its lines."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
    shown = [
        one.name
        for one in book.sheets_metadata
        if one.typ == SheetTypeEnum.WorkSheet and one.visible == SheetVisibleEnum.Visible
    ]
    for name in shown:
        page = book.get_sheet_by_name(name)
        if page.start is None:
            continue
        grid, (top, left) = page.to_python(), page.start
        for (first, column), (last, _) in page.merged_cell_ranges or []:
            _fill_down(grid, first - top, min(last - top, len(grid) - 1), column - left)
        rows = [[top + number + 1, cells] for number, line in enumerate(grid) if (cells := _cells(line))]
        if not rows:
            continue
        _refuse_much(rows[: most_rows + 1])
        return {"sheet": name, "others": len(shown) - 1, "rows": rows[:most_rows], "total": len(rows)}
    raise Unfit("empty")


def _fill_down(grid: list[list[Any]], first: int, last: int, column: int) -> None:
    if first < 0 or not 0 <= column < len(grid[0]):
        return
    for number in range(first + 1, last + 1):
        grid[number][column] = grid[first][column]


def _cells(line: list[Any]) -> list[list[Any]]:
    found = [(column, *write(value)) for column, value in enumerate(line) if value != ""]
    return [[column, text, kind] for column, text, kind in found if text.strip()]


def write(value: Any) -> tuple[str, str]:
    """A cell as text, and what it was where it was none: "number", "date" or "yes_no"."""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, bool):
        return str(value).upper(), "yes_no"
    if isinstance(value, int | float):
        whole = isinstance(value, int) or (value.is_integer() and abs(value) < 1e15)
        return str(int(value)) if whole else repr(value), "number"
    if isinstance(value, datetime):
        midnight = value.time() == datetime.min.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" "), "date"
    return value.isoformat() if isinstance(value, date) else str(value), "date"


def _refuse_much(rows: list[list[Any]]) -> None:
    cells = [cell for _, line in rows for cell in line]
    if len(cells) > MOST_CELLS or sum(len(cell[1]) for cell in cells) > MOST_SIGNS:
        raise Unfit("large")


if __name__ == "__main__":
    main(int(sys.argv[1]))
