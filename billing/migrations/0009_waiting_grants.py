"""Grants that are too much for one person wait for a second one."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("billing", "0008_ledger_chain")]

    operations = [
        migrations.CreateModel(
            name="WaitingGrant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("grant", "grant"), ("adjust", "adjustment")], max_length=6)),
                ("amount", models.BigIntegerField(help_text="In 1/10,000 USD.")),
                ("reason", models.CharField(max_length=60)),
                ("note", models.CharField(blank=True, default="", max_length=500)),
                (
                    "token",
                    models.CharField(
                        editable=False, help_text="Confirmed twice, it waits once.", max_length=200, unique=True
                    ),
                ),
                ("asked_by", models.CharField(max_length=150)),
                ("asked_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waits for a second person"),
                            ("approved", "approved"),
                            ("rejected", "rejected"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("decided_by", models.CharField(blank=True, default="", max_length=150)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="billing.account"
                    ),
                ),
                (
                    "entry",
                    models.OneToOneField(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waited",
                        to="billing.ledgerentry",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(condition=Q(amount__gt=0), name="grant_waits_upwards"),
                    models.CheckConstraint(
                        condition=Q(state="waiting", decided_by="", decided_at__isnull=True, entry__isnull=True)
                        | (Q(state="approved", decided_at__isnull=False, entry__isnull=False) & ~Q(decided_by=""))
                        | (Q(state="rejected", decided_at__isnull=False, entry__isnull=True) & ~Q(decided_by="")),
                        name="grant_fits_its_state",
                    ),
                    models.CheckConstraint(
                        condition=~Q(state="approved", decided_by=F("asked_by")), name="grant_needs_a_second_person"
                    ),
                ],
            },
        ),
    ]
