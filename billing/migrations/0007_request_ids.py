"""Entries say which request they are of; those that are there do not know.

SQLite adds the column by writing the table anew, and the triggers that guard the entries would be lost with the old
one: they are lifted before and stand again after it.
"""

from django.db import migrations, models

from billing import append_only


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, [append_only.ENTRIES])


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, [append_only.ENTRIES])


class Migration(migrations.Migration):
    dependencies = [("billing", "0006_test_webhook_url")]

    operations = [
        migrations.RunPython(unprotect, protect),
        migrations.AddField(
            "ledgerentry",
            "request_id",
            models.CharField(
                blank=True,
                default="",
                help_text="Of the request that asked for the work; empty: of none.",
                max_length=64,
            ),
        ),
        migrations.RunPython(protect, unprotect),
    ]
