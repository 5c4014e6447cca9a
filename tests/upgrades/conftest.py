"""The tables of a version before, and the registry that its questions are answered by after the upgrade."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.lookups.conftest import register

__all__ = ["register"]  # a fixture


def migrate(targets: list[tuple[str, str]]) -> Any:
    """Bring the tables to these migrations; returns the models as they are then."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@pytest.fixture
def before(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The models of the version whose migrations the module calls `BEFORE`; afterwards the tables are today's again."""
    try:
        yield migrate(request.module.BEFORE)
    finally:
        call_command("migrate", verbosity=0)
