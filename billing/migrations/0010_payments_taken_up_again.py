"""Payments know the request they came with, so that the same one gets what it has paid for, and when that was."""

from django.db import migrations, models
from django.db.models import F

HASH = {"max_length": 64, "editable": False}


def note_deliveries(apps, schema_editor):
    """Until now every lookup that was paid for was delivered at once, or not at all where it was found later."""
    paid = apps.get_model("billing", "Payment").objects.filter(state="paid", purpose="lookup")
    paid.exclude(detail__startswith="found later").update(delivered_at=F("ended_at"))


class Migration(migrations.Migration):
    dependencies = [("billing", "0009_waiting_grants")]

    operations = [
        migrations.AddField(
            "payment",
            "request_hash",
            models.CharField(blank=True, default="", help_text="Tells this credential with this very body.", **HASH),
        ),
        migrations.AddField(
            "payment",
            "request_key",
            models.CharField(help_text="Its payer's Idempotency-Key, for a day.", null=True, unique=True, **HASH),
        ),
        migrations.AddField("payment", "body_hash", models.CharField(blank=True, default="", **HASH)),
        migrations.AddField(
            "payment",
            "delivered_at",
            models.DateTimeField(
                blank=True,
                help_text="When the answer that a lookup's payment bought was there to be read.",
                null=True,
            ),
        ),
        migrations.RunPython(note_deliveries, migrations.RunPython.noop),
    ]
