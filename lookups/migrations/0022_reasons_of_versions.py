"""A record's version says why it was written: the registry was read, or kept bytes were, with a better reader.

SQLite builds the table anew for a column and loses its triggers over that, so they are lifted before and stand again
after it, in the same transaction. The new column is guarded as the others are.
"""

from django.db import migrations, models

TABLE = "lookups_recordversion"
MESSAGE = "what a registry said is never changed"
FACTS = "id, entity_id, number, data, normalized, facts, first_read_at"
SAME = "id = NEW.id OR (entity_id = NEW.entity_id AND number = NEW.number)"


def _guard(connection, columns):
    if connection.vendor == "sqlite":
        refuse = f"BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
        return [
            f"CREATE TRIGGER {TABLE}_keeps_facts BEFORE UPDATE OF {columns} ON {TABLE} {refuse}",
            f"""CREATE TRIGGER {TABLE}_no_replace BEFORE INSERT ON {TABLE}
                WHEN EXISTS (SELECT 1 FROM {TABLE} WHERE {SAME}) {refuse}""",
        ]
    return [
        f"""CREATE TRIGGER {TABLE}_keeps_facts BEFORE UPDATE OF {columns} ON {TABLE}
            FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse()"""
    ]


def _lift(connection):
    if connection.vendor == "sqlite":
        return [f"DROP TRIGGER IF EXISTS {TABLE}_{name}" for name in ("keeps_facts", "no_replace")]
    return [f"DROP TRIGGER IF EXISTS {TABLE}_keeps_facts ON {TABLE}"]


def lift(apps, schema_editor):
    for statement in _lift(schema_editor.connection):
        schema_editor.execute(statement)


def protect_as_before(apps, schema_editor):
    for statement in _guard(schema_editor.connection, FACTS):
        schema_editor.execute(statement)


def protect(apps, schema_editor):
    for statement in _guard(schema_editor.connection, f"{FACTS}, reason"):
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("lookups", "0020_manifests")]

    operations = [
        migrations.RunPython(lift, protect_as_before),
        migrations.AddField(
            "recordversion",
            "reason",
            models.CharField(
                choices=[
                    ("read", "the registry was read, and said something new"),
                    ("read_anew", "today's reader read kept bytes otherwise"),
                ],
                db_default="read",
                default="read",
                help_text="Whether the registry said something new, or we read the same bytes better.",
                max_length=9,
            ),
        ),
        migrations.RunPython(protect, lift),
    ]
