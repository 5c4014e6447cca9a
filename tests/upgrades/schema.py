"""What a database consists of, in lines that can be compared: columns, rules, indexes, triggers and functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.db import connection

ON_POSTGRESQL = (
    """SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
            pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND c.relnamespace = 'public'::regnamespace""",
    """SELECT 'rule', conrelid::regclass, CASE contype WHEN 'f' THEN '' ELSE conname END, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    "SELECT 'index', tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT 'trigger', tgrelid::regclass, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT 'function', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    "SELECT 'sequence', sequencename, data_type FROM pg_sequences WHERE schemaname = 'public'",
)
RENAMED = {  # a table takes a new name, its sequence and what has no name of its own keep the old one
    "lookups_flight": "lookups_sharedfetch",
    "lookups_storedentity": "lookups_entity",
    "lookups_hooksecret": "lookups_webhooksecret",
    "scrapers_registercopy": "scrapers_bulkcopy",
    "scrapers_registeredentity": "scrapers_bulkentity",
}
# Of a name that Django makes of a table's first name; of a column that is made unique later it ends with "_uniq"
OF_ITS_OWN = re.compile(r"(?<=_)[0-9a-f]{8}(?=\b|_)")


def describe() -> set[str]:
    """Return a line for everything there is; the order of columns is none of it."""
    lines = _on_sqlite() if connection.vendor == "sqlite" else _on_postgresql()
    called = {OF_ITS_OWN.sub("…", re.sub(r"\s+", " ", line)).replace("_…_uniq", "_key") for line in lines}
    return {re.sub("|".join(RENAMED), lambda found: RENAMED[found[0]], line) for line in called}


def _on_postgresql() -> Iterator[str]:
    with connection.cursor() as cursor:
        for statement in ON_POSTGRESQL:
            cursor.execute(statement)
            yield from (" ".join(map(str, row)) for row in cursor.fetchall())


def _on_sqlite() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT type, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        for kind, table, text in cursor.fetchall():
            if kind == "table":
                yield from (f"{table}: {part}" for part in _split(text[text.index("(") + 1 : text.rindex(")")]))
            else:
                yield f"{kind} {text}"


def _split(body: str) -> Iterator[str]:
    """Split at the commas that are in no brackets."""
    depth, part = 0, ""
    for sign in body:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += sign
    yield part.strip()
