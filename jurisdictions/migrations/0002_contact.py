from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("jurisdictions", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="jurisdiction",
            name="contact",
            field=models.JSONField(
                blank=True, editable=False, help_text="What came of asking for its canaries last.", null=True
            ),
        ),
    ]
