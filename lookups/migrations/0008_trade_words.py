"""Tables, columns and constraints take the names that the code has for them; no row changes."""

import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("billing", "0004_waiting_events"), ("lookups", "0007_deliveries")]

    operations = [
        migrations.RemoveConstraint("flight", "flight_once_in_the_air"),
        migrations.RemoveConstraint("flight", "flight_lands_with_something"),
        migrations.RemoveIndex("flight", "flight_by_landing"),
        migrations.RenameModel("Flight", "SharedFetch"),
        migrations.RenameField("sharedfetch", "pilot", "leader"),
        migrations.RenameField("sharedfetch", "landed_at", "ended_at"),
        migrations.RenameField("sharedfetch", "landing", "result"),
        migrations.AlterField(
            "sharedfetch",
            "leader",
            models.UUIDField(default=uuid.uuid4, help_text="Who asks the portal; changes on a take-over."),
        ),
        migrations.AddConstraint(
            "sharedfetch",
            models.UniqueConstraint(
                fields=["question", "state", "kind", "sandbox"],
                condition=models.Q(ended_at__isnull=True),
                name="fetch_once_under_way",
            ),
        ),
        migrations.AddConstraint(
            "sharedfetch",
            models.CheckConstraint(
                condition=models.Q(ended_at__isnull=True, result__isnull=True)
                | models.Q(ended_at__isnull=False, result__isnull=False),
                name="fetch_ends_with_result",
            ),
        ),
        migrations.AddIndex("sharedfetch", models.Index(fields=["ended_at"], name="fetch_by_end")),
        migrations.RemoveConstraint("hooksecret", "hook_secret_one_in_use"),
        migrations.RenameModel("HookSecret", "WebhookSecret"),
        migrations.AddConstraint(
            "webhooksecret",
            models.UniqueConstraint(
                fields=["account"], condition=models.Q(signs_until__isnull=True), name="webhook_secret_one_in_use"
            ),
        ),
    ]
