"""The tables of a version before, and the registry that its questions are answered by after the upgrade."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.lookups.conftest import register

__all__ = ["register"]  # a fixture
_kept: dict[str, tuple[sqlite3.Connection, Any]] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process has them all, as what it keeps of one story serves the next."""
    for item in items:
        if item.nodeid.startswith("tests/upgrades/"):
            item.add_marker(pytest.mark.xdist_group("upgrades"))


@pytest.fixture(autouse=True)
def _cycles_afterwards() -> Iterator[None]:
    """Each migration makes all models anew, and looking for cycles among them again and again takes a third of it."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()


def migrate(targets: list[tuple[str, str]]) -> Any:
    """Bring the tables to these migrations; returns the models as they are then."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@contextmanager
def old_tables(name: str, make: Callable[[], Any]) -> Iterator[Any]:
    """Give what `make` returns when it has brought the tables to a version before; afterwards they are today's again.

    To undo migrations takes seconds, so on SQLite the tables that `make` left, and today's, are copied by `name`.
    """
    if connection.vendor != "sqlite":
        try:
            yield make()
        finally:
            call_command("migrate", verbosity=0)
        return
    today = _copy()
    if name in _kept:
        old, given = _kept[name]
        _put_back(old)
    else:
        given = make()
        _kept[name] = _copy(), given
    try:
        yield given
    finally:
        _put_back(today)
        today.close()


def _copy() -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    connection.ensure_connection()
    connection.connection.backup(copy)
    return copy


def _put_back(copy: sqlite3.Connection) -> None:
    connection.ensure_connection()
    copy.backup(connection.connection)


@pytest.fixture
def before(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The models of the version whose migrations the module calls `BEFORE`."""
    with old_tables(request.module.__name__, lambda: migrate(request.module.BEFORE)) as models:
        yield models
