"""Indexes on tables that are large already: on PostgreSQL they come and go while it serves.

A migration that has such an operation is not atomic, so each operation can be begun again after a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.db import migrations
from django.db.migrations.operations.base import Operation

_ENGINES = {  # how an index goes, and which ones a table has
    "postgresql": (
        "DROP INDEX CONCURRENTLY",
        "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = %s",
    ),
    "sqlite": ("DROP INDEX", "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = %s"),
}


class AddIndex(migrations.AddIndex):
    """Django's, without a lock on the table; on SQLite it is Django's."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it; what a failure left half made goes first."""
        model = to_state.apps.get_model(app_label, self.model_name)
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        elif self.allow_migrate_model(schema_editor.connection.alias, model):
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
            schema_editor.add_index(model, self.index, concurrently=True)


class DropForeignKeyIndexes(Operation):
    """The indexes that Django gave foreign keys: others begin with their columns, or few rows have a value there.

    Django's own AlterField locks the table for it on PostgreSQL; on SQLite it copies the table, without triggers.
    """

    atomic = False

    def __init__(self, **fields: list[str]) -> None:
        self.fields = fields  # model -> its foreign keys

    def state_forwards(self, app_label: str, state: Any) -> None:
        """The fields without indexes of their own; all models that refer to them are made anew once."""
        for model_name, names in self.fields.items():
            fields = state.models[app_label, model_name].fields
            for name in names:
                fields[name] = fields[name].clone()
                fields[name].db_index = False
        state.reload_models([(app_label, model_name) for model_name in self.fields])

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop them and their twins for patterns: called after the column, and after what the table was called then."""
        how, names_of = _ENGINES[schema_editor.connection.vendor]
        for model, columns in self._list(app_label, schema_editor, to_state):
            its_own = re.compile(rf"_({'|'.join(field.column for field in columns)})_[0-9a-f]{{8}}(_like)?$")
            with schema_editor.connection.cursor() as cursor:
                cursor.execute(names_of, [model._meta.db_table])
                names = [name for (name,) in cursor.fetchall() if its_own.search(name)]
            for name in names:
                schema_editor.execute(f"{how} IF EXISTS {schema_editor.quote_name(name)}")

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make them again, as Django makes them."""
        for model, fields in self._list(app_label, schema_editor, to_state):
            for field in fields:
                for statement in schema_editor._field_indexes_sql(model, field):
                    schema_editor.execute(statement)

    def describe(self) -> str:
        """For who runs the migration."""
        return f"Drop indexes of foreign keys of {', '.join(self.fields)}"

    def _list(self, app_label: str, schema_editor: Any, state: Any) -> Iterator[tuple[Any, list[Any]]]:
        for model_name, names in self.fields.items():
            model = state.apps.get_model(app_label, model_name)
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                yield model, [model._meta.get_field(name) for name in names]
