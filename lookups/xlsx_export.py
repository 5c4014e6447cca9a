"""Rows as a workbook, written one by one into a file without a name, which is gone once it is closed.

A workbook is a zip, so it can only be sent when its last row is written; memory holds one row at a time all the same.
Numbers are numbers. Text is text whatever it looks like: dates stay as they are in CSV, and nothing is ever a formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST_LINES = 1_048_575  # that spreadsheets know, without the header
WIDEST = 40  # characters; what is longer shows when its cell is chosen


class TooLong(Exception):
    """More lines than spreadsheets know."""


def make_workbook(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> IO[bytes]:
    """A file at its beginning, for the caller to close: the header and one line a row. Raises TooLong."""
    from xlsxwriter import Workbook  # here: few ask for one

    made = TemporaryFile()  # noqa: SIM115 (it outlives this function)
    try:
        with TemporaryDirectory() as folder, Workbook(made, {"constant_memory": True, "tmpdir": folder}) as book:
            _write(book, columns, rows)
    except BaseException:
        made.close()
        raise
    made.seek(0)
    return made


def _write(book: Workbook, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    bold, grid = book.add_format({"bold": True}), book.add_worksheet("Results")
    widths = [len(name) for name in columns]
    grid.freeze_panes(1, 0)
    for place, name in enumerate(columns):
        grid.write_string(0, place, name, bold)
    for number, row in enumerate(rows, start=1):
        if number > MOST_LINES:
            raise TooLong
        for place, name in enumerate(columns):
            value = row.get(name)
            if value is not None:
                _write_cell(grid, number, place, value)
                widths[place] = max(widths[place], len(str(value)))
    for place, width in enumerate(widths):
        grid.set_column(place, place, min(width + 2, WIDEST))


def _write_cell(grid: Worksheet, number: int, place: int, value: Any) -> None:
    """By the kind of the value alone. Text beyond 32,767 characters is cut: a cell holds no more."""
    if isinstance(value, bool):
        grid.write_boolean(number, place, value)
    elif isinstance(value, int | float):
        grid.write_number(number, place, value)
    else:
        text = value.encode(errors="replace").decode()  # half a character, as broken JSON of a registry has it
        # The library writes text that looks like its own markup as it is, so that a name could bring cells along.
        grid.write_string(number, place, f" {text}" if text.startswith("<r>") else text)
