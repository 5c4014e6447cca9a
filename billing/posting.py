"""Writes what a verb decided: the entry, its hold and the account's sums, in as few round trips as the engine allows.

The account's row is locked from the verb's first statement to the commit, so each round trip saved here is time
that the next caller of the same account does not wait. PostgreSQL takes all three writes as one statement. SQLite
cannot (and needs not: it is in this process). Only `billing.ledger` calls this.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, models

from billing.models import Account, Hold, LedgerEntry

SUMS = ("available", "held", "spent", "deposited", "budget_month", "budget_used", "last_entry_at")
PROGRESS = ("remaining", "state", "ended_at")


def post(*, account: Account, entry: LedgerEntry, hold: Hold | None = None) -> None:
    """Write a new entry, the sums of its account, and its hold: made when it has no id yet, else its progress."""
    if connection.vendor == "postgresql":
        _post_in_one(account, entry, hold)
        return
    if hold is not None:
        if hold.pk is None:
            hold.save(force_insert=True)
        else:
            hold.save(force_update=True, update_fields=PROGRESS)
        entry.hold = hold
    entry.save(force_insert=True)
    account.save(force_update=True, update_fields=SUMS)


def _post_in_one(account: Account, entry: LedgerEntry, hold: Hold | None) -> None:
    parts, values = [], []
    if hold is not None:
        text, more = _insert(hold) if hold.pk is None else _update(hold, PROGRESS)
        parts.append(f"hold AS ({text} RETURNING id)")
        values += more
        entry.hold_id = hold.pk
    text, more = _insert(entry, hold_id="(SELECT id FROM hold)" if hold is not None else None)
    parts.append(f"entry AS ({text} RETURNING id)")
    text, last = _update(account, SUMS)
    made = "id FROM hold" if hold is not None else "NULL"
    # Every name comes from the models, every value is a parameter.
    statement = f"WITH {', '.join(parts)} {text} RETURNING (SELECT id FROM entry), (SELECT {made})"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, *more, *last])
        entry.pk, hold_id = cursor.fetchone()
    entry._state.adding = False
    if hold is not None:
        hold.pk = hold_id
        hold._state.adding = False
        entry.hold = hold


def _insert(row: models.Model, **expressions: str | None) -> tuple[str, list[Any]]:
    """Return the INSERT of a new row and its values; `expressions` stand in for the columns they are named after."""
    columns, marks, values = [], [], []
    for field in row._meta.concrete_fields:
        if field.primary_key:
            continue
        expression = expressions.get(field.attname)
        columns.append(connection.ops.quote_name(str(field.column)))
        marks.append(expression or "%s")
        if expression is None:
            values.append(field.get_db_prep_save(getattr(row, field.attname), connection))
    table = connection.ops.quote_name(row._meta.db_table)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(marks)})", values  # noqa: S608


def _update(row: models.Model, names: tuple[str, ...]) -> tuple[str, list[Any]]:
    """Return the UPDATE of some columns of a row and its values."""
    fields = [field for field in row._meta.concrete_fields if field.name in names]
    sets = ", ".join(f"{connection.ops.quote_name(str(field.column))} = %s" for field in fields)
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    table = connection.ops.quote_name(row._meta.db_table)
    return f"UPDATE {table} SET {sets} WHERE {table}.id = %s", [*values, row.pk]  # noqa: S608
