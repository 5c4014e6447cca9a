"""Days of the books that are over are added up once; payments and top-ups are found without reading all of them."""

from django.db import migrations, models
from django.db.models import Q

from jurisdictions.concurrently import AddIndex


class Migration(migrations.Migration):
    atomic = False  # indexes on PostgreSQL are made beside the work that goes on
    dependencies = [("billing", "0023_low_balance")]

    operations = [
        AddIndex(
            "ledgerentry",
            models.Index(
                fields=["account", "id", "kind", "available_change", "held_change"], name="entry_by_account"
            ),
        ),
        AddIndex("ledgerentry", models.Index(fields=["account", "created_at", "id"], name="entry_of_account_by_time")),
        migrations.RemoveIndex("ledgerentry", "entry_by_account_and_time"),
        AddIndex(
            "ledgerentry",
            models.Index(fields=["account", "created_at"], condition=Q(kind="refund"), name="entry_of_refund"),
        ),
        AddIndex("payment", models.Index(fields=["created_at"], name="payment_by_time")),
        AddIndex("payment", models.Index(fields=["reference"], name="payment_by_reference")),
        AddIndex("payment", models.Index(fields=["payer"], name="payment_by_payer")),
        AddIndex(
            "payment",
            models.Index(
                fields=["ended_at"],
                condition=Q(state="paid", purpose="lookup", delivered_at__isnull=True),
                name="payment_undelivered",
            ),
        ),
        AddIndex("topup", models.Index(fields=["id"], condition=Q(state="mismatch"), name="topup_mismatched")),
        migrations.CreateModel(
            name="DaySum",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("kind", models.CharField(max_length=10)),
                ("source", models.CharField(blank=True, max_length=30)),
                ("reason", models.CharField(blank=True, max_length=60)),
                ("up", models.BigIntegerField(help_text="Of the amounts above zero, in 1/10,000 USD.")),
                ("down", models.BigIntegerField(help_text="Of those below.")),
                ("available", models.BigIntegerField(help_text="By how much they changed what is available.")),
                ("held", models.BigIntegerField(help_text="By how much they changed what is held.")),
            ],
            options={
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(fields=["day", "kind", "source", "reason"], name="day_sum_once")
                ],
            },
        ),
    ]
