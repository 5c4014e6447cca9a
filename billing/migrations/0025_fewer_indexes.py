"""A row is written with fewer indexes: none that is the beginning of another, none of what few rows have."""

from django.db import migrations, models
from django.db.models import Q

from jurisdictions.concurrently import AddIndex, DropForeignKeyIndexes


class Migration(migrations.Migration):
    atomic = False  # indexes on PostgreSQL come and go beside the work that goes on
    dependencies = [("billing", "0024_growing_tables")]

    operations = [
        DropForeignKeyIndexes(ledgerentry=["account", "refunds"], member=["user"], invitation=["account"]),
        AddIndex(
            "ledgerentry",
            models.Index(fields=["refunds"], condition=Q(refunds__isnull=False), name="entry_refunding"),
        ),
    ]
