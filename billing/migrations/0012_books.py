"""Months that are closed, and the numbers of receipts: written once, and guarded like the entries."""

import django.db.models.deletion
from django.db import migrations, models

from billing import append_only

GUARDED = [append_only.MONTHS, append_only.RECEIPTS]


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, GUARDED)


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, GUARDED)


class Migration(migrations.Migration):

    dependencies = [
        ('billing', '0011_reversals'),
    ]

    operations = [
        migrations.CreateModel(
            name='MonthClose',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(unique=True)),
                ('entries', models.IntegerField()),
                ('totals', models.JSONField(help_text='{"cash": [debit, credit], …}')),
                ('operator', models.CharField(max_length=150)),
                ('closed_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-month'],
            },
        ),
        migrations.CreateModel(
            name='Receipt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('receipt', 'receipt'), ('invoice', 'invoice')], max_length=7)),
                ('number', models.PositiveIntegerField()),
                ('issued_at', models.DateTimeField()),
                ('entry', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='receipt', to='billing.ledgerentry')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'number'), name='receipt_number_once')],
            },
        ),
        migrations.RunPython(protect, unprotect),
    ]
