"""The tables of a version before, and the registry that its questions are answered by after the upgrade."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Field

from tests.lookups.conftest import register
from tests.upgrades.long_way import list_undone, migrate

__all__ = ["register"]  # a fixture
Targets = Sequence[tuple[str, str | None]]
_kept: dict[str, tuple[sqlite3.Connection | str, Any]] = {}
_befores: list[Targets] = []  # where the stories begin
_undone: dict[str, frozenset[tuple[str, str]]] = {}


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks, and comes first where this folder is named on the command line
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process has them all, as what it keeps of one story serves the next."""
    for item in items:
        if item.nodeid.startswith("tests/upgrades/"):
            item.add_marker(pytest.mark.xdist_group("upgrades"))
            before = getattr(item.getparent(pytest.Module).obj, "BEFORE", None)
            if before is not None and before not in _befores:
                _befores.append(before)


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


def stand_at(targets: Targets) -> Any:
    """The models of these migrations, with the tables as they were then; called where they are the present ones.

    To go back takes as long as to come, so nothing is undone twice: the way to a stop leads over the nearer ones.
    """
    for stop in (*_befores, targets):
        if str(stop) not in _undone:
            _undone[str(stop)] = list_undone(stop)
    if str(targets) not in _kept:
        nearer = [stop for stop in _befores if _undone[str(stop)] < _undone[str(targets)]]
        if nearer:
            stand_at(max(nearer, key=lambda stop: len(_undone[str(stop)])))
    return left_by(str(targets), lambda: migrate(targets))


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


def _make_of(name: str, template: str) -> None:
    connection.close()
    connection.close_pool()  # nobody may use what is copied
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')


@pytest.fixture
def before(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The models of the version whose migrations the module calls `BEFORE`."""
    with put_back_afterwards():
        yield stand_at(request.module.BEFORE)


@pytest.fixture
def upgraded(request: pytest.FixtureRequest) -> Iterator[Any]:
    """What the module's `fill` returns of the rows it writes through the models of before; all are upgraded since."""
    module = request.module

    def make() -> Any:
        given = module.fill(stand_at(module.BEFORE))
        call_command("migrate", verbosity=0)
        return given

    with kept_tables(module.__name__, make) as given:
        yield given
