"""Lists of the admin over tables that grow for ever: opening one reads a bounded number of rows.

Any filter, order or word may fit a row in a million, and an index for each would cost every lookup. So a list looks
through its newest rows, says how far back that was, and goes on from there; what has an index (an id, an account, a
time) is found among all.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import build_q_object_from_lookup_parameters
from django.contrib.admin.views.main import ORDER_VAR
from django.db import DataError
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.views import ChangeList

SPAN = 5_000  # rows: some hundredths of a second


class CarefulChangeList(ChangeList):  # type: ignore[misc]
    """Any list of the admin: a year or a number in its address that is none to the database is no error of ours."""

    def __init__(self, *args: Any, **named: Any) -> None:
        try:
            super().__init__(*args, **named)
        except (OverflowError, ValueError, DataError) as wrong:
            raise IncorrectLookupParameters(wrong) from wrong


class BoundedChangeList(CarefulChangeList):
    """`looked_to` is where the rows end that were looked through; None where these are all."""

    looked_to: Any = None
    request: HttpRequest
    _given: dict[str, Any]

    def get_filters(self, request: HttpRequest) -> Any:
        """Django's; what the address asks for beside the filters is kept."""
        found = super().get_filters(request)
        self.request, self._given = request, found[2]
        return found

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        """Django's, of the newest rows."""
        rows: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        self.looked_to = self._find_floor()
        if self.looked_to is None:
            return rows
        return rows.filter(**{f"{self.model_admin.span_by}__gte": self.looked_to})

    def get_ordering(self, request: HttpRequest, queryset: Any) -> Any:
        """Django's, by columns that the page offers: of others in an address written by hand no index may serve any."""
        numbers = [one.removeprefix("-") for one in self.params.get(ORDER_VAR, "").split(".")]
        offered = {f"{at}" for at, name in enumerate(self.list_display) if name in self.sortable_by}
        if not offered.issuperset(numbers):
            self.params.pop(ORDER_VAR, None)
        return super().get_ordering(request, queryset)

    @property
    def span(self) -> int:
        """How many rows are looked through."""
        return SPAN

    @property
    def further(self) -> str:
        """The address of the rows before."""
        floor = getattr(self.looked_to, "isoformat", lambda: self.looked_to)()
        return str(self.get_query_string({f"{self.model_admin.span_by}__lt": floor}, remove=["p"]))

    def _find_floor(self) -> Any:
        by = self.model_admin.span_by
        indexed = {by, *self.model_admin.narrowed_by}
        given = {name: value for name, value in self._given.items() if name.partition("__")[0] in indexed}
        rows = self.root_queryset.filter(build_q_object_from_lookup_parameters(given))
        if self.query.strip():
            found = self.model_admin.find(self.request, rows, self.query.strip())
            rows = rows if found is None else found
        last = list(rows.order_by(f"-{by}").values_list(by, flat=True)[SPAN - 1 : SPAN + 1])
        return last[0] if len(last) == 2 else None


class BoundedList:
    """An admin of such a table. `span_by`: the indexed column that says how new a row is; `narrowed_by`: other ones."""

    span_by = "pk"
    narrowed_by: tuple[str, ...] = ("account",)
    show_full_result_count = False
    list_after_template = "admin/looked_to.html"

    def get_changelist(self, request: HttpRequest, **named: Any) -> type[ChangeList]:
        return BoundedChangeList

    def find(self, request: HttpRequest, rows: QuerySet[Any], word: str) -> QuerySet[Any] | None:
        """The rows that an index finds by this word; None where none can tell: the newest are searched then."""
        return None

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        word = search_term.strip()
        found = self.find(request, queryset, word) if word else queryset
        if found is not None:
            return found, False
        return super().get_search_results(request, queryset, search_term)  # type: ignore[misc]


class NewestValues(admin.AllValuesFieldListFilter):
    """The values of a column among the newest rows: to know all of them, a table would be read from end to end."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        newest = model_admin.get_queryset(request).order_by(f"-{model_admin.span_by}")
        values = set(newest.values_list(field_path, flat=True)[:SPAN])
        self.lookup_choices: Any = sorted(values - {None}) + [None] * (None in values)
