"""The database triggers that refuse to change or remove a ledger entry, whoever asks.

They stand here, not only in the migration, because the one thing that may lift them is emptying a throw-away test
database between tests.
"""

from __future__ import annotations

from django.db.backends.base.base import BaseDatabaseWrapper

TABLE = "billing_ledgerentry"
MESSAGE = "ledger entries are never changed or removed"

_CREATE = {
    "sqlite": [
        f"""CREATE TRIGGER {TABLE}_no_{verb.lower()} BEFORE {verb} ON {TABLE}
            BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"""
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        f"""CREATE OR REPLACE FUNCTION {TABLE}_refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'restrict_violation'; END $$""",
        f"""CREATE TRIGGER {TABLE}_no_change BEFORE UPDATE OR DELETE ON {TABLE}
            FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse()""",
        f"""CREATE TRIGGER {TABLE}_no_truncate BEFORE TRUNCATE ON {TABLE}
            FOR EACH STATEMENT EXECUTE FUNCTION {TABLE}_refuse()""",
    ],
}
_DROP = {
    "sqlite": [f"DROP TRIGGER IF EXISTS {TABLE}_no_{verb}" for verb in ("update", "delete")],
    "postgresql": [f"DROP TRIGGER IF EXISTS {TABLE}_no_{verb} ON {TABLE}" for verb in ("change", "truncate")],
}


def protect(connection: BaseDatabaseWrapper) -> None:
    """Create the triggers; fails on a database engine for which none are written."""
    _run(connection, _CREATE[connection.vendor])


def unprotect(connection: BaseDatabaseWrapper) -> None:
    """Drop the triggers: for reversing the migration, and for emptying a test database."""
    _run(connection, _DROP[connection.vendor])


def _run(connection: BaseDatabaseWrapper, statements: list[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
