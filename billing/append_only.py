"""The database triggers that refuse to change or remove a row of the books, whoever asks; and of the evidence's chain.

They stand here, not only in the migrations, because the one thing that may lift them is emptying a throw-away test
database between tests. On SQLite an INSERT OR REPLACE removes a row without asking the trigger for removals, so there
a new row is refused as well when it would take the place of another one.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.backends.base.base import BaseDatabaseWrapper

ENTRIES, ANCHORS, RECONCILIATIONS = "billing_ledgerentry", "billing_ledgeranchor", "billing_reconciliation"
MONTHS, RECEIPTS, AUDIT = "billing_monthclose", "billing_receipt", "billing_auditevent"
EVIDENCE = "lookups_chainentry"  # another app's, guarded by the same rule
TABLES = {  # what they hold, and where a new row would be an old one in SQLite's eyes
    ENTRIES: (
        "ledger entries",
        "id = NEW.id OR (account_id = NEW.account_id AND idempotency_key = NEW.idempotency_key)",
    ),
    ANCHORS: ("ledger anchors", "id = NEW.id OR previous_hash = NEW.previous_hash"),
    RECONCILIATIONS: ("reconciliations", "id = NEW.id"),
    MONTHS: ("closed months", "id = NEW.id OR month = NEW.month"),
    RECEIPTS: (
        "receipts",
        "id = NEW.id OR entry_id = NEW.entry_id OR (kind = NEW.kind AND number = NEW.number)",
    ),
    AUDIT: ("audit events", "id = NEW.id OR previous_hash = NEW.previous_hash"),
    EVIDENCE: (
        "entries of the chain of evidence",
        "id = NEW.id OR number = NEW.number OR manifest_id = NEW.manifest_id OR previous_hash = NEW.previous_hash",
    ),
}


def protect(connection: BaseDatabaseWrapper, tables: Iterable[str] = TABLES) -> None:
    """Create the triggers; fails on a database engine for which none are written."""
    create = {"sqlite": _create_on_sqlite, "postgresql": _create_on_postgresql}[connection.vendor]
    for table in tables:
        what, is_same = TABLES[table]
        _run(connection, create(table, f"{what} are never changed or removed", is_same))


def unprotect(connection: BaseDatabaseWrapper, tables: Iterable[str] = TABLES) -> None:
    """Drop the triggers: for migrations that change the tables, and for emptying a test database."""
    for table in tables:
        if connection.vendor == "sqlite":
            statements = [f"DROP TRIGGER IF EXISTS {table}_no_{verb}" for verb in ("update", "delete", "replace")]
        else:
            statements = [f"DROP TRIGGER IF EXISTS {table}_no_{verb} ON {table}" for verb in ("change", "truncate")]
        _run(connection, statements)


def _create_on_sqlite(table: str, message: str, is_same: str) -> list[str]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}",
        f"""CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table}
            WHEN EXISTS (SELECT 1 FROM {table} WHERE {is_same}) {refuse}""",  # noqa: S608
    ]


def _create_on_postgresql(table: str, message: str, _: str) -> list[str]:
    return [
        f"""CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$""",
        f"""CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION {table}_refuse()""",
        f"""CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()""",
    ]


def _run(connection: BaseDatabaseWrapper, statements: list[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
