"""What the service's own role may do in PostgreSQL, where another role owns the tables.

The owner migrates; the service reads and writes rows. It cannot lift a trigger, change a table, empty one or move a
sequence back, and of the books it can only read rows and add some, triggers or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection as default
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from billing import append_only

PLACE = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
ROWS = "SELECT, INSERT, UPDATE, DELETE"
RIGHTS = dict.fromkeys(append_only.TABLES, "SELECT, INSERT") | {"django_migrations": "SELECT"}


STRONG = """
SELECT rolsuper OR pg_has_role(oid, current_user, 'MEMBER')
    OR EXISTS (SELECT 1 FROM pg_tables WHERE tableowner = rolname)
FROM pg_roles WHERE rolname = %s
"""


class RoleTooStrong(Exception):
    """The service's role could do what the owner can; the message is one line for the operator."""


def grant(connection: BaseDatabaseWrapper, *, role: str, password: str) -> None:
    """Give the service's role its rights on every table there is; make the role when there is none yet.

    `connection` is the owner's. Raises RoleTooStrong for a role that needs no rights given.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(STRONG, [role])
        known = cursor.fetchone()
        if known and known[0]:
            raise RoleTooStrong(f"The role {role} of DATABASE_URL is a superuser or owns the tables: use another one.")
        statements = [] if known else [_create(role, password)]
        name, tables = sql.Identifier(role), connection.introspection.table_names(cursor)
        statements.append(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(name))
        statements.append(sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}").format(name))
        for table in tables:
            on, rights = sql.Identifier(table), sql.SQL(RIGHTS.get(table, ROWS))
            statements.append(sql.SQL("REVOKE ALL ON {} FROM {}").format(on, name))
            statements.append(sql.SQL("GRANT {} ON {} TO {}").format(rights, on, name))
        for statement in statements:
            cursor.execute(statement.as_string(None))


def _create(role: str, password: str) -> sql.Composed:
    secret = sql.SQL(" PASSWORD {}").format(sql.Literal(password)) if password else sql.SQL("")
    return sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)) + secret


@contextmanager
def connected(place: dict[str, Any]) -> Iterator[None]:
    """Let the default connection be another role's for a while; nothing changes where no place is given."""
    if not place:
        yield
        return
    before = {name: default.settings_dict[name] for name in PLACE}
    default.close()
    default.settings_dict.update({name: place[name] for name in PLACE})
    try:
        yield
    finally:
        default.close()
        default.settings_dict.update(before)
