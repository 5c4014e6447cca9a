"""A record's version cannot be changed by taking its place either: not under its id, not by SQLite's OR REPLACE."""

from django.db import migrations

TABLE = "lookups_recordversion"
MESSAGE = "what a registry said is never changed"
FACTS = "entity_id, number, data, normalized, facts, first_read_at"
SAME = "id = NEW.id OR (entity_id = NEW.entity_id AND number = NEW.number)"


def _guard_columns(connection, columns):
    if connection.vendor == "sqlite":
        return [
            f"DROP TRIGGER IF EXISTS {TABLE}_keeps_facts",
            f"""CREATE TRIGGER {TABLE}_keeps_facts BEFORE UPDATE OF {columns} ON {TABLE}
                BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END""",
        ]
    return [
        f"DROP TRIGGER IF EXISTS {TABLE}_keeps_facts ON {TABLE}",
        f"""CREATE TRIGGER {TABLE}_keeps_facts BEFORE UPDATE OF {columns} ON {TABLE}
            FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse()""",
    ]


def protect(apps, schema_editor):
    statements = _guard_columns(schema_editor.connection, f"id, {FACTS}")
    if schema_editor.connection.vendor == "sqlite":
        statements.append(
            f"""CREATE TRIGGER {TABLE}_no_replace BEFORE INSERT ON {TABLE}
                WHEN EXISTS (SELECT 1 FROM {TABLE} WHERE {SAME}) BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"""
        )
    for statement in statements:
        schema_editor.execute(statement)


def unprotect(apps, schema_editor):
    statements = _guard_columns(schema_editor.connection, FACTS)
    if schema_editor.connection.vendor == "sqlite":
        statements.append(f"DROP TRIGGER IF EXISTS {TABLE}_no_replace")
    for statement in statements:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("lookups", "0012_modes")]
    operations = [migrations.RunPython(protect, unprotect)]
