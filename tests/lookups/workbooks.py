"""Reads a workbook as a spreadsheet would: the zip and its XML, by nothing that the service writes it with."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from lxml import etree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
ONLY_PAGE = "xl/worksheets/sheet1.xml"


def read_parts(raw: bytes) -> dict[str, Any]:
    """Every file in it, parsed; one that is not XML raises."""
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        assert packed.testzip() is None
        return {name: etree.fromstring(packed.read(name)) for name in packed.namelist()}


def read_cells(raw: bytes) -> list[dict[int, Any]]:
    """The cells of its only page, row by row: text, numbers, yes or no. A formula or a link is an error."""
    parts = read_parts(raw)
    assert [name for name in parts if name.startswith("xl/worksheets/")] == [ONLY_PAGE]
    page = parts[ONLY_PAGE]
    assert not page.findall(f".//{MAIN}f") + page.findall(f".//{MAIN}hyperlink")
    return [{_column(cell.get("r")): _value(cell) for cell in row} for row in page.iter(f"{MAIN}row")]


def read_table(raw: bytes) -> list[dict[str, Any]]:
    """Its rows by the names in its header; None where there is no cell."""
    header, *rows = read_cells(raw)
    return [{name: row.get(place) for place, name in header.items()} for row in rows]


def _column(place: str) -> int:
    number = 0
    for letter in place.rstrip("0123456789"):
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: Any) -> Any:
    kind, children = cell.get("t", "n"), [one.tag for one in cell]
    if kind == "inlineStr":
        assert children == [f"{MAIN}is"]
        written = cell.findtext(f"{MAIN}is/{MAIN}t") or ""
        return re.sub("_x([0-9A-F]{4})_", lambda one: chr(int(one[1], 16)), written)  # how control characters are kept
    assert children == [f"{MAIN}v"]
    value = cell.findtext(f"{MAIN}v")
    return {"b": lambda: value == "1", "n": lambda: float(value)}[kind]()
