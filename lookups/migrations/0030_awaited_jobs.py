"""A program that asks what a person waits for hears of the end."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lookups", "0029_lists_of_lookups")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="is_awaited",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="A person asked, and then a program asked the same: a webhook tells of it.",
            ),
        ),
    ]
