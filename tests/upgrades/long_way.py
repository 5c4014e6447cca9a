"""The way by which the tables of an older installation came: each migration that there has ever been, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

APPS = ("billing", "jurisdictions", "lookups", "scrapers")


def migrate(targets: Sequence[tuple[str, str | None]]) -> Any:
    """Bring the tables to these migrations, the long way that an older installation comes; the models of then."""
    executor = MigrationExecutor(connection)
    steps = executor.loader
    steps.replace_migrations = False
    steps.build_graph()
    for key, migration in steps.replacements.items():
        steps.graph.remove_replacement_node(key, migration.replaces)
        steps.applied_migrations.pop(key, None)
        executor.recorder.record_unapplied(*key)  # an installation of before knew of no short way
    executor.migrate(targets)
    return steps.project_state([target for target in targets if target[1]]).apps
