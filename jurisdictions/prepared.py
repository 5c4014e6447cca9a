"""Statements of the hot paths, written as SQL once: to write a wide one costs Django more time than to run it.

    by_number = Prepared(lambda: Book.objects.select_related("author").filter(isbn=Blank("isbn")))
    book = by_number.first(isbn="0-306-40615-2")

What comes of it is what the query set itself would return: only the values of the blanks change from one to the next.
So it is with rows that are written (`Insertion`) and changed (`Change`). PostgreSQL reads and plans each of them once
for a connection.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.models.expressions import Combinable, Expression
from django.db.models.query import ModelIterable
from django.db.models.sql import UpdateQuery
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
        connection = _connection()
        written, sql, parts = self._written.get(connection.vendor) or self._write(connection)
        if written.query.select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("What is locked outside a transaction would be free at once.")
        compiler: Any = copy.copy(written)
        compiler.connection = connection
        filled = _fill(compiler.query.model, parts, values, connection)
        compiler.execute_sql = lambda *_, **__: [_read(sql, filled, compiler)]
        return compiler

    def _write(self, connection: Any) -> tuple[SQLCompiler, str, list[Any]]:
        compiler: Any = self._build().query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parts = compiler.as_sql()
        # The same each time, and wide rows have many columns
        columns = [column for column, *_ in compiler.select[: compiler.col_count]]
        converters, has_composites = compiler.get_converters(columns), compiler.has_composite_fields(columns)
        compiler.get_converters = lambda _: converters
        compiler.has_composite_fields = lambda _: has_composites
        self._written[connection.vendor] = compiler, sql, list(parts)
        return self._written[connection.vendor]


class Insertion(Generic[M]):
    """New rows of a model, with whatever their columns hold, as `bulk_create` writes them; no signal is sent.

    `once`: what would be there twice is left out. Or what is there by the columns `unique` takes the new values of
    `update`; where it is newer by the column `latest`, it stays, and the row is left out.
    `counted`: SQL that stands for a column's value, and the columns whose values its marks take.
    """

    def __init__(
        self,
        model: type[M],
        *,
        once: bool = False,
        unique: Sequence[str] = (),
        update: Sequence[str] = (),
        latest: str = "",
        counted: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    ) -> None:
        self._model: Any = model
        self._once, self._unique, self._update, self._latest = once, unique, update, latest
        self._counted = counted or {}
        self._fields = [one for one in model._meta.concrete_fields if not isinstance(one, models.AutoField)]
        self._written: dict[tuple[str, int], str] = {}  # by the kind of database, and how many rows
        self._named: dict[tuple[Insertion[Any], str], str] = {}

    def write(self, *rows: M) -> bool:
        """Write them, in one statement; they have their ids then. False where one of them was left out."""
        connection = _connection()
        sql = self._written.get((connection.vendor, len(rows))) or self._write(connection, len(rows))
        values = [value for row in rows for value in self._values(row, connection)]
        with cursor() as connected:
            connected.execute(sql, values)
            made = connected.fetchall()
        if len(made) < len(rows):
            return False
        for row, (number,) in zip(rows, made, strict=True):
            row.pk, row._state.adding, row._state.db = number, False, DEFAULT_DB_ALIAS
        return True

    def write_named(self, row: M, by: Insertion[Any], column: str, name: models.Model) -> None:
        """Write a row and another one, whose `column` names it: in one statement where the engine can."""
        connection = _connection()
        if connection.vendor != "postgresql":
            with transaction.atomic():
                self.write(row)
                setattr(name, column, row.pk)
                by.write(name)
            return
        sql = self._named.get((by, column)) or self._write_named(connection, by, column)
        values = [*self._values(row, connection), *by._values(name, connection, but=column)]
        with cursor() as connected:
            connected.execute(sql, values)
            row.pk, name.pk = connected.fetchone()
        setattr(name, column, row.pk)
        for one in (row, name):
            one._state.adding, one._state.db = False, DEFAULT_DB_ALIAS

    def _write_named(self, connection: Any, by: Insertion[Any], column: str) -> str:
        quote, named = connection.ops.quote_name, _find(by._model, column)
        columns = ", ".join(quote(field.column) for field in by._fields)
        marks = ", ".join("(SELECT id FROM named)" if field is named else "%s" for field in by._fields)
        first = self._written.get((connection.vendor, 1)) or self._write(connection, 1)
        self._named[by, column] = (
            f"WITH named (id) AS ({first}) INSERT INTO {quote(by._model._meta.db_table)} ({columns}) "  # noqa: S608
            f"VALUES ({marks}) RETURNING {quote(named.column)}, {quote(_find(by._model, 'pk').column)}"
        )
        return self._named[by, column]

    def _values(self, row: M, connection: Any, *, but: str = "") -> Iterator[Any]:
        for field in self._fields:
            if field.attname == but:
                continue
            if field.name in self._counted:
                for name in self._counted[field.name][1]:
                    yield _find(self._model, name).get_db_prep_save(getattr(row, name), connection)
            else:
                yield field.get_db_prep_save(field.pre_save(row, add=True), connection)

    def _write(self, connection: Any, number: int) -> str:
        quote, meta = connection.ops.quote_name, self._model._meta
        columns = ", ".join(quote(field.column) for field in self._fields)
        row = ", ".join(self._counted.get(field.name, ("%s",))[0] for field in self._fields)
        sql = f"INSERT INTO {quote(meta.db_table)} ({columns}) VALUES {', '.join([f'({row})'] * number)}"  # noqa: S608
        if self._once:
            sql += " ON CONFLICT DO NOTHING"
        if self._update:
            unique, update = (
                [quote(_find(self._model, name).column) for name in of] for of in (self._unique, self._update)
            )
            taken = ", ".join(f"{column} = EXCLUDED.{column}" for column in update)
            sql += f" ON CONFLICT ({', '.join(unique)}) DO UPDATE SET {taken}"
            if self._latest:
                latest = quote(_find(self._model, self._latest).column)
                sql += f" WHERE {quote(meta.db_table)}.{latest} <= EXCLUDED.{latest}"
        self._written[connection.vendor, number] = f"{sql} RETURNING {quote(_find(self._model, 'pk').column)}"
        return self._written[connection.vendor, number]


class Change(Generic[M]):
    """New values for some columns (`names`) of the rows that a query set with blanks finds.

    `counted`: columns that get what an expression makes of the row, as F("tries") + 1.
    """

    def __init__(
        self,
        build: Callable[[], models.QuerySet[M]],
        names: Sequence[str],
        *,
        counted: Mapping[str, Combinable] | None = None,
    ) -> None:
        self._build, self._names, self._counted = build, names, counted or {}
        self._written: dict[str, tuple[type[M], str, list[Any]]] = {}  # by the kind of database

    def run(self, values: dict[str, Any], **found_by: Any) -> int:
        """Give them these values; returns how many were found."""
        connection = _connection()
        model, sql, parts = self._written.get(connection.vendor) or self._write(connection)
        new = [_find(model, name).get_db_prep_save(values[name], connection) for name in self._names]
        filled = _fill(model, parts[len(new) :], found_by, connection)
        with cursor() as connected:
            connected.execute(sql, new + filled)
            return int(connected.rowcount)

    def _write(self, connection: Any) -> tuple[type[M], str, list[Any]]:
        found = self._build()
        query: Any = found.query.chain(UpdateQuery)
        query.add_update_values({name: Blank(name) for name in self._names} | dict(self._counted))
        sql, parts = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        self._written[connection.vendor] = found.model, sql, list(parts)
        return self._written[connection.vendor]


def cursor() -> AbstractContextManager[Any]:
    """A cursor for statements that are run again and again."""
    connection = _connection()
    opened: AbstractContextManager[Any] = getattr(connection, "prepared_cursor", connection.cursor)()
    return opened


def _connection() -> Any:
    """This thread's connection itself: what stands for it looks it up for whatever is asked of it."""
    return connections[DEFAULT_DB_ALIAS]


def _read(sql: str, values: list[Any], compiler: Any) -> list[Any]:
    """All rows of it, as the compiler's own reading would give them."""
    with cursor() as connected:
        connected.execute(sql, values)
        rows: list[Any] = connected.fetchall()
    return [row[: compiler.col_count] for row in rows] if compiler.has_extra_select else rows


def _fill(model: Any, parts: list[Any], values: dict[str, Any], connection: Any) -> list[Any]:
    filled = []
    for part in parts:
        if not isinstance(part, Blank):
            filled.append(part)
            continue
        value = values[part.of]
        if value is None:
            raise ValueError(f"{part.of}: nothing equals NULL")
        filled.append(_find(model, part.of).get_db_prep_value(value, connection))
    return filled


@cache
def _find(model: Any, name: str) -> Any:
    """The field of that name, "author__name" of a related row."""
    if name == "pk":
        return model._meta.pk
    first, *path = name.split("__")
    field = model._meta.get_field(first)
    for each in path:
        field = field.related_model._meta.get_field(each)
    return field
