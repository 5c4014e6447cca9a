"""Indexes on tables that are large already: on PostgreSQL they are made while the service goes on reading and writing.

A migration that has such an operation is not atomic, so each operation can be begun again after a failure.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations


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
