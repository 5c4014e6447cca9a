"""A bulk job keeps a digest of what was asked, by which the same request again is known; those before have none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lookups", "0014_quoted_stored_price")]

    operations = [
        migrations.AddField(
            "bulkjob",
            "asked_hash",
            models.CharField(
                max_length=64,
                blank=True,
                default="",
                help_text="SHA-256 of all that was asked; empty: before it was kept.",
            ),
        ),
    ]
