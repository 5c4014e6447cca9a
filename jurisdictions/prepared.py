"""Queries of the hot paths, written as SQL once: to write a wide one costs Django more time than to run it.

    by_number = Prepared(lambda: Book.objects.select_related("author").filter(isbn=Blank("isbn")))
    book = by_number.first(isbn="0-306-40615-2")

What comes of it is what the query set itself would return: only the values of the blanks change from one to the next.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, models
from django.db.models.expressions import Expression
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

M = TypeVar("M", bound=models.Model)


class Blank(Expression):
    """The place of a value in a filter. It bears the name of a field, whose form the value is given: "title", or
    "author__name" of a related row."""

    def __init__(self, field: str) -> None:
        super().__init__()
        self.of = field

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, Any]:
        """A placeholder, with itself as the value that is filled in later."""
        return "%s", (self,)


class Prepared(Generic[M]):
    """A query set with blanks. A value is never None, for which SQL has another operator."""

    def __init__(self, build: Callable[[], models.QuerySet[M]]) -> None:
        self._build = build
        self._written: dict[str, tuple[SQLCompiler, str, list[Any]]] = {}  # by the kind of database

    def first(self, **values: Any) -> M | None:
        """The first row, or None."""
        return next(iter(self.all(**values)), None)

    def get(self, **values: Any) -> M:
        """The row; raises the model's DoesNotExist."""
        found = self.first(**values)
        if found is None:
            model: Any = self._build().model
            raise model.DoesNotExist
        return found

    def all(self, **values: Any) -> list[M]:
        """Every row."""
        compiler = self._fill_in(values)
        # All that Django's own reading of rows asks of a query set
        query = SimpleNamespace(get_compiler=lambda using: compiler)
        rows: Any = SimpleNamespace(db=DEFAULT_DB_ALIAS, query=query, _known_related_objects={})
        return list(ModelIterable(rows))

    def tuples(self, **values: Any) -> list[tuple[Any, ...]]:
        """What a query set with `values_list` gives."""
        return list(self._fill_in(values).results_iter(tuple_expected=True))

    def _fill_in(self, values: dict[str, Any]) -> Any:
        if connection.vendor not in self._written:
            self._written[connection.vendor] = self._write()
        written, sql, parts = self._written[connection.vendor]
        if written.query.select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("What is locked outside a transaction would be free at once.")
        compiler: Any = copy.copy(written)
        compiler.connection = connection
        filled = [_fill(compiler, part, values) if isinstance(part, Blank) else part for part in parts]
        compiler.as_sql = lambda *_, **__: (sql, filled)
        return compiler

    def _write(self) -> tuple[SQLCompiler, str, list[Any]]:
        compiler = self._build().query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parts = compiler.as_sql()
        return compiler, sql, list(parts)


def _fill(compiler: Any, blank: Blank, values: dict[str, Any]) -> Any:
    value = values[blank.of]
    if value is None:
        raise ValueError(f"{blank.of}: nothing equals NULL")
    first, *path = blank.of.split("__")
    field = compiler.query.model._meta.get_field(first)
    for name in path:
        field = field.related_model._meta.get_field(name)
    return field.get_db_prep_value(value, connection)
