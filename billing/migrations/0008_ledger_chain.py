"""The entries that are there are chained by hash, an account at a time, and anchors of the chains have a table.

The triggers are lifted while the entries get their hashes, and stand again after it, in one transaction with it; they
guard the anchors and the reconciliations from now on too, and on SQLite refuse to replace a row.
"""

from django.db import migrations, models

from billing import append_only, chain

BATCH = 2000
GUARDED = [append_only.ENTRIES, append_only.ANCHORS, append_only.RECONCILIATIONS]


def lift_from_entries(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, [append_only.ENTRIES])


def protect_entries(apps, schema_editor):
    append_only.protect(schema_editor.connection, [append_only.ENTRIES])


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, GUARDED)


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, GUARDED)


def chain_entries(apps, schema_editor):
    entries = apps.get_model("billing", "LedgerEntry").objects.using(schema_editor.connection.alias)
    heads, last = {}, 0
    with schema_editor.connection.cursor() as cursor:
        while batch := list(entries.filter(pk__gt=last).order_by("pk")[:BATCH]):
            last = batch[-1].pk
            for entry in batch:
                entry.previous_hash = heads.get(entry.account_id, "")
                heads[entry.account_id] = entry.hash = chain.hash_of(entry)
            cursor.executemany(
                f"UPDATE {append_only.ENTRIES} SET previous_hash = %s, hash = %s WHERE id = %s",
                [(entry.previous_hash, entry.hash, entry.pk) for entry in batch],
            )
        cursor.executemany(
            "UPDATE billing_account SET ledger_head = %s WHERE id = %s",
            [(head, account_id) for account_id, head in heads.items()],
        )


class Migration(migrations.Migration):
    dependencies = [("billing", "0007_request_ids")]

    operations = [
        migrations.RunPython(lift_from_entries, protect_entries),
        migrations.AddField(
            "account",
            "ledger_head",
            models.CharField(blank=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            "ledgerentry",
            "previous_hash",
            models.CharField(blank=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField("ledgerentry", "hash", models.CharField(default="", editable=False, max_length=64)),
        migrations.CreateModel(
            name="LedgerAnchor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_at", models.DateTimeField()),
                ("last_entry", models.BigIntegerField(help_text="The highest number of an entry that could be seen.")),
                (
                    "heads",
                    models.JSONField(
                        default=list, help_text="[account, its last entry, that entry's hash], by account."
                    ),
                ),
                ("previous_hash", models.CharField(blank=True, default="", max_length=64, unique=True)),
                ("hash", models.CharField(max_length=64)),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.RunPython(chain_entries, migrations.RunPython.noop),
        migrations.RunPython(protect, unprotect),
    ]
