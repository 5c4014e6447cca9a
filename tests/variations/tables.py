"""Variations of tables: columns, cells, rows of headings, footnotes, pagers, nesting, `th` for `td`."""

from __future__ import annotations

from collections.abc import Callable

from lxml.html import HtmlElement

from tests.variations.places import (
    copied,
    element,
    fill,
    find_headings,
    list_cells,
    list_grids,
    list_rows,
    list_tables,
    shown,
    wrap,
)

Variation = Callable[[HtmlElement], bool]
NOTE = "* Names may be shortened."


def extra_column(place: int, heading: str, text: str) -> Variation:
    """One more column in every table with headings, at this place (-1: behind the last)."""

    def vary(tree: HtmlElement) -> bool:
        grids = list_grids(tree)
        for _, heads, data in grids:
            kind = list_cells(heads)[0].tag
            for row, cell in [(heads, element(kind, heading)), *((row, element("td", text)) for row in data)]:
                _insert(row, cell, place)
        return bool(grids)

    return vary


def extra_cell(place: int, *, everywhere: bool) -> Variation:
    """One more cell than there are headings: in every row of data, or in the first alone."""

    def vary(tree: HtmlElement) -> bool:
        rows = [row for _, _, data in list_grids(tree) for row in (data if everywhere else data[:1])]
        for row in rows:
            _insert(row, element("td", "See file"), place)
        return bool(rows)

    return vary


def extra_cell_beside_a_label(place: int) -> Variation:
    """One more cell in every row of tables that have no headings: labels and their values."""

    def vary(tree: HtmlElement) -> bool:
        rows = [row for table in list_tables(tree) if find_headings(table) is None for row in list_rows(table)]
        rows = [row for row in rows if len(list_cells(row)) > 1]
        for row in rows:
            _insert(row, element("td", "See file"), place)
        return bool(rows)

    return vary


def _insert(row: HtmlElement, cell: HtmlElement, place: int) -> None:
    cells = list_cells(row)
    if place < 0:
        cells[-1].addnext(cell)
    else:
        cells[min(place, len(cells) - 1)].addprevious(cell)


def swapped(order: Callable[[list[HtmlElement]], list[HtmlElement]]) -> Variation:
    """The columns in another order, headings and cells alike."""

    def vary(tree: HtmlElement) -> bool:
        grids = list_grids(tree)
        for _, heads, data in grids:
            for row in (heads, *data):
                cells = list_cells(row)
                for cell in cells:
                    row.remove(cell)
                row.extend(order(cells))
        return bool(grids)

    return vary


def wide_row(make: Callable[[int], HtmlElement], *, last: bool) -> Variation:
    """One more row of one wide cell, as the last or between heading and data, in every table with headings."""

    def vary(tree: HtmlElement) -> bool:
        grids = list_grids(tree)
        for _, heads, data in grids:
            row = element("tr")
            row.append(make(len(list_cells(heads))))
            if last:
                data[-1].addnext(row)
            else:
                data[0].addprevious(row)
        return bool(grids)

    return vary


def _note(width: int) -> HtmlElement:
    return element("td", NOTE, colspan=str(width))


def _group(width: int) -> HtmlElement:
    return element("th", "Businesses", colspan=str(width))


def _pager(pages: int) -> Callable[[int], HtmlElement]:
    """The pager of a WebForms grid: a table of its own, the present page as text, the others as links."""

    def make(width: int) -> HtmlElement:
        cell, table, row = element("td", colspan=str(width)), element("table"), element("tr")
        for number in range(1, pages + 1):
            box = element("td")
            link = element("a", str(number), href=f"javascript:__doPostBack('pager','Page${number}')")
            box.append(element("span", "1") if number == 1 else link)
            row.append(box)
        table.append(row)
        cell.append(table)
        return cell

    return make


def note_in_a_footer(tree: HtmlElement) -> bool:
    """A footnote in the table's own footer."""
    grids = list_grids(tree)
    for table, heads, _ in grids:
        footer, row = element("tfoot"), element("tr")
        row.append(_note(len(list_cells(heads))))
        footer.append(row)
        table.append(footer)
    return bool(grids)


def note_behind(tree: HtmlElement) -> bool:
    """A footnote behind every table."""
    tables = list_tables(tree)
    for table in tables:
        table.addnext(element("p", NOTE))
    return bool(tables)


def headings_again(*, last: bool) -> Variation:
    """The row of headings a second time, before the last row of data or behind it."""

    def vary(tree: HtmlElement) -> bool:
        grids = list_grids(tree)
        for _, heads, data in grids:
            (data[-1].addnext if last else data[-1].addprevious)(copied(heads))
        return bool(grids)

    return vary


def title_above_the_headings(tree: HtmlElement) -> bool:
    """A row above the headings that names the table."""
    grids = list_grids(tree)
    for _, heads, _ in grids:
        row = element("tr")
        row.append(element("th", "Search results", colspan=str(len(list_cells(heads)))))
        heads.addprevious(row)
    return bool(grids)


def caption(tree: HtmlElement) -> bool:
    """A caption in every table."""
    tables = [table for table in list_tables(tree) if not table.xpath("./caption")]
    for table in tables:
        table.insert(0, element("caption", "Businesses"))
    return bool(tables)


def cells_hold_tables(tree: HtmlElement) -> bool:
    """What is in a cell stands in a table of its own within it."""
    rows = [row for table in list_tables(tree) for row in list_rows(table) if row.xpath("./td")]
    cells = [cell for row in rows if row is not find_headings(_table_of(row)) for cell in row.xpath("./td")]
    for cell in cells:
        box = fill(cell, "td")
        wrap(wrap(box, "tr"), "table")
    return bool(cells)


def _table_of(row: HtmlElement) -> HtmlElement:
    return next(row.iterancestors("table"))


def tables_in_a_table(tree: HtmlElement) -> bool:
    """Every table stands in the only cell of another one, which holds it in place."""
    tables = list_tables(tree)
    for table in tables:
        wrap(wrap(wrap(table, "td"), "tr"), "table")
    return bool(tables)


def headings_as(tag: str) -> Variation:
    """The headings' cells as `td`, or as `th`."""

    def vary(tree: HtmlElement) -> bool:
        cells = [cell for _, heads, _ in list_grids(tree) for cell in list_cells(heads) if cell.tag != tag]
        for cell in cells:
            cell.tag = tag
        return bool(cells)

    return vary


def data_as_th(*, first: bool) -> Variation:
    """The cells of data as `th`: the first of each row (a heading of its row), or all."""

    def vary(tree: HtmlElement) -> bool:
        rows = [row for table in list_tables(tree) for row in list_rows(table) if row is not find_headings(table)]
        cells = [cell for row in rows for cell in (list_cells(row)[:1] if first else list_cells(row))]
        changed = [cell for cell in cells if cell.tag == "td"]
        for cell in changed:
            cell.tag = "th"
        return bool(changed)

    return vary


def labels_as_td(tree: HtmlElement) -> bool:
    """The labels of rows as `td` where they are `th`."""
    tables = [table for table in list_tables(tree) if find_headings(table) is None]
    cells = [cell for table in tables for row in list_rows(table) for cell in row.xpath("./th")]
    for cell in cells:
        cell.tag = "td"
    return bool(cells)


def rows_in_groups(tree: HtmlElement) -> bool:
    """Headings in a `thead` and data in a `tbody`, where they had none; without them, where they had."""
    tables = list_tables(tree)
    for table in tables:
        heads, rows = find_headings(table), list_rows(table)
        groups = table.xpath("./thead | ./tbody | ./tfoot")
        for row in rows:
            row.getparent().remove(row)
        for group in groups:
            table.remove(group)
        if groups:
            table.extend(rows)
            continue
        if heads is not None:
            table.append(element("thead"))
            table[-1].append(heads)
        table.append(element("tbody"))
        table[-1].extend([row for row in rows if row is not heads])
    return bool(tables)


def row_without_text(tree: HtmlElement) -> bool:
    """An empty row above the data, as a grid keeps for its layout."""
    grids = list_grids(tree)
    for _, heads, data in grids:
        row = element("tr")
        row.extend([element("td", "\xa0") for _ in list_cells(heads)])
        data[0].addprevious(row)
    return bool(grids) and all(shown(heads) for _, heads, _ in grids)


TABLES: dict[str, Variation] = {
    "column: named, first": extra_column(0, "Reference", "See file"),
    "column: named, second": extra_column(1, "Reference", "See file"),
    "column: named, last": extra_column(-1, "Reference", "See file"),
    "column: nameless, first": extra_column(0, "", ""),
    "column: nameless, last": extra_column(-1, "", ""),
    "column: with the words of a status": extra_column(1, "Remarks", "Inactive"),
    "cell: last, in every row": extra_cell(-1, everywhere=True),
    "cell: last, in one row": extra_cell(-1, everywhere=False),
    "cell: first, in every row": extra_cell(0, everywhere=True),
    "cell: first, beside labels": extra_cell_beside_a_label(0),
    "cell: last, beside labels": extra_cell_beside_a_label(-1),
    "columns: first two swapped": swapped(lambda cells: [*cells[1::-1], *cells[2:]]),
    "columns: last one first": swapped(lambda cells: [cells[-1], *cells[:-1]]),
    "columns: the other way round": swapped(lambda cells: cells[::-1]),
    "footnote: in a row": wide_row(_note, last=True),
    "footnote: in a footer": note_in_a_footer,
    "footnote: behind the table": note_behind,
    "pager: one page": wide_row(_pager(1), last=True),
    "pager: four pages": wide_row(_pager(4), last=True),
    "pager: four pages, above": wide_row(_pager(4), last=False),
    "heading row: repeated before the last row": headings_again(last=False),
    "heading row: repeated at the end": headings_again(last=True),
    "heading row: a title above": title_above_the_headings,
    "heading row: a group's name": wide_row(_group, last=False),
    "heading row: a caption": caption,
    "heading row: an empty row below": row_without_text,
    "nested table: in each cell": cells_hold_tables,
    "nested table: around each table": tables_in_a_table,
    "th for td: first cells": data_as_th(first=True),
    "th for td: all cells": data_as_th(first=False),
    "th for td: headings": headings_as("th"),
    "td for th: headings": headings_as("td"),
    "td for th: labels": labels_as_td,
    "wrapper: around rows": rows_in_groups,
}
