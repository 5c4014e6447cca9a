"""Empties the tables after a transactional test, the books as well, whose triggers forbid it to everybody else.

Django's own way empties all eighty and writes the rights and roles anew: six times the work of looking which of them
have rows. Rights that a test has changed are still written anew by it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.management.color import no_style
from django.db import connection, transaction
from django.test import TransactionTestCase

from billing import append_only

RIGHTS = {"auth_group", "auth_group_permissions", "auth_permission", "django_content_type"}
ALL_RIGHTS = """
    SELECT c.app_label, c.model, p.codename, g.name FROM django_content_type c
    LEFT JOIN auth_permission p ON p.content_type_id = c.id
    LEFT JOIN auth_group_permissions gp ON gp.permission_id = p.id LEFT JOIN auth_group g ON g.id = gp.group_id
    UNION ALL SELECT '', '', '', name FROM auth_group
"""


@pytest.fixture(autouse=True, scope="session")
def _empty_ledger_between_tests() -> Iterator[None]:
    original = TransactionTestCase._fixture_teardown
    as_made: list[set[tuple[str, ...]]] = []

    def teardown(self: TransactionTestCase) -> None:
        if as_made and as_made[0] == read_rights():
            empty()
            return
        append_only.unprotect(connection)
        try:
            original(self)
        finally:
            append_only.protect(connection)
        as_made[:] = [read_rights()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", teardown)
        yield


def read_rights() -> set[tuple[str, ...]]:
    """Every right there is, and which role has it."""
    with connection.cursor() as cursor:
        cursor.execute(ALL_RIGHTS)
        return set(cursor.fetchall())


def empty() -> None:
    """Leave no row but the rights and what the migrations have noted."""
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - RIGHTS
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables))
        filled = [table for (table,) in cursor.fetchall()]
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")  # no trigger fires, no rule is looked at
            for table in filled:
                cursor.execute(f"DELETE FROM {table}")
        return
    books = [table for table in filled if table in append_only.TABLES]
    append_only.unprotect(connection, books)
    try:
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), filled))
    finally:
        append_only.protect(connection, books)
