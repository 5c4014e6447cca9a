from django.db import migrations

from billing import append_only


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, [append_only.ENTRIES])


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, [append_only.ENTRIES])


class Migration(migrations.Migration):
    dependencies = [("billing", "0001_initial")]
    operations = [migrations.RunPython(protect, unprotect)]
