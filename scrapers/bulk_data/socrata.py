"""An open data set held whole: live questions stay live, and a name too common to list is looked up in the copy.

The platform exports the same data set as one CSV file, with the API's column names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scrapers.bulk_data.published import BulkData, Row
from scrapers.records import EntityRecord


def export(
    domain: str,
    dataset: str,
    *,
    least_rows: int,
    columns: Iterable[str],
    record: Callable[[Row], EntityRecord | None],
    active_only: bool = False,
) -> BulkData:
    """The export of a data set with one row an entity; a copy without the columns a record needs is refused.

    A line of it is a row of the API whose empty columns are still there.
    """
    return BulkData(
        f"https://{domain}/resource/{dataset}.csv?$limit=100000000",
        "csv",
        least_rows=least_rows,
        columns=frozenset(columns),
        record=lambda row: record({name: value for name, value in row.items() if value}),
        beside_live=True,
        active_only=active_only,
        most_rows=5_000,
    )
