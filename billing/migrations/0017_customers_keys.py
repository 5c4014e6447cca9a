"""What customers call a key by, and the networks that it may be used from; keys that there are may be used everywhere."""

import uuid

from django.db import migrations, models


def name_keys(apps, schema_editor):
    keys = apps.get_model("billing", "ApiKey").objects.using(schema_editor.connection.alias)
    for key in keys.filter(uuid=None).only("pk").iterator(chunk_size=500):
        keys.filter(pk=key.pk).update(uuid=uuid.uuid4())


class Migration(migrations.Migration):
    dependencies = [("billing", "0016_roles")]
    operations = [
        migrations.AddField(
            model_name="apikey",
            name="allowed_networks",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Where it may be used from, such as 192.0.2.0/24; empty: everywhere.",
            ),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="scopes",
            field=models.JSONField(
                blank=True, default=list, help_text="lookup, bulk, names, account, keys; empty: all."
            ),
        ),
        migrations.AddField(model_name="apikey", name="uuid", field=models.UUIDField(editable=False, null=True)),
        migrations.RunPython(name_keys, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="apikey",
            name="uuid",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
    ]
