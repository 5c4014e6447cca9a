"""The help text of a key's prefix is spelled as the rest of the product is; no row changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("billing", "0004_waiting_events")]

    operations = [
        migrations.AlterField(
            "apikey",
            "prefix",
            models.CharField(help_text="The first characters of the secret, enough to recognize it.", max_length=20),
        ),
    ]
