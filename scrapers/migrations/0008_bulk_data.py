"""What registries publish as files is called bulk data; rows, and what holds for them, stay."""

from django.db import migrations, models


def _one(state, name):
    condition = models.Q(status=state)
    return migrations.AddConstraint("bulkcopy", models.UniqueConstraint(fields=["state"], condition=condition, name=name))


class Migration(migrations.Migration):

    dependencies = [
        ('scrapers', '0007_attempts_of_a_day'),
    ]

    operations = [
        migrations.RenameModel('RegisterCopy', 'BulkCopy'),
        migrations.RenameModel('RegisteredEntity', 'BulkEntity'),
        migrations.AlterModelOptions(
            name='bulkcopy',
            options={'ordering': ['-started_at'], 'verbose_name_plural': 'bulk copies'},
        ),
        migrations.RemoveConstraint('bulkcopy', 'register_one_current'),
        migrations.RemoveConstraint('bulkcopy', 'register_one_loading'),
        _one('current', 'bulk_copy_one_current'),
        _one('loading', 'bulk_copy_one_loading'),
        migrations.RenameIndex('bulkentity', 'bulk_entity_name', old_name='registered_name'),
        migrations.RenameIndex('bulkentity', 'bulk_entity_id', old_name='registered_id'),
        migrations.AlterField(
            "attemptpage", "body", models.BinaryField(help_text="Compressed; see scrapers.operations.failed_pages.")
        ),
    ]
