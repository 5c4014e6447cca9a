"""A row is written with fewer indexes: none that is the beginning of another, none of what few rows have."""

from django.db import migrations, models
from django.db.models import Q

from jurisdictions.concurrently import AddIndex, DropForeignKeyIndexes


class Migration(migrations.Migration):
    atomic = False  # indexes on PostgreSQL come and go beside the work that goes on
    dependencies = [("lookups", "0030_awaited_jobs")]

    operations = [
        DropForeignKeyIndexes(
            lookup=["account", "bulk", "repeats", "filing_set"],
            manifest=["key"],
            chainhead=["key"],
            recordversion=["entity"],
            rowanswer=["row"],
            idempotencyrecord=["account"],
            delivery=["account", "job", "bulk", "watch_event"],
            watch=["account"],
            watchcheck=["watch"],
            watchbaseline=["watch"],
            watchevent=["account", "watch"],
        ),
        AddIndex(
            "lookup",
            models.Index(fields=["repeats"], condition=Q(repeats__isnull=False), name="lookup_repeating"),
        ),
        AddIndex(
            "lookup",
            models.Index(fields=["filing_set"], condition=Q(filing_set__isnull=False), name="lookup_of_filings"),
        ),
    ]
