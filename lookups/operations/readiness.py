"""What a web process needs before requests are sent to it: a database to write to, of this version, and the broker."""

from __future__ import annotations

import logging

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from lookups.jobs import broker

log = logging.getLogger(__name__)
# The file of the embedded default lies where the broker's folder does, whose disk is looked at
_ASKS = {"postgresql": "SHOW transaction_read_only", "sqlite": "SELECT 'off'"}
_migrated: set[str] = set()  # databases that were seen to be up to date: none goes back


def list_reasons() -> dict[str, str]:
    """Why this process could not serve now: what is wrong -> in a sentence. Empty: it could."""
    reasons = _look_at_database()
    if not broker.answers():
        reasons["broker"] = "The queue takes nothing: it is away, full or read-only. The log says which."
    return reasons


def _look_at_database() -> dict[str, str]:
    try:
        if not can_write():
            return {"database": "The database is open for reading alone."}
        return {} if _is_migrated() else {"migrations": "The tables are of another version: manage.py migrate."}
    except DatabaseError as error:
        log.warning("The database does not answer: %s", type(error).__name__)
        return {"database": "The database does not answer."}


def can_write() -> bool:
    """Whether the database takes what is written, as far as it says so itself; DatabaseError where it is away."""
    with connection.cursor() as cursor:
        cursor.execute(_ASKS[connection.vendor])
        return bool(cursor.fetchone()[0] == "off")


def _is_migrated() -> bool:
    name = str(connection.settings_dict["NAME"])
    if name not in _migrated:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        _migrated.add(name)
    return True
