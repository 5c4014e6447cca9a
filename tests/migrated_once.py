"""Migrates once for all processes of a run: the first keeps a copy of the empty tables, with which the others begin."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")[:12]  # the same in each process of a run, and none where it is one


@pytest.fixture(scope="session")
def django_db_setup(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[None]:
    """Make this process's database as pytest-django does; migrating then finds nothing left to do in a copy."""
    copies = _Files() if connection.vendor == "sqlite" else _Databases()
    if not RUN:
        request.getfixturevalue("django_db_setup")
        yield
        return
    with one_at_a_time(), django_db_blocker.unblock():
        found = copies.is_there()
        if found:
            copies.begin_with_it()
        request.getfixturevalue("django_db_setup")
        if not found:
            copies.keep()
    yield
    with one_at_a_time(), django_db_blocker.unblock():
        copies.drop()


def copy_migrated(to: Path) -> bool:
    """Put a SQLite file there with the empty tables of today; False where this run has kept none."""
    kept = settings.VAR_DIR / f"migrated-{RUN}.sqlite3"
    if not RUN:
        return False
    with one_at_a_time():
        if kept.exists():
            shutil.copy(kept, to)
        return kept.exists()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """No other process of the run makes something for all of them while the block runs."""
    with (settings.VAR_DIR / f"migrated-{RUN}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def copy_file(made: Path, to: Path) -> None:
    """A database of SQLite's, with what its log still holds."""
    with closing(sqlite3.connect(made)) as origin, closing(sqlite3.connect(to)) as copy:
        origin.backup(copy)


class _Files:
    """On SQLite."""

    def __init__(self) -> None:
        self.kept: Path = settings.VAR_DIR / f"migrated-{RUN}.sqlite3"

    def is_there(self) -> bool:
        return self.kept.exists()

    def begin_with_it(self) -> None:
        make = connection.creation._create_test_db

        def copied(*how: Any, **more: Any) -> str:
            name = str(make(*how, **more))
            shutil.copy(self.kept, name)
            return name

        connection.creation._create_test_db = copied

    def keep(self) -> None:
        copy_file(Path(connection.settings_dict["NAME"]), self.kept)

    def drop(self) -> None:
        """It goes with its folder."""


class _Databases:
    """On PostgreSQL."""

    kept = f"migrated_{RUN}"

    def is_there(self) -> bool:
        with connection._nodb_cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.kept])
            return cursor.fetchone() is not None

    def begin_with_it(self) -> None:
        connection.settings_dict["TEST"]["TEMPLATE"] = self.kept

    def keep(self) -> None:
        made = connection.settings_dict["NAME"]
        connection.close()
        connection.close_pool()  # nobody may use what is copied
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{self.kept}" TEMPLATE "{made}"')

    def drop(self) -> None:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{self.kept}"')
