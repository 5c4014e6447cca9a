"""Attempts by time, those of the sandbox as well: the admin's list of any mode is read from its newest end."""

from django.db import migrations, models

from jurisdictions.concurrently import AddIndex


class Migration(migrations.Migration):
    atomic = False  # the index on PostgreSQL is made beside the work that goes on
    dependencies = [("scrapers", "0012_other_registers")]

    operations = [
        AddIndex("scrapeattempt", models.Index(fields=["-started_at"], name="attempt_by_time")),
        migrations.RemoveIndex("scrapeattempt", "attempt_time"),
    ]
