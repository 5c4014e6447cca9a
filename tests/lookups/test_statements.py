"""How often one lookup asks the database, in all its threads: what is saved here is waited for by nobody."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db(transaction=True)

WORK = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", re.IGNORECASE)  # no BEGIN, COMMIT or SAVEPOINT


class Counted:
    """Every statement of every connection, as they come."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def __call__(self, execute: Callable[..., Any], sql: Any, *more: Any) -> Any:
        """The database's hook."""
        if WORK.match(str(sql)):
            self.statements.append(str(sql))
        return execute(sql, *more)

    def attach(self, connection: BaseDatabaseWrapper, **_: Any) -> None:
        """Listen to this connection, once."""
        if self not in connection.execute_wrappers:
            connection.execute_wrappers.append(self)


@pytest.fixture
def counted() -> Iterator[list[str]]:
    """The statements from here on, of this thread and of those that open a connection later."""
    seen = Counted()
    for existing in connections.all(initialized_only=True):
        seen.attach(existing)
    connection_created.connect(seen.attach)
    yield seen.statements
    connection_created.disconnect(seen.attach)
    for existing in connections.all(initialized_only=True):
        if seen in existing.execute_wrappers:
            existing.execute_wrappers.remove(seen)


@pytest.fixture
def regular(customer: Customer, register: Register) -> Customer:
    """Somebody who has asked before: that the key is used was noted within this minute."""
    assert customer.lookup("Zebra Inc", "NY").status_code == 200
    return customer


def assert_at_most(statements: list[str], *, on_servers: int, embedded: int) -> None:
    """PostgreSQL with Redis, and SQLite, which counts limits itself and writes one table at a time."""
    most = on_servers if connection.vendor == "postgresql" else embedded
    assert len(statements) <= most, "\n".join(f"{number} {sql}" for number, sql in enumerate(statements, 1))


class TestAStoredLookup:
    def test_takes_five_statements_and_six_where_sqlite_counts_limits(
        self, regular: Customer, counted: list[str]
    ) -> None:
        reply = regular.lookup("Zebra Inc", "NY", source="cache")
        assert (reply.status_code, reply.json()["source"]) == (200, "cache")
        assert_at_most(counted, on_servers=5, embedded=6)


class TestALiveLookup:
    def test_of_a_company_that_nobody_has_asked_for(self, regular: Customer, counted: list[str]) -> None:
        reply = regular.lookup("Acme Corp", "NY")
        assert (reply.status_code, reply.json()["source"]) == (200, "live")
        assert_at_most(counted, on_servers=17, embedded=26)

    def test_of_a_company_whose_record_is_known(self, regular: Customer, counted: list[str]) -> None:
        reply = regular.lookup("Zebra", "NY")
        assert (reply.status_code, reply.json()["source"]) == (200, "live")
        assert_at_most(counted, on_servers=17, embedded=26)

    def test_that_finds_nothing(self, regular: Customer, counted: list[str]) -> None:
        assert regular.lookup("Nobody Knows This", "NY").status_code == 404
        assert_at_most(counted, on_servers=15, embedded=23)
