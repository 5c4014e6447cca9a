"""What lets others check an answer: manifests, the keys that sign them, and the chain, which is only added to."""

import django.db.models.deletion
from django.db import migrations, models

from billing import append_only


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, [append_only.EVIDENCE])


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, [append_only.EVIDENCE])


class Migration(migrations.Migration):

    dependencies = [
        ('lookups', '0019_readings'),
    ]

    operations = [
        migrations.CreateModel(
            name='ChainTip',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(default=0)),
                ('hash', models.CharField(blank=True, default='', max_length=64)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Manifest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('document', models.TextField(null=True)),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('signature', models.CharField(help_text='Ed25519 over the document, in base64.', max_length=88)),
                ('is_chained', models.BooleanField(default=False)),
                ('lookup', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='manifest', to='lookups.lookup')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ChainEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(help_text='1 for the first; none is left out.', unique=True)),
                ('manifest_sha256', models.CharField(max_length=64)),
                ('previous_hash', models.CharField(help_text='64 zeros for the first.', max_length=64, unique=True)),
                ('hash', models.CharField(max_length=64)),
                ('manifest', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='entry', to='lookups.manifest')),
            ],
            options={
                'ordering': ['number'],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.CharField(help_text="Beginning of the public key's SHA-256.", max_length=16, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(help_text='1 for the first.', unique=True)),
                ('salt', models.CharField(editable=False, max_length=64)),
                ('public_key', models.CharField(help_text='Ed25519, the 32 bytes in base64.', max_length=44)),
                ('archive_public_key', models.CharField(help_text='ECDSA P-384 for archive files, DER in base64.', max_length=200)),
                ('valid_from', models.DateTimeField()),
                ('retired_at', models.DateTimeField(blank=True, help_text='Nothing is signed with it from then on.', null=True)),
                ('reason', models.CharField(help_text='Why it was made.', max_length=200)),
                ('signature', models.CharField(blank=True, default='', help_text='Of the key before it.', max_length=88)),
                ('previous', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='successor', to='lookups.signingkey')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.AddField(
            model_name='manifest',
            name='key',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lookups.signingkey'),
        ),
        migrations.CreateModel(
            name='ChainHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(help_text='The entry it is.', unique=True)),
                ('document', models.TextField(help_text='What is signed: number, hash and time.')),
                ('signature', models.CharField(max_length=88)),
                ('made_at', models.DateTimeField()),
                ('token', models.BinaryField(help_text="The authority's reply (RFC 3161), DER.", null=True)),
                ('stamped_at', models.DateTimeField(blank=True, help_text="The authority's time.", null=True)),
                ('refusal', models.CharField(blank=True, default='', help_text='Why there is none yet.', max_length=200)),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lookups.signingkey')),
            ],
            options={
                'ordering': ['-number'],
                'default_permissions': ('view',),
            },
        ),
        migrations.AddIndex(
            model_name='manifest',
            index=models.Index(condition=models.Q(('is_chained', False)), fields=['id'], name='manifest_to_chain'),
        ),
        migrations.RunPython(protect, unprotect),
    ]
