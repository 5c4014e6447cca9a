"""Days that are over are counted once; companies are found by how their name begins, and by a registry's id alone."""

from django.db import migrations, models

from jurisdictions.concurrently import AddIndex


class Migration(migrations.Migration):
    atomic = False  # indexes on PostgreSQL are made beside the work that goes on
    dependencies = [("lookups", "0026_identifiers")]

    operations = [
        AddIndex(
            "lookup",
            models.Index(
                fields=["account", "created_at", "sandbox", "state", "key", "origin", "verdict", "cost"],
                name="lookup_of_account_by_time",
            ),
        ),
        migrations.RemoveIndex("lookup", "lookup_by_account_and_time"),
        AddIndex(
            "entity",
            models.Index(fields=["name_key"], name="entity_by_beginning", opclasses=["varchar_pattern_ops"]),
        ),
        AddIndex("entity", models.Index(fields=["entity_id"], name="entity_by_id")),
        migrations.CreateModel(
            name="DayCount",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("lookups", models.PositiveIntegerField()),
                ("found", models.PositiveIntegerField()),
                ("unavailable", models.PositiveIntegerField()),
                ("sandbox", models.PositiveIntegerField()),
            ],
            options={"default_permissions": ()},
        ),
    ]
