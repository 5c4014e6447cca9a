"""An account's lookups of a verdict or a state are found without a look at those between them."""

from django.db import migrations, models

from jurisdictions.concurrently import AddIndex


class Migration(migrations.Migration):
    atomic = False  # indexes on PostgreSQL are made beside the work that goes on
    dependencies = [("lookups", "0028_usage_sums")]

    operations = [
        AddIndex(
            "lookup",
            models.Index(fields=["account", "-id", "sandbox", "verdict", "state"], name="lookup_of_account_newest"),
        ),
        migrations.RemoveIndex("lookup", "lookup_by_account"),
    ]
