"""Webhook secrets and deliveries belong to a mode; every secret that is there is a live one."""

from django.db import migrations, models
from django.db.models import Q


def mark_tests(apps, schema_editor):
    """What tells of a job or bulk job of a test key is of test mode."""
    deliveries = apps.get_model("lookups", "Delivery").objects.using(schema_editor.connection.alias)
    deliveries.filter(Q(job__key__mode="test") | Q(bulk__key__mode="test")).update(livemode=False)


class Migration(migrations.Migration):
    dependencies = [("billing", "0006_test_webhook_url"), ("lookups", "0011_no_kept_replies")]

    operations = [
        migrations.AddField(
            "delivery",
            "livemode",
            models.BooleanField(default=True, help_text="Off: it tells of what was asked with a test key."),
            preserve_default=False,
        ),
        migrations.AddIndex(
            "delivery",
            models.Index(fields=["account", "livemode", "created_at"], name="delivery_by_account_and_time"),
        ),
        migrations.RemoveConstraint("webhooksecret", "webhook_secret_one_in_use"),
        migrations.AddField(
            "webhooksecret",
            "livemode",
            models.BooleanField(default=True, help_text="Off: it signs what was asked with test keys."),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "webhooksecret",
            models.UniqueConstraint(
                fields=["account", "livemode"],
                condition=Q(signs_until__isnull=True),
                name="webhook_secret_one_in_use",
            ),
        ),
        migrations.RunPython(mark_tests, migrations.RunPython.noop),
    ]
