"""The way by which the tables of an older installation came: each migration that there has ever been, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

APPS = ("billing", "jurisdictions", "lookups", "scrapers")


def migrate(targets: Sequence[tuple[str, str | None]]) -> Any:
    """Bring the tables to these migrations, the long way that an older installation comes; the models of then."""
    executor = _open()
    steps = executor.loader
    for key in steps.replacements:
        executor.recorder.record_unapplied(*key)  # an installation of before knew of no short way
    _go_back(executor, targets)
    executor.migrate(targets)
    return steps.project_state([target for target in targets if target[1]]).apps


def list_undone(targets: Sequence[tuple[str, str | None]]) -> frozenset[tuple[str, str]]:
    """The migrations that are not in the tables at these targets, of those that are in the present ones."""
    plan = _open().migration_plan(targets)
    return frozenset((one.app_label, one.name) for one, is_backwards in plan if is_backwards)


def _open() -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    steps = executor.loader
    steps.replace_migrations = False
    steps.build_graph()
    for key, migration in steps.replacements.items():
        steps.graph.remove_replacement_node(key, migration.replaces)
        steps.applied_migrations.pop(key, None)
    return executor


def _go_back(executor: MigrationExecutor, targets: Sequence[tuple[str, str | None]]) -> None:
    """Unapply what is beyond the targets, each migration by itself.

    All at once, the models are made anew for each operation of every one of them, which takes five times as long.
    """
    steps = executor.loader
    every_one = [one for one, _ in executor.migration_plan(steps.graph.leaf_nodes(), clean_start=True)]
    for migration, is_backwards in executor.migration_plan(targets):
        if is_backwards:
            state = executor._create_project_state()
            for one in every_one[: every_one.index(migration)]:
                if (one.app_label, one.name) in steps.applied_migrations:
                    one.mutate_state(state, preserve=False)
            _ = state.apps  # rendered once, where each of its operations would render them all
            executor.unapply_migration(state, migration)
            del steps.applied_migrations[migration.app_label, migration.name]
