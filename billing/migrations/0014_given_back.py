from django.db import migrations, models


class Migration(migrations.Migration):
    """One more way for a payer's money to go back."""

    dependencies = [("billing", "0013_differences")]

    operations = [
        migrations.AlterField(
            "reversal",
            "kind",
            models.CharField(
                choices=[
                    ("card_refund", "card refund"),
                    ("dispute", "dispute"),
                    ("by_staff", "entered by staff"),
                    ("given_back", "given back by staff"),
                ],
                max_length=11,
            ),
        ),
    ]
