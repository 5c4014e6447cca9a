"""The tables of a version before, and the registry that its questions are answered by after the upgrade."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Field

from tests.lookups.conftest import register
from tests.upgrades.long_way import list_stops, migrate, migrate_others
from tests.upgrades.version_1_3 import VERSION_1_3

__all__ = ["register"]  # a fixture
STORIES = (  # in the order of the migrations they begin before
    "test_trade_words",
    "test_modes",
    "test_reversals",
    "test_ledger_chain",
    "test_former_slugs",
    "test_rights",
    "test_reasons_of_versions",
)
ALL_VERSIONS, CUT_OFF = "all versions", "cut off"
_kept: dict[str, tuple[sqlite3.Connection | str, Any]] = {}


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks, and comes first where this folder is named on the command line
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
        gc.enable()  # the next objects have it look among those of the test; all that live need no look


@pytest.fixture(autouse=True)
def _fields_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All models made anew are copies of the same fields, and to take these apart each time is half of the work."""

    def clone(field: Field[Any, Any]) -> Field[Any, Any]:
        if "_parts" not in field.__dict__:
            field.__dict__["_parts"] = field.deconstruct()[2:]
        positional, named = field.__dict__["_parts"]
        return field.__class__(*positional, **named)

    monkeypatch.setattr(Field, "clone", clone)


@contextmanager
def kept_tables(name: str, make: Callable[[], Any]) -> Iterator[Any]:
    """Give what `make` returns when it has changed the tables and what is in them; afterwards they are as they were."""
    with put_back_afterwards():
        yield left_by(name, make)


@contextmanager
def put_back_afterwards() -> Iterator[None]:
    """The tables and what is in them are changed while the block runs."""
    today = _copy("today")
    try:
        yield
    finally:
        _put_back(today)
        if isinstance(today, sqlite3.Connection):
            today.close()


def left_by(name: str, make: Callable[[], Any]) -> Any:
    """What `make` returns, with the database as it leaves that.

    To migrate takes seconds, so the first time a copy is kept by `name`, and takes the database's place from then on.
    """
    if name in _kept:
        copy, given = _kept[name]
        _put_back(copy)
    else:
        given = make()
        _kept[name] = _copy(f"kept_{len(_kept)}"), given
    return given


def stand_at_1_3() -> Any:
    """The models of version 1.3.0, with its tables, in which nothing is yet; inside of `kept_tables` or the like."""

    def come() -> Any:
        _leave_no_tables()
        assert connection.introspection.table_names() == []
        migrate_others()
        return migrate(VERSION_1_3)

    return left_by("1.3", come)


def live_through_all_versions() -> dict[str, Any]:
    """From no tables at all, by each migration there has ever been; what the stories' `fill` returned, by module."""
    given: dict[str, Any] = left_by(CUT_OFF, live_until_the_last_steps)
    migrate(list_stops(-1))
    call_command("migrate", verbosity=0)
    return given


def live_until_the_last_steps() -> dict[str, Any]:
    """The same up to the last but one of each app's migrations for which one step stands since.

    Where the tables are those that a story begins with, it writes its rows through the models of then. One installation
    has lived through them all, as each way takes seconds: a story knows its own rows among the others'.
    """
    models, at, given = stand_at_1_3(), VERSION_1_3, {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("billing.migrations.0008_ledger_chain"), "BATCH", 3)  # more than one of them
        for name in STORIES:
            story = import_module(f"tests.upgrades.{name}")
            if at != story.BEFORE:
                models, at = migrate(story.BEFORE), story.BEFORE
            given[story.__name__] = story.fill(models)
        migrate(list_stops(-2))
    return given


@pytest.fixture(scope="session", autouse=True)
def _no_copies_left(django_db_blocker: Any) -> Iterator[None]:
    yield
    with django_db_blocker.unblock():
        for copy in [*(copy for copy, _ in _kept.values()), "today"]:
            if isinstance(copy, sqlite3.Connection):
                copy.close()
            elif connection.vendor == "postgresql":
                with connection._nodb_cursor() as cursor:
                    cursor.execute(f'DROP DATABASE IF EXISTS "{connection.settings_dict["NAME"]}_{copy}"')


def _copy(name: str) -> sqlite3.Connection | str:
    """On SQLite a database in memory, on PostgreSQL the name of another one."""
    if connection.vendor == "sqlite":
        copy = sqlite3.connect(":memory:")
        connection.ensure_connection()
        connection.connection.backup(copy)
        return copy
    own = connection.settings_dict["NAME"]
    _make_of(f"{own}_{name}", own)
    return name


def _put_back(copy: sqlite3.Connection | str) -> None:
    if isinstance(copy, str):
        own = connection.settings_dict["NAME"]
        _make_of(own, f"{own}_{copy}")
        return
    connection.ensure_connection()
    copy.backup(connection.connection)


def _leave_no_tables() -> None:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(":memory:")) as nothing:
            _put_back(nothing)
    else:
        _make_of(connection.settings_dict["NAME"], "template0")


def _make_of(name: str, template: str) -> None:
    connection.close()
    connection.close_pool()  # nobody may use what is copied
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')


@pytest.fixture
def upgraded(request: pytest.FixtureRequest) -> Iterator[Any]:
    """What the module's `fill` returned of the rows it wrote through the models of before; all are upgraded since."""
    with kept_tables(ALL_VERSIONS, live_through_all_versions) as given:
        yield given[request.module.__name__]
