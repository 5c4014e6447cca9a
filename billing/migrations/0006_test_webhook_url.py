"""Test mode gets a webhook address of its own, empty at first: the address that is there is the live one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("billing", "0005_american_spelling")]

    operations = [
        migrations.AddField(
            "account",
            "test_webhook_url",
            models.URLField(
                blank=True, default="", help_text="Where what was asked with test keys is told.", max_length=500
            ),
        ),
    ]
