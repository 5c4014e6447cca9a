"""Rows as CSV, written one by one: a table of any length takes no more memory than its widest row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse

from billing.statements import quote_formula, to_csv

BOM = "\ufeff"  # by which spreadsheets know that the text is UTF-8


def make_response(
    name: str, columns: Sequence[str], rows: Iterable[dict[str, Any]], *, bom: bool = False
) -> StreamingHttpResponse:
    """The table as a file of that name; `bom` has it begin with a byte order mark."""
    return StreamingHttpResponse(
        chain([BOM] if bom else [], csv_lines(columns, rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def csv_lines(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The header and one line a row."""
    header = [_cell(name) for name in columns]  # a customer's own, too
    return to_csv(chain([header], ([_cell(row.get(name)) for name in columns] for row in rows)))


def _cell(value: Any) -> Any:
    """One cell. Text that a spreadsheet would run as a formula is quoted: names come from callers and registries."""
    if isinstance(value, float) and value.is_integer():
        return int(value)  # nothing is 0 in one row and 0.0 in the next
    return quote_formula(value) if isinstance(value, str) else value
