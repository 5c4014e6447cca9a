"""A bulk job keeps the price of a stored answer too that it was accepted at; those before cost nothing, as by default."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lookups", "0013_no_replaced_versions")]

    operations = [
        migrations.AddField(
            "bulkjob",
            "stored_price",
            models.BigIntegerField(
                default=0, help_text="Of a stored answer, quoted when it was accepted, in 1/10,000 USD."
            ),
        ),
    ]
