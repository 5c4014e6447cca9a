"""Reads one workbook from standard input and writes its cells to standard output, in a process of its own.

A workbook of 700 bytes may name a cell so far away that reading it asks for half a terabyte, and ends the process that
asks. So this file is started alone (it imports nothing of the service), with little memory, little time and no
environment. Formulas are not computed: what was kept as their result is read. Numbers have the zeros that they are
shown with, for an identifier is what people see.
"""

from __future__ import annotations

import io
import json
import re
import resource
import sys
import zipfile
from datetime import date, datetime
from functools import cache
from itertools import chain
from typing import Any
from xml.etree import ElementTree

MEMORY, SECONDS = 384 * 1024 * 1024, 10
MOST_CELLS, MOST_SIGNS = 200_000, 4_000_000
_HIDDEN = re.compile(rb"""<(?:\w+:)?row\b(?=[^<>]*\bhidden=["'](?:1|true)["'])[^<>]*\br=["'](\d+)["']""")
_STYLED = rb"""<(?:\w+:)?c\b(?=[^<>]*\bs=["'](%s)["'])(?=[^<>]*[^/<>]>)[^<>]*\br=["']([A-Z]+)(\d+)["']"""
_ZEROS = re.compile(r"""(?:0|\\.|"[^"]*"|[- ()/])*""")  # what a format of zeros and plain text is made of
_SIGN = re.compile(r"""(0)|\\(.)|"([^"]*)"|(.)""")
Place = tuple[int, int]  # the number of a row, and a column from 0


class Unfit(Exception):
    """Why the workbook is not read, as a word."""


def main(most_rows: int) -> None:
    """Read, and write `{"sheet", "others", "rows": [[number, [[column, text, kind]]]], "total", "hidden"}`.

    Or `{"problem"}`.
    """
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
        rows: list[tuple[int, list[list[Any]]]]
        rows = [(top + number + 1, cells) for number, line in enumerate(grid) if (cells := _cells(line))]
        if not rows:
            continue
        _refuse_much(rows[: most_rows + 1])
        hidden, formats = _look(raw, name)
        total, rows = len(rows), rows[:most_rows]
        for number, cells in rows:
            for cell in cells:
                if cell[2] == "number":
                    cell[1] = write_by(formats.get((number, left + cell[0]), ""), cell[1])
        unseen = sum(number in hidden for number, _ in rows)
        return {"sheet": name, "others": len(shown) - 1, "rows": rows, "total": total, "hidden": unseen}
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
        whole = isinstance(value, int) or (value.is_integer() and abs(value) < 1e16)
        return str(int(value)) if whole else repr(value), "number"
    if isinstance(value, datetime):
        midnight = value.time() == datetime.min.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" "), "date"
    return value.isoformat() if isinstance(value, date) else str(value), "date"


def write_by(code: str, text: str) -> str:
    """A whole number with the zeros and the signs of its format: 12345 by "00000000" is 00012345."""
    if not code or not text.isdigit():
        return text
    signs = _read_format(code)
    width = signs.count("")
    digits = text.zfill(width)
    first = len(digits) - width + 1
    each = chain([digits[:first]], digits[first:])
    return "".join(sign or next(each) for sign in signs)


@cache
def _read_format(code: str) -> list[str]:
    """Its plain signs, and nothing for each digit."""
    return ["" if zero else "".join(plain) for zero, *plain in _SIGN.findall(code) if zero or any(plain)]


def _look(raw: bytes, name: str) -> tuple[set[int], dict[Place, str]]:
    """The rows of a page that are hidden, and the cells that are shown with zeros; none where that cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            page, styles = parts.read(_find_page(parts, name)), _list_formats(parts)
    except (LookupError, ValueError, ElementTree.ParseError, MemoryError):
        return set(), {}
    hidden = {int(number) for number in _HIDDEN.findall(page)}
    found = re.finditer(_STYLED % b"|".join(styles), page) if styles else ()
    return hidden, {(int(cell[3]), _to_number(cell[2])): styles[cell[1]] for cell in found}


def _find_page(parts: zipfile.ZipFile, name: str) -> str:
    """The part that has a page. Raises KeyError or ValueError."""
    book, links = (_read_xml(parts, f"xl/{part}") for part in ("workbook.xml", "_rels/workbook.xml.rels"))
    [sheet] = [one for one in book.iter() if one.tag.endswith("}sheet") and one.get("name") == name]
    mark = {word.rpartition("}")[2]: text for word, text in sheet.items()}["id"]
    [target] = [one.get("Target", "") for one in links if one.get("Id") == mark]
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _list_formats(parts: zipfile.ZipFile) -> dict[bytes, str]:
    """The formats that show a whole number with zeros before it, by the style of a cell."""
    if "xl/styles.xml" not in parts.namelist():
        return {}
    groups = {group.tag.rpartition("}")[2]: group for group in _read_xml(parts, "xl/styles.xml")}
    codes = {one.get("numFmtId"): one.get("formatCode", "").partition(";")[0] for one in groups.get("numFmts", ())}
    styles = enumerate(groups.get("cellXfs", ()))
    found = {str(at).encode(): codes.get(one.get("numFmtId"), "") for at, one in styles}
    return {
        style: code
        for style, code in found.items()
        if 1 < code.count("0") <= len(code) < 256 and _ZEROS.fullmatch(code)
    }


def _read_xml(parts: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(parts.read(name))  # noqa: S314 (what it may cost is bounded for this process)


def _to_number(letters: bytes) -> int:
    """Of a column, from 0 on."""
    at = 0
    for letter in letters:
        at = at * 26 + letter - 64
    return at - 1


def _refuse_much(rows: list[tuple[int, list[list[Any]]]]) -> None:
    cells = [cell for _, line in rows for cell in line]
    if len(cells) > MOST_CELLS or sum(len(cell[1]) for cell in cells) > MOST_SIGNS:
        raise Unfit("large")


if __name__ == "__main__":
    main(int(sys.argv[1]))
