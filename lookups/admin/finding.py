"""How staff find a row: by an id, by its account, by how a name begins where few rows are left. Nothing scans all."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from billing import selectors
from lookups.models import Lookup

PREFIXES = ("lk_", "nc_", "job_", "bulk_", "msg_", "evt_", "watch_")
NARROWS = ("account__id__exact", "created_at__day", "bulk__id__exact")


def find_mark(text: str) -> uuid.UUID | None:
    """The id in a public name, or in a UUID however written; None for anything else."""
    word = text.strip()
    for prefix in PREFIXES:
        word = word.removeprefix(prefix)
    try:
        return uuid.UUID(word)
    except ValueError:
        return None


def is_narrow(request: HttpRequest) -> bool:
    """Whether the list is already of one day, one account or one bulk request."""
    return any(name in request.GET for name in NARROWS)


def search_lookups(rows: QuerySet[Lookup], text: str, *, is_narrow: bool) -> QuerySet[Lookup]:
    """Lookups by their own id, their ask's, their account, and how the name begins that was asked."""
    if not text.strip():
        return rows
    mark = find_mark(text)
    if mark is not None:
        return rows.filter(ask_id=mark)
    return rows.filter(of_account(text) | (Q(asked__istartswith=text.strip()) if is_narrow else Q()))


def of_account(text: str, path: str = "account") -> Q:
    """Rows of the accounts of this name or address: their numbers are found first, so that an index serves."""
    return Q(**{f"{path}__in": list(selectors.find_accounts(text).values_list("pk", flat=True)[:50])})


class FoundByAccount:
    """A list whose rows are found by their own id, or by whose they are."""

    mark_columns: tuple[str, ...] = ("pk",)
    account_path = "account"

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        if not search_term.strip():
            return queryset, False
        mark = find_mark(search_term)
        if mark is None:
            return queryset.filter(of_account(search_term, self.account_path)), False
        wanted = Q()
        for column in self.mark_columns:
            wanted |= Q(**{column: mark})
        return queryset.filter(wanted), False
