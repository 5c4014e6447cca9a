"""The way by which the tables of an older installation came: each migration that there has ever been, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

APPS = ("billing", "jurisdictions", "lookups", "scrapers")


def migrate(targets: Sequence[tuple[str, str | None]]) -> Any:
    """Bring the tables to these migrations, the long way that an older installation comes; the models of then."""
    executor = _open()
    steps = executor.loader
    for key in steps.replacements:
        executor.recorder.record_unapplied(*key)  # an installation of before knew of no short way
    _go_back(executor, targets)
    state = executor.migrate(targets)
    state.__dict__.pop("apps", None)  # made bit by bit: some of its models refer to others as they were before
    return state.apps


def migrate_others() -> None:
    """Bring the tables that are not ours, which older installations have too, to where they are today."""
    executor = _open()
    executor.migrate([one for one in executor.loader.graph.leaf_nodes() if one[0] not in APPS])


def list_stops(which: int) -> list[tuple[str, str]]:
    """Of each app, the first or the last or another of the migrations for which one step stands."""
    steps = MigrationLoader(connection).replacements
    return [(app, one.replaces[which][1]) for (app, _), one in steps.items()]


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
