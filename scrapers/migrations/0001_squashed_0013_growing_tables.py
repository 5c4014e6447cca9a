"""The tables of the scrapers as they are now, which a new installation makes in one step.

An older one comes by the migrations that this one replaces, and ends with the same (tests/upgrades/test_one_step.py).
"""

import django.db.models.deletion
from django.db import migrations, models

from jurisdictions.new_tables import at_once


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('scrapers', '0001_initial'),
        ('scrapers', '0002_registers'),
        ('scrapers', '0003_register_copies_named'),
        ('scrapers', '0004_breaker'),
        ('scrapers', '0005_evidence'),
        ('scrapers', '0006_attempts_found_fast'),
        ('scrapers', '0007_attempts_of_a_day'),
        ('scrapers', '0008_bulk_data'),
        ('scrapers', '0009_waits'),
        ('scrapers', '0010_readings'),
        ('scrapers', '0011_other_names_of_copies'),
        ('scrapers', '0012_other_registers'),
        ('scrapers', '0013_growing_tables'),
    ]

    dependencies = [
    ]

    operations = at_once([
        migrations.CreateModel(
            name='Body',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('size', models.PositiveIntegerField(help_text='Bytes.')),
                ('packed_size', models.PositiveIntegerField(help_text='Bytes, compressed.')),
                ('packed', models.BinaryField(blank=True, help_text='Empty: they are in the folder or at the S3 service.', null=True)),
                ('keep_until', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'bodies',
                'indexes': [models.Index(fields=['keep_until'], name='body_by_end')],
            },
        ),
        migrations.CreateModel(
            name='Breaker',
            fields=[
                ('state', models.CharField(help_text="Whose portal: a state's, or GLEIF.", max_length=8, primary_key=True, serialize=False)),
                ('failures', models.PositiveIntegerField(default=0, help_text='In a row.')),
                ('trips', models.PositiveIntegerField(default=0, help_text='How often in a row it was left alone.')),
                ('reason', models.CharField(blank=True, default='', max_length=16)),
                ('detail', models.CharField(blank=True, default='', max_length=500)),
                ('open_until', models.DateTimeField(blank=True, help_text='Not asked before; then by one question first.', null=True)),
                ('probe_until', models.DateTimeField(blank=True, help_text='That question is under way until then.', null=True)),
                ('slowness', models.PositiveSmallIntegerField(default=1, help_text='The pace is divided by this.')),
                ('slow_until', models.DateTimeField(blank=True, help_text='No step of the pace is regained before.', null=True)),
                ('last_question', models.CharField(blank=True, default='', max_length=200)),
                ('changed_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['state'],
                'constraints': [models.CheckConstraint(condition=models.Q(('slowness__in', (1, 2, 4, 8))), name='breaker_slowness'), models.CheckConstraint(condition=models.Q(('open_until__isnull', True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='breaker_open_for_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='BulkCopy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(help_text="Whose: a state's, GLEIF's or EDGAR's.", max_length=8)),
                ('url', models.URLField(max_length=300)),
                ('file', models.CharField(help_text='The file being read, so that a broken load can go on.', max_length=300)),
                ('sha256', models.CharField(blank=True, default='', help_text='Of that file.', max_length=64)),
                ('as_of', models.DateTimeField(help_text='The day the data is from.')),
                ('status', models.CharField(choices=[('loading', 'loading'), ('current', 'current'), ('replaced', 'replaced'), ('refused', 'refused')], default='loading', max_length=8)),
                ('rows_read', models.PositiveBigIntegerField(default=0)),
                ('entities', models.PositiveBigIntegerField(default=0)),
                ('detail', models.TextField(blank=True)),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'bulk copies',
                'ordering': ['-started_at'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'current')), fields=('state',), name='bulk_copy_one_current'), models.UniqueConstraint(condition=models.Q(('status', 'loading')), fields=('state',), name='bulk_copy_one_loading')],
            },
        ),
        migrations.CreateModel(
            name='ScrapeAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked_by', models.UUIDField(blank=True, db_index=True, editable=False, null=True)),
                ('state', models.CharField(max_length=2)),
                ('kind', models.CharField(max_length=16)),
                ('question', models.CharField(max_length=200)),
                ('sandbox', models.BooleanField(default=False)),
                ('outcome', models.CharField(choices=[('found', 'found'), ('not_found', 'not found'), ('down', 'down'), ('blocked', 'blocked'), ('layout_changed', 'layout changed'), ('rate_limited', 'rate limited'), ('disabled', 'disabled'), ('timeout', 'timeout'), ('refused', 'refused')], max_length=16)),
                ('detail', models.TextField(blank=True)),
                ('stages', models.JSONField(default=list)),
                ('unread_labels', models.PositiveIntegerField(default=0)),
                ('duration_ms', models.PositiveIntegerField()),
                ('waited_ms', models.PositiveIntegerField(db_default=0, default=0, help_text="Of these, until it might ask at the portal's pace.")),
                ('version', models.CharField(max_length=16)),
                ('started_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-started_at'],
                'indexes': [models.Index(fields=['state', '-started_at'], name='attempt_state_time'), models.Index(fields=['-started_at'], name='attempt_by_time'), models.Index(condition=models.Q(('outcome__in', ('found', 'not_found')), ('sandbox', False)), fields=['state', '-started_at'], name='attempt_answered'), models.Index(condition=models.Q(('outcome__in', ('down', 'blocked', 'layout_changed', 'rate_limited', 'disabled', 'timeout')), ('sandbox', False)), fields=['state', '-started_at'], name='attempt_failed')],
            },
        ),
        migrations.CreateModel(
            name='BulkEntity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entity_id', models.CharField(max_length=40)),
                ('name_key', models.CharField(max_length=200)),
                ('record', models.JSONField()),
                ('copy', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='scrapers.bulkcopy')),
            ],
            options={
                'indexes': [models.Index(fields=['copy', 'name_key'], name='bulk_entity_name', opclasses=['int8_ops', 'varchar_pattern_ops']), models.Index(fields=['copy', 'entity_id'], name='bulk_entity_id')],
            },
        ),
        migrations.CreateModel(
            name='BulkName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entity_id', models.CharField(max_length=40)),
                ('name_key', models.CharField(max_length=200)),
                ('name', models.TextField()),
                ('kind', models.CharField(choices=[('former', 'former'), ('assumed', 'assumed')], max_length=8)),
                ('copy', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='scrapers.bulkcopy')),
            ],
            options={
                'indexes': [models.Index(fields=['copy', 'name_key'], name='bulk_name_key')],
            },
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('sandbox', models.BooleanField(default=False)),
                ('kind', models.CharField(max_length=16)),
                ('outcome', models.CharField(max_length=16)),
                ('question', models.JSONField(help_text="What was asked, as the registry's reader takes it.")),
                ('reader_version', models.CharField(max_length=16)),
                ('reader_built_at', models.CharField(max_length=40)),
                ('reader_revision', models.CharField(help_text='Of the source of what reads this state.', max_length=16)),
                ('read_at', models.DateTimeField()),
                ('exchanges', models.JSONField()),
                ('sha256', models.CharField(help_text='Of the hashes of the exchanges.', max_length=64)),
                ('keep_until', models.DateTimeField(help_text='The bytes are kept so long, and the row as long as a lookup cites it.')),
                ('attempt', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='readings', to='scrapers.scrapeattempt')),
            ],
            options={
                'ordering': ['-read_at'],
                'indexes': [models.Index(fields=['keep_until'], name='reading_by_end'), models.Index(condition=models.Q(('outcome__in', ('found', 'not_found')), _negated=True), fields=['state', '-read_at'], name='reading_failed')],
            },
        ),
    ])
