"""Workbooks as spreadsheets save them, and as nobody should."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from xlsxwriter import Workbook

_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="xl/workbook.xml"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>',
}


def make(
    rows: Sequence[Sequence[Any]],
    *,
    merged: Sequence[tuple[int, int, int, int, str]] = (),
    more: int = 0,
    formats: Mapping[int, str] = MappingProxyType({}),
    hidden: Sequence[int] = (),
) -> bytes:
    """A workbook with these cells: text, numbers, days, `=formulas`; `more` pages behind it.

    `formats` are those of numbers, by column; the rows at `hidden` are not shown.
    """
    made = io.BytesIO()
    with Workbook(made, {"default_date_format": "yyyy-mm-dd", "remove_timezone": True}) as book:
        page = book.add_worksheet("Customers & Co")
        for column, code in formats.items():
            page.set_column(column, column, None, book.add_format({"num_format": code}))
        for number in hidden:
            page.set_row(number, None, None, {"hidden": True})
        for number, row in enumerate(rows):
            for column, value in enumerate(row):
                if isinstance(value, datetime):
                    page.write_datetime(number, column, value)
                elif isinstance(value, str) and not value.startswith("="):
                    page.write_string(number, column, value)
                elif value is not None:
                    code = formats.get(column) if isinstance(value, int | float) else None
                    page.write(number, column, value, book.add_format({"num_format": code}) if code else None)
        for first, left, last, right, text in merged:
            page.merge_range(first, left, last, right, text)
        for number in range(more):
            book.add_worksheet(f"More {number}").write_string(0, 0, "not read")
    return made.getvalue()


def by_hand(lines: str, **parts: str) -> bytes:
    """A workbook whose only page has this XML in it."""
    made = io.BytesIO()
    page = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{lines}</sheetData></worksheet>'
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {**_PARTS, "xl/worksheets/sheet1.xml": page, **parts}.items():
            packed.writestr(name, text)
    return made.getvalue()


def lying(page: bytes, *, says: int, method: int) -> bytes:
    """A workbook whose only page is packed by `method`, and is of another size than its zip says."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", page)
    return made.getvalue().replace(struct.pack("<I", len(page)), struct.pack("<I", says))
