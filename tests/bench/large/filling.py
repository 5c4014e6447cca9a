"""Fills the tables by SQL, with triggers and foreign keys off, and most indexes made afterwards."""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.db import connection

from tests.bench.large.tables import Sizes, list_tables

REGISTER = Path(__file__).resolve().parents[4] / "shared/registers/ct-2018-2022.csv.gz"
WORDS = [
    "Harbor",
    "Maple",
    "Summit",
    "Cedar",
    "Granite",
    "Willow",
    "Copper",
    "Falcon",
    "Prairie",
    "Beacon",
    "Juniper",
    "Sterling",
    "Canyon",
    "Orchid",
]
FORMS = ("LLC", "Inc.", "Corp.", "Company", "L.P.")
# What a column has that must have something and is given nothing: the same for every table
PLAIN = {
    "character varying": "''",
    "text": "''",
    "boolean": "false",
    "bigint": "0",
    "integer": "0",
    "smallint": "0",
    "jsonb": "'[]'::jsonb",
    "timestamp with time zone": "now()",
    "date": "current_date",
    "uuid": "gen_random_uuid()",
    "bytea": "''::bytea",
}


def fill(entities: int) -> None:
    """Write it all, `entities` being the number of companies; everything else follows from that."""
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        lifted = _lift_indexes(cursor)
        write_rows(entities, read_names())
        for statement in lifted:
            cursor.execute(statement)
        cursor.execute("VACUUM ANALYZE")


def write_rows(entities: int, company_names: Iterable[str]) -> None:
    """The rows alone, whatever the indexes."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        number = _write_names(cursor, company_names)
        for table, columns, source in list_tables(Sizes(entities, number)):
            _insert(cursor, table, columns, source)
        cursor.execute("DROP TABLE bench_names")
        cursor.execute("ANALYZE")
        _add_up_accounts(cursor)
        for table in connection.introspection.table_names(cursor):
            for sequence in connection.introspection.get_sequences(cursor, table):
                _move_on(cursor, table, sequence["column"])
        cursor.execute("SET session_replication_role = DEFAULT")


def read_names() -> Iterator[str]:
    """Two hundred thousand names: of a real register, or made of a few words."""
    if REGISTER.is_file():
        with gzip.open(REGISTER, "rt", encoding="utf-8", newline="") as lines:
            yield from (row["name"].strip()[:200] or "?" for row in csv.DictReader(lines))
        return
    dice = random.Random(7)
    for number in range(200_000):
        yield f"{dice.choice(WORDS)} {dice.choice(WORDS)} {number % 997} {dice.choice(FORMS)}"


def _write_names(cursor: Any, company_names: Iterable[str]) -> int:
    from scrapers.normalize import names

    cursor.execute("CREATE UNLOGGED TABLE bench_names (n bigint PRIMARY KEY, name text, name_key text)")
    with cursor.copy("COPY bench_names FROM STDIN") as copy:
        number = -1
        for number, name in enumerate(company_names):
            copy.write_row((number, name, names.key(name)))
    cursor.execute("ANALYZE bench_names")
    return number + 1


def _lift_indexes(cursor: Any) -> list[str]:
    """Drop all but the primary keys of what is filled, for it is quicker to make them at once; how to make them."""
    cursor.execute(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'u' "
        "AND connamespace = 'public'::regnamespace AND conrelid::regclass::text ~ '^(billing|lookups|scrapers)_'"
    )
    made = []
    for table, name, words in cursor.fetchall():
        cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        made.append(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {words}')
    cursor.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index "
        "JOIN pg_class c ON c.oid = indrelid WHERE NOT indisprimary "
        "AND relnamespace = 'public'::regnamespace AND relname ~ '^(billing|lookups|scrapers)_'"
    )
    for name, words in cursor.fetchall():
        cursor.execute(f"DROP INDEX {name}")
        made.append(words)
    return made


def _insert(cursor: Any, table: str, columns: dict[str, str], source: str) -> None:
    """Columns that are not given have a plain value, or none where they may."""
    cursor.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s "
        "AND is_nullable = 'NO' AND is_identity = 'NO' AND column_default IS NULL",
        [table],
    )
    columns = {name: PLAIN[kind] for name, kind in cursor.fetchall() if name not in columns} | columns
    names = ", ".join(f'"{name}"' for name in columns)
    cursor.execute(f"INSERT INTO {table} ({names}) SELECT {', '.join(columns.values())} FROM {source}")


def _move_on(cursor: Any, table: str, column: str) -> None:
    cursor.execute(
        f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}"
        f" HAVING max({column}) > 0"
    )


def _add_up_accounts(cursor: Any) -> None:
    """Sums that agree with the constraint; nobody's money runs out in a run."""
    cursor.execute(
        "UPDATE billing_account a SET spent = s.spent, deposited = a.available + s.spent FROM (SELECT account_id, "
        "sum(spent_change) AS spent FROM billing_ledgerentry GROUP BY 1) s WHERE s.account_id = a.id"
    )
