"""Names that the ready-made roles take: a group of the operator's own under one of them gets another name first.

Its members keep the rights that they had, and nobody gets those of a role by a coincidence of names.
"""

from django.db import migrations

NAMES = ("viewer", "support", "finance", "operator", "owner")


def make_room(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    for group in groups.filter(name__in=NAMES):
        name = f"{group.name} (own)"
        while groups.filter(name=name).exists():
            name += "+"
        group.name = name
        group.save(update_fields=["name"])


class Migration(migrations.Migration):
    dependencies = [("billing", "0015_audit"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunPython(make_room, migrations.RunPython.noop)]
