"""Writes what a verb decided: the entry, its hold and the account's sums, in as few round trips as the engine allows.

The entry is linked to the account's chain here, because the database makes the numbers that its hash covers.

The account's row is locked from the verb's first statement to the commit, so each round trip saved here is time
that the next caller of the same account does not wait. PostgreSQL takes all three writes as one statement. SQLite
cannot (and needs not: it is in this process). Only `billing.ledger` posts; `billing.audit` appends to its own chain.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, models

from billing import chain
from billing.models import Account, AuditEvent, Hold, LedgerEntry
from jurisdictions import prepared

SUMS = (
    "available",
    "held",
    "spent",
    "deposited",
    "budget_month",
    "budget_used",
    "last_entry_at",
    "ledger_head",
)
PROGRESS = ("remaining", "state", "ended_at")
HELD, NAMED = "id FROM hold", "id FROM named"
Expression = tuple[str, list[Any]]  # SQL, and the values of its marks


def post(*, account: Account, entry: LedgerEntry, hold: Hold | None = None, row: models.Model | None = None) -> None:
    """Write a new entry, the sums of its account, and its hold: made when it has no id yet, else its progress.

    `row`: a new row of somebody else's whose `hold` this is. It is written as well where that takes no statement more.
    """
    entry.previous_hash = account.ledger_head
    if connection.vendor == "postgresql":
        _post_in_one(account, entry, hold, row)
        return
    if hold is not None:
        if hold.pk is None:
            hold.save(force_insert=True)
        else:
            hold.save(force_update=True, update_fields=PROGRESS)
        entry.hold = hold
    append(entry, hold_id=str(hold.pk) if hold is not None else None)
    account.ledger_head = entry.hash
    account.save(force_update=True, update_fields=SUMS)


def append(row: LedgerEntry | AuditEvent, *, hold_id: str | None = None) -> None:
    """Write a row that follows `row.previous_hash`; its number and its hash come from the database."""
    text, values = _insert_chained(row, hold_id=hold_id)
    with prepared.cursor() as cursor:
        cursor.execute(f"WITH made AS ({_next_number(row)}) {text} RETURNING id, hash", values)
        row.pk, row.hash = cursor.fetchone()
    row._state.adding = False


def _next_number(row: models.Model) -> str:
    table = row._meta.db_table
    if connection.vendor == "postgresql":
        return f"SELECT nextval(pg_get_serial_sequence('{table}', 'id')) AS id"
    return f"SELECT COALESCE(MAX(seq), 0) + 1 AS id FROM sqlite_sequence WHERE name = '{table}'"  # noqa: S608


def _post_in_one(account: Account, entry: LedgerEntry, hold: Hold | None, row: models.Model | None) -> None:
    parts, values = [f"made AS ({_next_number(entry)})"], []
    if hold is not None:
        text, more = _insert(hold) if hold.pk is None else _update(hold, PROGRESS)
        parts.append(f"hold AS ({text} RETURNING id)")
        values += more
        entry.hold_id = hold.pk
    if row is not None:
        text, more = _insert(row, hold_id=("(SELECT id FROM hold)", []))
        parts.append(f"named AS ({text} RETURNING id)")
        values += more
    text, more = _insert_chained(entry, hold_id="(SELECT id FROM hold)" if hold is not None else None)
    parts.append(f"entry AS ({text} RETURNING id, hash)")
    text, last = _update(account, SUMS, ledger_head=("(SELECT hash FROM entry)", []))
    made = ", ".join(f"(SELECT {'NULL' if new is None else part})" for new, part in ((hold, HELD), (row, NAMED)))
    # Every name comes from the models, every value is a parameter.
    statement = f"WITH {', '.join(parts)} {text} RETURNING (SELECT id FROM entry), ledger_head, {made}"  # noqa: S608
    with prepared.cursor() as cursor:
        cursor.execute(statement, [*values, *more, *last])
        entry.pk, entry.hash, hold_id, row_id = cursor.fetchone()
    account.ledger_head = entry.hash
    for new, number in ((entry, entry.pk), (hold, hold_id), (row, row_id)):
        if new is not None:
            new.pk, new._state.adding = number, False
    entry.hold = hold


def _insert_chained(entry: LedgerEntry | AuditEvent, *, hold_id: str | None) -> tuple[str, list[Any]]:
    """Return the INSERT of an entry whose number stands in `made`, and its values; `hold_id` is SQL."""
    text = "CAST(%s AS text) || (SELECT id FROM made)" + (f""" || ',"hold_id":' || {hold_id}""" if hold_id else "")  # noqa: S608
    hashed = chain.HASH[connection.vendor].format(text=text + " || '}'")
    expressions: dict[str, Expression] = {
        "id": ("(SELECT id FROM made)", []),
        "hash": (hashed, [chain.text_before_id(entry)]),
    }
    if hold_id:
        expressions["hold_id"] = (hold_id, [])
    return _insert(entry, **expressions)


def _insert(row: models.Model, **expressions: Expression) -> tuple[str, list[Any]]:
    """Return the INSERT of a new row and its values; `expressions` stand in for the columns they are named after."""
    fields = _written_fields(type(row), tuple(expressions))
    text = _insert_text(type(row), tuple((name, sql) for name, (sql, _) in expressions.items()))
    return text, _values(row, fields, expressions)


def _update(row: models.Model, names: tuple[str, ...], **expressions: Expression) -> tuple[str, list[Any]]:
    """Return the UPDATE of some columns of a row and its values; `expressions` as for `_insert`."""
    fields = _named_fields(type(row), names)
    text = _update_text(type(row), names, tuple((name, sql) for name, (sql, _) in expressions.items()))
    return text, [*_values(row, fields, expressions), row.pk]


@cache
def _written_fields(model: type[models.Model], expressed: tuple[str, ...]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not field.primary_key or field.attname in expressed]


@cache
def _named_fields(model: type[models.Model], names: tuple[str, ...]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if field.name in names]


@cache
def _insert_text(model: type[models.Model], expressions: tuple[tuple[str, str], ...]) -> str:
    """Written once: it costs as much as to run it."""
    instead, quote = dict(expressions), connection.ops.quote_name  # the same in both kinds of database
    fields = _written_fields(model, tuple(instead))
    columns = ", ".join(quote(str(field.column)) for field in fields)
    marks = ", ".join(instead.get(field.attname, "%s") for field in fields)
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608


@cache
def _update_text(model: type[models.Model], names: tuple[str, ...], expressions: tuple[tuple[str, str], ...]) -> str:
    instead, quote = dict(expressions), connection.ops.quote_name
    fields = _named_fields(model, names)
    sets = ", ".join(f"{quote(str(field.column))} = {instead.get(field.attname, '%s')}" for field in fields)
    table = quote(model._meta.db_table)
    return f"UPDATE {table} SET {sets} WHERE {table}.id = %s"  # noqa: S608


def _values(row: models.Model, fields: list[Any], expressions: dict[str, Expression]) -> list[Any]:
    """What the marks are given, column by column."""
    values, itself = [], connections[DEFAULT_DB_ALIAS]
    for field in fields:
        if field.attname in expressions:
            values += expressions[field.attname][1]
        else:
            values.append(field.get_db_prep_save(getattr(row, field.attname), itself))
    return values
