"""The audit log: a table that is only added to, the row that has its head, and what the anchors know of it."""

from django.db import migrations, models

from billing import append_only


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, [append_only.AUDIT])


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, [append_only.AUDIT])


class Migration(migrations.Migration):

    dependencies = [
        ('billing', '0014_given_back'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hash', models.CharField(blank=True, default='', max_length=64)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='ledgeranchor',
            name='audit',
            field=models.JSONField(blank=True, help_text='[last audit event, its hash], where one is new.', null=True),
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('kind', models.CharField(choices=[('signed_in', 'signed in'), ('sign_in_failed', 'sign-in failed'), ('locked_out', 'locked out'), ('signed_out', 'signed out'), ('confirmed', 'confirmed who it is'), ('factor_added', 'second factor added'), ('factor_removed', 'second factor removed'), ('key_issued', 'key issued'), ('key_rotated', 'key rotated'), ('key_revoked', 'key revoked'), ('secret_made', 'webhook secret made'), ('money_moved', 'money moved'), ('budget_set', 'budget set'), ('switched', 'jurisdiction switched'), ('user_changed', 'user changed'), ('role_changed', 'role changed'), ('settings_changed', 'settings changed'), ('evidence_seen', 'evidence seen'), ('done', 'done')], max_length=20)),
                ('actor', models.CharField(help_text="A user's name, an account, or the service itself.", max_length=150)),
                ('address', models.CharField(blank=True, default='', max_length=50)),
                ('subject', models.CharField(blank=True, default='', help_text='What it was done to.', max_length=200)),
                ('detail', models.CharField(blank=True, default='', max_length=1000)),
                ('request_id', models.CharField(blank=True, default='', max_length=64)),
                ('previous_hash', models.CharField(blank=True, default='', editable=False, max_length=64, unique=True)),
                ('hash', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['at'], name='audit_at')],
            },
        ),
        migrations.RunPython(protect, unprotect),
    ]
