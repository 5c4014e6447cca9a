"""The results of a bulk job as a file for spreadsheets: somebody's own columns first, then ours.

A row that was asked again has the answer it got in the end; what it had at first stands in two columns of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from msgspec.structs import replace

from billing import money
from lookups import bodies, bulk_table, csv_export, xlsx_export
from lookups.api.wire.bulk import BulkRow
from lookups.bulk import drafts, row_answers
from lookups.models import BulkJob, Lookup

FORMS = ("csv", "xlsx")
FIRST = ("firstVerdict", "firstLookupId")
NOT_ASKED = "not_asked"
AT_A_TIME = 200


def download(bulk: BulkJob, rows: QuerySet[Lookup], *, form: str, is_whole: bool) -> HttpResponseBase:
    """The file; CSV says that it is UTF-8, so that spreadsheets open it as it is. Raises xlsx_export.TooLong."""
    columns, lines = make_table(bulk, rows, is_whole=is_whole)
    name = f"{bulk.public_id}.{form}"
    if form == "xlsx":
        book = xlsx_export.make_workbook(columns, lines)
        return FileResponse(book, as_attachment=True, filename=name, content_type=xlsx_export.MEDIA_TYPE)
    return csv_export.make_response(name, columns, lines, bom=True)


def make_table(
    bulk: BulkJob, rows: QuerySet[Lookup], *, is_whole: bool = True
) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The columns, and a line for each row or each of its liens; of a whole table those that were not asked, too."""
    headers, carried, left_out = drafts.find_carried(bulk)
    ours = bulk_table.make_table([]).columns
    own = _tell_apart(headers, {*ours, *FIRST})
    firsts: dict[int, Lookup] = {}

    def lines() -> Iterator[dict[str, Any]]:
        for line in bulk_table.make_table(_tell(rows, firsts)).lines:
            position = line["index"]
            first = firsts.get(position)
            cells = carried[position] if position < len(carried) else []
            yield {
                **dict(zip(own, cells, strict=False)),
                **line,
                **({FIRST[0]: first.verdict, FIRST[1]: first.public_id} if first else {}),
            }
        for one in left_out if is_whole else []:
            yield {**dict(zip(own, one["cells"], strict=True)), **_not_asked(one)}

    return [*own, *ours, *FIRST], lines()


def _tell_apart(headers: Sequence[str], ours: set[str]) -> list[str]:
    """Somebody's own headings, each unlike ours and unlike any other: a file of results may be brought again."""
    names: list[str] = []
    for heading in headers:
        name = heading
        while name in ours or (name != heading and name in (*headers, *names)):
            name = f"{name} (yours)"
        names.append(name)
    return names


def _tell(rows: QuerySet[Lookup], firsts: dict[int, Lookup]) -> Iterator[BulkRow]:
    """Each row as the API tells it; where it was found by asking again, that answer under what was asked at first.

    Its cost is that of all that was found for it, each counted in one row: the column adds up to what was paid.
    """
    now = timezone.now()
    counted: set[int] = set()
    for some in _portions(rows):
        answers = row_answers.list_answers(some)
        for row in some:
            told = bodies.of_row(row, now=now)
            found = [one for one in answers.get(row.pk, []) if one.outcome and one.outcome.facts.billed]
            if found and not (row.outcome and row.outcome.facts.billed):
                firsts[row.position or 0] = row
                again = bodies.of_row(found[-1], now=now)
                cost = money.to_json_number(sum(one.cost for one in found if one.pk not in counted))
                counted.update(one.pk for one in found)
                told = replace(again, index=told.index, ref=told.ref, entity_name=told.entity_name, cost=cost)
            yield told


def _portions(rows: QuerySet[Lookup]) -> Iterable[list[Lookup]]:
    some: list[Lookup] = []
    for row in rows.iterator(chunk_size=AT_A_TIME):
        some.append(row)
        if len(some) == AT_A_TIME:
            yield some
            some = []
    if some:
        yield some


def _not_asked(one: dict[str, Any]) -> dict[str, Any]:
    fields = one["fields"]
    names = ("ref", "entity_name", "entity_id", "state", "searchType", "searchBy", "dateAfter", "dateBefore")
    asked = {name: fields.get(name) for name in names}
    return {**asked, "status": NOT_ASKED, "error": one["why"], "cost": 0}
