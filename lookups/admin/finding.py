"""How staff find a row: by an id, or by its account. Nothing scans all."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from billing.admin.finding import of_accounts
from jurisdictions.bounded import SPAN, BoundedList

PREFIXES = ("lk_", "nc_", "job_", "bulk_", "msg_", "evt_", "watch_")


def find_mark(text: str) -> uuid.UUID | None:
    """The id in a public name, or in a UUID however written; None for anything else."""
    word = text.strip()
    for prefix in PREFIXES:
        word = word.removeprefix(prefix)
    try:
        return uuid.UUID(word)
    except ValueError:
        return None


class FoundByAccount(BoundedList):
    """A list whose rows are found by their own id, or by whose they are."""

    mark_columns: tuple[str, ...] = ("pk",)
    account_path = "account"

    def find(self, request: HttpRequest, rows: QuerySet[Any], word: str) -> QuerySet[Any] | None:
        """An id goes before an account."""
        mark = find_mark(word)
        if mark is None:
            found = of_accounts(rows, word, self.account_path)
            return rows.none() if found is None else found
        if len(self.mark_columns) == 1:
            return rows.filter(**{self.mark_columns[0]: mark})
        # Each column by its own index: for "one or the other", of two tables, PostgreSQL would read all rows
        by_column = (rows.filter(**{column: mark}).order_by() for column in self.mark_columns)
        return rows.filter(pk__in={pk for one in by_column for pk in one.values_list("pk", flat=True)[:SPAN]})
