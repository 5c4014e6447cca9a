"""The tables of lookups as they are now, which a new installation makes in one step.

An older one comes by the migrations that this one replaces, and ends with the same (tests/upgrades/test_one_step.py).
"""

from importlib import import_module

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

# The triggers, in the words of the migrations that wrote them
versions, slugs, evidence, reasons = (
    import_module(f"lookups.migrations.{name}")
    for name in ("0011_no_kept_replies", "0017_former_slugs", "0020_manifests", "0022_reasons_of_versions")
)


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('lookups', '0001_initial'),
        ('lookups', '0002_paid_by_request'),
        ('lookups', '0003_jobs'),
        ('lookups', '0004_jobs_tried_again'),
        ('lookups', '0005_bulk'),
        ('lookups', '0006_webhook_secrets'),
        ('lookups', '0007_deliveries'),
        ('lookups', '0008_trade_words'),
        ('lookups', '0009_kept_lookups'),
        ('lookups', '0010_outcomes_of_replies'),
        ('lookups', '0011_no_kept_replies'),
        ('lookups', '0012_modes'),
        ('lookups', '0013_no_replaced_versions'),
        ('lookups', '0014_quoted_stored_price'),
        ('lookups', '0015_same_bulk_jobs'),
        ('lookups', '0016_heartbeats'),
        ('lookups', '0017_former_slugs'),
        ('lookups', '0018_suppressions'),
        ('lookups', '0019_readings'),
        ('lookups', '0020_manifests'),
        ('lookups', '0022_reasons_of_versions'),
        ('lookups', '0023_watches'),
        ('lookups', '0024_bulk_drafts'),
        ('lookups', '0025_asked_by'),
        ('lookups', '0026_identifiers'),
        ('lookups', '0027_growing_tables'),
    ]

    dependencies = [
        # What the replaced ones need, so that another app can go a step back and come again
        ('billing', '0019_members'),
        ('scrapers', '0011_other_names_of_copies'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
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
            name='DayCount',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('lookups', models.PositiveIntegerField()),
                ('found', models.PositiveIntegerField()),
                ('unavailable', models.PositiveIntegerField()),
                ('sandbox', models.PositiveIntegerField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('role', models.CharField(choices=[('web', 'web'), ('worker', 'worker'), ('bulk', 'bulk worker'), ('beat', 'clock')], max_length=6)),
                ('host', models.CharField(max_length=253)),
                ('pid', models.PositiveIntegerField()),
                ('started_at', models.DateTimeField()),
                ('beat_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['role', 'started_at'],
            },
        ),
        migrations.CreateModel(
            name='WebhookAddress',
            fields=[
            ],
            options={
                'verbose_name': 'webhook address',
                'verbose_name_plural': 'webhook addresses',
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('billing.account',),
        ),
        migrations.CreateModel(
            name='BulkJob',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('accepts_stored', models.BooleanField()),
                ('stored_price', models.BigIntegerField(default=0, help_text='Of a stored answer, quoted when it was accepted, in 1/10,000 USD.')),
                ('total', models.PositiveIntegerField(help_text='Rows asked for, repetitions counted.')),
                ('questions', models.PositiveIntegerField(help_text='Different questions: what is fetched and paid for.')),
                ('webhook_url', models.CharField(blank=True, default='', help_text="Told when it has ended; empty: the account's.", max_length=500)),
                ('emails_results', models.BooleanField(default=False, help_text='Its results are mailed to the account.')),
                ('request_id', models.CharField(blank=True, default='', max_length=64)),
                ('asked_hash', models.CharField(blank=True, default='', help_text='SHA-256 of all that was asked; empty: before it was kept.', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('deadline', models.DateTimeField()),
                ('cancelled_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bulk_jobs', to='billing.account')),
                ('hold', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.hold')),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.apikey')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='BulkDraft',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sandbox', models.BooleanField(default=False)),
                ('name', models.CharField(help_text='Of the file.', max_length=200)),
                ('table', models.JSONField()),
                ('mapping', models.JSONField(help_text='Which column fills which field.')),
                ('revision', models.PositiveIntegerField(default=1, help_text='Grows with every change: a price is of one revision.')),
                ('left_out', models.JSONField(blank=True, default=list, help_text='Rows that were not asked: line, name, why.')),
                ('created_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.account')),
                ('bulk', models.OneToOneField(blank=True, help_text='What was bought.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='draft', to='lookups.bulkjob')),
            ],
            options={
                'ordering': ['-changed_at'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('livemode', models.BooleanField(help_text='Off: it tells of what was asked with a test key.')),
                ('channel', models.CharField(choices=[('webhook', 'webhook'), ('email', 'e-mail')], max_length=7)),
                ('event', models.CharField(choices=[('lookup.complete', 'lookup.complete'), ('lookup.failed', 'lookup.failed'), ('bulk.complete', 'bulk.complete'), ('bulk.cancelled', 'bulk.cancelled'), ('watch.changed', 'watch.changed'), ('watch.unchanged', 'watch.unchanged'), ('watch.paused', 'watch.paused'), ('watch.digest', 'watch.digest'), ('webhook.test', 'webhook.test')], max_length=15)),
                ('address', models.CharField(blank=True, help_text='Where it goes; looked up again before each try.', max_length=500)),
                ('body', models.TextField(blank=True, default='', help_text='The exact text of a webhook; a mail is made when sent.')),
                ('status', models.CharField(choices=[('pending', 'pending'), ('delivered', 'delivered'), ('given_up', 'given up')], default='pending', max_length=9)),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='Since it was written or sent again by hand.')),
                ('next_at', models.DateTimeField(blank=True, help_text='When it is tried next; empty once it is over.', null=True)),
                ('claim', models.UUIDField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('last_answer', models.CharField(blank=True, default='', max_length=300)),
                ('created_at', models.DateTimeField()),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='billing.account')),
                ('bulk', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='lookups.bulkjob')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('status_code', models.PositiveIntegerField(blank=True, help_text='Of the answer; empty without one.', null=True)),
                ('error', models.CharField(blank=True, default='', help_text='Empty: it arrived.', max_length=300)),
                ('duration_ms', models.PositiveIntegerField()),
                ('excerpt', models.CharField(blank=True, default='', help_text='How the answer began.', max_length=500)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log', to='lookups.delivery')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Entity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('entity_id', models.CharField(help_text="The state's own identifier.", max_length=120)),
                ('sandbox', models.BooleanField(default=False)),
                ('slug', models.CharField(help_text="Last part of the entity page's address.", max_length=240)),
                ('name', models.CharField(max_length=500)),
                ('name_key', models.CharField(help_text='The name as it is compared: no legal form, no punctuation.', max_length=500)),
                ('last_read_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'entities',
                'ordering': ['-last_read_at'],
                'indexes': [models.Index(fields=['state', 'slug'], name='entity_by_page'), models.Index(fields=['state', 'name_key'], name='entity_by_name'), models.Index(fields=['-last_read_at'], name='entity_by_time'), models.Index(fields=['name_key'], name='entity_by_beginning', opclasses=['varchar_pattern_ops']), models.Index(fields=['entity_id'], name='entity_by_id')],
                'constraints': [models.UniqueConstraint(fields=('state', 'entity_id', 'sandbox'), name='entity_once_per_registry')],
            },
        ),
        migrations.CreateModel(
            name='FilingSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('question', models.CharField(max_length=64)),
                ('sandbox', models.BooleanField(default=False)),
                ('filings', models.JSONField()),
                ('facts', models.CharField(help_text='SHA-256 of the filings, to tell whether anything differs.', max_length=64)),
                ('first_read_at', models.DateTimeField()),
                ('last_read_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['question', 'state', 'sandbox'], name='filings_by_question')],
            },
        ),
        migrations.CreateModel(
            name='FormerSlug',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('slug', models.CharField(max_length=240)),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_slugs', to='lookups.entity')),
            ],
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sandbox', models.BooleanField(default=False, help_text='Asked with a test key: a live request is another one.')),
                ('key', models.CharField(max_length=255)),
                ('body_hash', models.CharField(max_length=64)),
                ('ask_id', models.UUIDField(default=uuid.uuid4)),
                ('claim', models.UUIDField(default=uuid.uuid4, help_text='Who works on it; changes when it is taken over.')),
                ('lease_until', models.DateTimeField()),
                ('is_answered', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='billing.account')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField(default=0, help_text='First row of the bulk request that asks this.')),
                ('ask_id', models.UUIDField(unique=True)),
                ('state', models.CharField(max_length=2)),
                ('status', models.CharField(choices=[('pending', 'pending'), ('processing', 'processing'), ('complete', 'complete'), ('failed', 'failed')], default='pending', max_length=10)),
                ('claim', models.UUIDField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('not_before', models.DateTimeField(blank=True, help_text='The registry failed; tried again from then on.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('estimated_seconds', models.PositiveIntegerField()),
                ('request_id', models.CharField(blank=True, default='', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('deadline', models.DateTimeField(help_text='When it fails if nobody answered it by then.')),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='billing.account')),
                ('bulk', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='lookups.bulkjob')),
                ('hold', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.hold')),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.apikey')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='delivery',
            name='job',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='lookups.job'),
        ),
        migrations.CreateModel(
            name='Lookup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ask_id', models.UUIDField(default=uuid.uuid4, help_text='The same ask is never charged twice.', unique=True)),
                ('origin', models.CharField(choices=[('api', 'API'), ('page', 'workspace'), ('bulk', 'bulk request'), ('watch', 'watch')], default='api', max_length=5)),
                ('position', models.PositiveIntegerField(blank=True, help_text='Its row in the bulk request, from 0.', null=True)),
                ('ref', models.CharField(blank=True, help_text="The customer's own mark, echoed.", max_length=200, null=True)),
                ('state', models.CharField(max_length=2)),
                ('kind', models.CharField(max_length=16)),
                ('asked', models.CharField(max_length=200)),
                ('question', models.JSONField(default=dict, help_text='The whole question, to ask it again after a crash.')),
                ('sandbox', models.BooleanField(default=False)),
                ('price', models.BigIntegerField(default=0, help_text='Quoted when it was accepted, in 1/10,000 USD.')),
                ('request_id', models.CharField(blank=True, default='', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('verdict', models.CharField(blank=True, choices=[('found', 'found'), ('not_found', 'not found'), ('ambiguous', 'ambiguous'), ('refused', 'refused'), ('unavailable', 'unavailable'), ('failed', 'failed'), ('cancelled', 'cancelled'), ('free', 'free'), ('taken', 'taken'), ('cannot_say', 'cannot say')], max_length=11, null=True)),
                ('reason', models.CharField(blank=True, default='', help_text='Why nothing is known, as a word.', max_length=40)),
                ('refusal', models.JSONField(blank=True, help_text='What the sentence of a refusal names.', null=True)),
                ('match', models.JSONField(blank=True, help_text='How well the record fits the question.', null=True)),
                ('related', models.JSONField(blank=True, default=list, help_text='Other records that fit.')),
                ('candidates', models.JSONField(blank=True, default=list, help_text='Records that come near, where none was chosen.')),
                ('name_check', models.JSONField(blank=True, help_text='What is known of a name.', null=True)),
                ('total', models.PositiveIntegerField(default=0)),
                ('note', models.TextField(blank=True, default='')),
                ('evidence', models.JSONField(blank=True, help_text='sourceUrl, retrievedAt, sha256 of what was read.', null=True)),
                ('source', models.CharField(choices=[('live', 'live'), ('stored', 'stored record'), ('copy', 'copy of bulk data')], default='live', max_length=6)),
                ('data_as_of', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, help_text='Until when a stored answer serves.', null=True)),
                ('reader_version', models.CharField(blank=True, default='', max_length=16)),
                ('reader_built_at', models.CharField(blank=True, default='', max_length=40)),
                ('retry_at', models.DateTimeField(blank=True, help_text='When its registry may be asked again.', null=True)),
                ('shared', models.BooleanField(default=False, help_text="Answered by a fetch that somebody else's question started.")),
                ('cost', models.BigIntegerField(default=0, help_text='Charged to the balance, in 1/10,000 USD.')),
                ('balance_after', models.BigIntegerField(blank=True, help_text='What was left then, in 1/10,000 USD.', null=True)),
                ('attempt_id', models.BigIntegerField(blank=True, help_text='The scrape attempt that answered.', null=True)),
                ('duration_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lookups', to='billing.account')),
                ('asked_by', models.ForeignKey(blank=True, db_index=False, help_text='Who asked in the workspace.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('bulk', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lookups', to='lookups.bulkjob')),
                ('filing_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lookups', to='lookups.filingset')),
                ('hold', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.hold')),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.apikey')),
                ('payment', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lookup', to='billing.payment')),
                ('reading', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lookups', to='scrapers.reading')),
                ('repeats', models.ForeignKey(blank=True, help_text='The row before it that asks the same: ended and paid for together.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='repetitions', to='lookups.lookup')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='lookup',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='job', to='lookups.lookup'),
        ),
        migrations.CreateModel(
            name='Identifiers',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='With which theirs were compared.', max_length=500)),
                ('lei', models.JSONField()),
                ('cik', models.JSONField()),
                ('exchanges', models.JSONField(blank=True, default=list)),
                ('is_answer', models.BooleanField(help_text='Whether the next lookup of it may be given the same for a day.')),
                ('asked_at', models.DateTimeField(help_text='When the registers were asked, or their copies read.')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='identifiers', to='lookups.entity')),
                ('lookup', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='identifiers', to='lookups.lookup')),
            ],
            options={
                'verbose_name_plural': 'identifiers',
                'ordering': ['-asked_at'],
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
            name='RecordVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='1 for the first.')),
                ('reason', models.CharField(choices=[('read', 'the registry was read, and said something new'), ('read_anew', "today's reader read kept bytes otherwise")], db_default='read', default='read', help_text='Whether the registry said something new, or we read the same bytes better.', max_length=9)),
                ('data', models.JSONField()),
                ('normalized', models.JSONField()),
                ('facts', models.CharField(help_text='SHA-256 of both, to tell whether anything differs.', max_length=64)),
                ('evidence', models.JSONField(help_text='sourceUrl, retrievedAt, sha256 of what was read last.')),
                ('first_read_at', models.DateTimeField()),
                ('last_read_at', models.DateTimeField()),
                ('as_of', models.DateTimeField(blank=True, help_text='The day the source says its data is from.', null=True)),
                ('reader_version', models.CharField(max_length=16)),
                ('reader_built_at', models.CharField(max_length=40)),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='lookups.entity')),
                ('reading', models.ForeignKey(blank=True, help_text='The last reading of these facts.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='scrapers.reading')),
            ],
            options={
                'ordering': ['entity', '-number'],
            },
        ),
        migrations.AddField(
            model_name='lookup',
            name='version',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lookups', to='lookups.recordversion'),
        ),
        migrations.CreateModel(
            name='RemovalRequest',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('removal', 'Leave something out'), ('correction', 'Put something right')], max_length=10)),
                ('about', models.CharField(help_text='The page, or the company and its state, as it was typed.', max_length=300)),
                ('name', models.CharField(max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('text', models.TextField(max_length=4000)),
                ('received_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('open', 'open'), ('done', 'done'), ('refused', 'refused')], default='open', max_length=7)),
                ('answer', models.TextField(blank=True, default='', help_text='What was done, or why not.', max_length=4000)),
                ('handled_by', models.CharField(blank=True, default='', max_length=150)),
                ('handled_at', models.DateTimeField(blank=True, null=True)),
                ('entity', models.ForeignKey(blank=True, help_text='If it is known.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lookups.entity')),
            ],
            options={
                'verbose_name': 'removal or correction request',
                'ordering': ['due_at'],
            },
        ),
        migrations.CreateModel(
            name='RowAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='Of the question, with its state.', max_length=64)),
                ('ask_id', models.UUIDField(default=uuid.uuid4, help_text='Of the lookup that asks it.')),
                ('created_at', models.DateTimeField()),
                ('row', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='lookups.lookup')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='SharedFetch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('kind', models.CharField(max_length=16)),
                ('question', models.CharField(max_length=64)),
                ('sandbox', models.BooleanField(default=False)),
                ('leader', models.UUIDField(default=uuid.uuid4, help_text='Who asks the portal; changes on a take-over.')),
                ('lease_until', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('result', models.JSONField(blank=True, help_text='What came of it, for those who waited.', null=True)),
                ('started_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['ended_at'], name='fetch_by_end')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('question', 'state', 'kind', 'sandbox'), name='fetch_once_under_way'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('result__isnull', True)), models.Q(('ended_at__isnull', False), ('result__isnull', False)), _connector='OR'), name='fetch_ends_with_result')],
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
        migrations.CreateModel(
            name='StoredAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('kind', models.CharField(max_length=16)),
                ('question', models.CharField(max_length=64)),
                ('sandbox', models.BooleanField(default=False)),
                ('asked', models.CharField(help_text='The question in words, as it was asked last.', max_length=200)),
                ('match', models.JSONField(blank=True, help_text='How well the company fits this question.', null=True)),
                ('related', models.JSONField(blank=True, default=list)),
                ('total', models.PositiveIntegerField(default=1)),
                ('evidence', models.JSONField()),
                ('note', models.TextField(blank=True, default='')),
                ('retrieved_at', models.DateTimeField()),
                ('as_of', models.DateTimeField(blank=True, null=True)),
                ('reader_version', models.CharField(max_length=16)),
                ('reader_built_at', models.CharField(max_length=40)),
                ('filing_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='lookups.filingset')),
                ('reading', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='scrapers.reading')),
                ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='lookups.recordversion')),
            ],
            options={
                'ordering': ['-retrieved_at'],
            },
        ),
        migrations.CreateModel(
            name='Suppression',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('company', 'company: no public page, and no field below'), ('field', 'one field of a company'), ('person', 'a person, in one company or wherever the name stands')], max_length=7)),
                ('state', models.CharField(blank=True, default='', help_text='Two letters; may be empty for a person.', max_length=2)),
                ('entity_id', models.CharField(blank=True, default='', help_text="The state's own identifier; empty for a person: every company.", max_length=120)),
                ('field', models.CharField(blank=True, choices=[('registeredAgentName', 'registered agent'), ('registeredAgentAddress', "agent's address"), ('principalAddress', 'principal address'), ('mailingAddress', 'mailing address'), ('officers', 'officers'), ('feiEinNumber', 'federal number')], default='', max_length=30)),
                ('person', models.CharField(blank=True, default='', help_text='As the registry writes the name.', max_length=200)),
                ('person_key', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('reason', models.TextField(max_length=2000)),
                ('made_at', models.DateTimeField(editable=False)),
                ('lifted_at', models.DateTimeField(editable=False, null=True)),
                ('lifted_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('request', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='suppressions', to='lookups.removalrequest')),
            ],
            options={
                'ordering': ['-made_at'],
            },
        ),
        migrations.CreateModel(
            name='Watch',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sandbox', models.BooleanField(default=False)),
                ('state', models.CharField(max_length=2)),
                ('entity_id', models.CharField(blank=True, default='', help_text="The state's own identifier; empty until it was found.", max_length=120)),
                ('entity_name', models.CharField(blank=True, default='', help_text='As it was asked for.', max_length=200)),
                ('name', models.CharField(blank=True, default='', help_text='As the registry wrote it last.', max_length=500)),
                ('every', models.CharField(choices=[('day', 'day'), ('week', 'week'), ('month', 'month')], max_length=5)),
                ('categories', models.JSONField(help_text='The changes that are told.')),
                ('webhook_url', models.CharField(blank=True, default='', help_text="Empty: the account's.", max_length=500)),
                ('email_digest', models.BooleanField(default=False)),
                ('tell_unchanged', models.BooleanField(default=False)),
                ('max_per_month', models.PositiveIntegerField(blank=True, help_text='Checks in a month (UTC) at most.', null=True)),
                ('ref', models.CharField(blank=True, help_text="The customer's own mark, echoed.", max_length=200, null=True)),
                ('status', models.CharField(choices=[('active', 'active'), ('paused', 'paused')], default='active', max_length=6)),
                ('pause_reason', models.CharField(blank=True, choices=[('requested', 'asked for'), ('insufficient_balance', 'the balance does not cover a check'), ('budget_exceeded', "the month's budget is spent"), ('key_ended', 'its API key has ended')], default='', max_length=20)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('next_at', models.DateTimeField(blank=True, help_text='When it is looked at next; empty: not.', null=True)),
                ('turns', models.PositiveIntegerField(default=0, help_text='How often it was looked at.')),
                ('request_id', models.CharField(blank=True, default='', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='watches', to='billing.account')),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.apikey')),
            ],
            options={
                'verbose_name_plural': 'watches',
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='watch',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='lookups.watch'),
        ),
        migrations.CreateModel(
            name='WatchBaseline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('facts', models.JSONField(blank=True, help_text='Empty: it was never found.', null=True)),
                ('known', models.JSONField(default=list, help_text='The fields among them that some reading has shown.')),
                ('carried', models.JSONField(blank=True, default=dict, help_text='Field -> lookup that showed it, if an earlier one.')),
                ('reader', models.CharField(blank=True, default='', max_length=80)),
                ('read_at', models.DateTimeField(blank=True, help_text='The moment that its facts are from.', null=True)),
                ('absent_reader', models.CharField(blank=True, default='', max_length=80)),
                ('absent_at', models.DateTimeField(blank=True, null=True)),
                ('is_gone', models.BooleanField(default=False, help_text='It was said to have disappeared.')),
                ('absent_lookup', models.ForeignKey(blank=True, help_text='First missed by.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lookups.lookup')),
                ('lookup', models.ForeignKey(blank=True, help_text='Read last by.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lookups.lookup')),
                ('watch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='baselines', to='lookups.watch')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='WatchCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(help_text='Its record, or the liens on its name.', max_length=16)),
                ('turn', models.PositiveIntegerField(help_text='How often the watch had been looked at before.')),
                ('unchanged_price', models.BigIntegerField(help_text="Where nothing has changed, quoted with the lookup's.")),
                ('copy_price', models.BigIntegerField(help_text="Of an answer from a loaded copy, quoted with the lookup's.")),
                ('result', models.CharField(blank=True, choices=[('baseline', 'first reading'), ('unchanged', 'unchanged'), ('changed', 'changed'), ('reader_changed', 'read by another reader: first reading anew'), ('absent', 'not found'), ('unclear', 'nothing is known')], default='', max_length=14)),
                ('not_checked', models.JSONField(blank=True, default=list, help_text='Fields that the source did not show.')),
                ('created_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('lookup', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='watch_check', to='lookups.lookup')),
                ('watch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='lookups.watch')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='WatchEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sandbox', models.BooleanField()),
                ('number', models.PositiveBigIntegerField()),
                ('category', models.CharField(max_length=11)),
                ('code', models.CharField(max_length=24)),
                ('severity', models.CharField(max_length=6)),
                ('changes', models.JSONField(default=list, help_text='path, before and after of each.')),
                ('reason', models.CharField(blank=True, default='', help_text='Why a watch was paused.', max_length=20)),
                ('created_at', models.DateTimeField()),
                ('mailed_at', models.DateTimeField(blank=True, help_text='When it was put into a mail.', null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='watch_events', to='billing.account')),
                ('after', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lookups.lookup')),
                ('before', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lookups.lookup')),
                ('mail', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='mailed_events', to='lookups.delivery')),
                ('watch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='lookups.watch')),
                ('watch_check', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='lookups.watchcheck')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='delivery',
            name='watch_event',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='lookups.watchevent'),
        ),
        migrations.CreateModel(
            name='WebhookSecret',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('livemode', models.BooleanField(help_text='Off: it signs what was asked with test keys.')),
                ('salt', models.CharField(editable=False, max_length=64)),
                ('made_at', models.DateTimeField()),
                ('signs_until', models.DateTimeField(blank=True, help_text='Empty: the one in use.', null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='billing.account')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddIndex(
            model_name='bulkjob',
            index=models.Index(fields=['ended_at'], name='bulk_by_end'),
        ),
        migrations.AddIndex(
            model_name='bulkdraft',
            index=models.Index(condition=models.Q(('bulk__isnull', True)), fields=['account', '-changed_at'], name='draft_open'),
        ),
        migrations.AddConstraint(
            model_name='formerslug',
            constraint=models.UniqueConstraint(fields=('state', 'slug', 'entity'), name='former_slug_once'),
        ),
        migrations.AddIndex(
            model_name='idempotencyrecord',
            index=models.Index(fields=['expires_at'], name='idempotency_by_expiry'),
        ),
        migrations.AddConstraint(
            model_name='idempotencyrecord',
            constraint=models.UniqueConstraint(fields=('account', 'sandbox', 'key'), name='idempotency_once_per_key'),
        ),
        migrations.AddIndex(
            model_name='identifiers',
            index=models.Index(fields=['entity', '-asked_at'], name='identifiers_by_time'),
        ),
        migrations.AddConstraint(
            model_name='recordversion',
            constraint=models.UniqueConstraint(fields=('entity', 'number'), name='version_once_per_number'),
        ),
        migrations.AddIndex(
            model_name='lookup',
            index=models.Index(fields=['created_at'], name='lookup_by_time'),
        ),
        migrations.AddIndex(
            model_name='lookup',
            index=models.Index(fields=['account', 'created_at', 'sandbox', 'state', 'key', 'origin', 'verdict', 'cost'], name='lookup_of_account_by_time'),
        ),
        migrations.AddIndex(
            model_name='lookup',
            index=models.Index(fields=['account', '-id'], name='lookup_by_account'),
        ),
        migrations.AddIndex(
            model_name='lookup',
            index=models.Index(condition=models.Q(('ref__isnull', False)), fields=['account', 'ref'], name='lookup_by_ref'),
        ),
        migrations.AddIndex(
            model_name='lookup',
            index=models.Index(condition=models.Q(('verdict__isnull', True)), fields=['created_at'], name='lookup_open'),
        ),
        migrations.AddIndex(
            model_name='lookup',
            index=models.Index(condition=models.Q(('asked_by__isnull', False)), fields=['asked_by'], name='lookup_by_person'),
        ),
        migrations.AddConstraint(
            model_name='lookup',
            constraint=models.UniqueConstraint(fields=('bulk', 'position'), name='lookup_once_per_row'),
        ),
        migrations.AddConstraint(
            model_name='lookup',
            constraint=models.CheckConstraint(condition=models.Q(('cost', 0), models.Q(('cost__gt', 0), ('sandbox', False), ('verdict__in', ('found', 'free', 'taken', 'cannot_say'))), _connector='OR'), name='lookup_only_found_costs'),
        ),
        migrations.AddConstraint(
            model_name='lookup',
            constraint=models.CheckConstraint(condition=models.Q(('account__isnull', False), models.Q(('cost', 0), ('payment__isnull', False)), _connector='OR'), name='lookup_has_a_payer'),
        ),
        migrations.AddConstraint(
            model_name='lookup',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('verdict__isnull', True)), models.Q(('ended_at__isnull', False), ('verdict__isnull', False)), _connector='OR'), name='lookup_ends_with_a_verdict'),
        ),
        migrations.AddIndex(
            model_name='removalrequest',
            index=models.Index(fields=['state', 'due_at'], name='removal_request_by_day'),
        ),
        migrations.AddConstraint(
            model_name='removalrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('handled_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('handled_at__isnull', False)), _connector='OR'), name='removal_request_ends_once'),
        ),
        migrations.AddConstraint(
            model_name='rowanswer',
            constraint=models.UniqueConstraint(fields=('row', 'digest'), name='row_answer_once'),
        ),
        migrations.AddIndex(
            model_name='manifest',
            index=models.Index(condition=models.Q(('is_chained', False)), fields=['id'], name='manifest_to_chain'),
        ),
        migrations.AddIndex(
            model_name='storedanswer',
            index=models.Index(fields=['retrieved_at'], name='answer_by_time'),
        ),
        migrations.AddConstraint(
            model_name='storedanswer',
            constraint=models.UniqueConstraint(fields=('question', 'state', 'kind', 'sandbox'), name='answer_once_per_question'),
        ),
        migrations.AddConstraint(
            model_name='storedanswer',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('filing_set__isnull', False), ('kind', 'ucc'), ('version__isnull', True)), models.Q(('filing_set__isnull', True), ('kind', 'business_entity'), ('version__isnull', False)), _connector='OR'), name='answer_fits_its_kind'),
        ),
        migrations.AddIndex(
            model_name='suppression',
            index=models.Index(condition=models.Q(('lifted_at__isnull', True)), fields=['state', 'entity_id'], name='suppressed_company'),
        ),
        migrations.AddIndex(
            model_name='suppression',
            index=models.Index(condition=models.Q(('lifted_at__isnull', True)), fields=['person_key'], name='suppressed_person'),
        ),
        migrations.AddConstraint(
            model_name='suppression',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('field', ''), ('kind', 'company'), ('person_key', ''), models.Q(('state', ''), _negated=True), models.Q(('entity_id', ''), _negated=True)), models.Q(('kind', 'field'), ('person_key', ''), models.Q(('field', ''), _negated=True), models.Q(('state', ''), _negated=True), models.Q(('entity_id', ''), _negated=True)), models.Q(('field', ''), ('kind', 'person'), models.Q(('person_key', ''), _negated=True), models.Q(('entity_id', ''), models.Q(('state', ''), _negated=True), _connector='OR')), _connector='OR'), name='suppression_names_its_thing'),
        ),
        migrations.AddIndex(
            model_name='watch',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='watch_due'),
        ),
        migrations.AddIndex(
            model_name='watch',
            index=models.Index(fields=['account', 'sandbox', '-created_at'], name='watch_by_account'),
        ),
        migrations.AddIndex(
            model_name='watch',
            index=models.Index(fields=['state', 'entity_id'], name='watch_by_company'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('pause_reason', ''), ('paused_at__isnull', True), ('status', 'active')), models.Q(('next_at__isnull', True), ('paused_at__isnull', False), ('status', 'paused'), models.Q(('pause_reason', ''), _negated=True)), _connector='OR'), name='watch_fits_its_status'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('deleted_at__isnull', True), ('next_at__isnull', True), _connector='OR'), name='watch_deleted_is_not_asked'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('entity_id', ''), ('entity_name', ''), _negated=True), name='watch_names_a_company'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('status__in', ['pending', 'processing'])), fields=['created_at'], name='job_open'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('status__in', ['pending', 'processing'])), fields=['key'], name='job_open_by_key'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['ended_at'], name='job_by_end'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('bulk__isnull', False), ('status__in', ['pending', 'processing'])), fields=['account', 'state', 'created_at', 'position'], name='job_open_of_bulk'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('status__in', ['pending', 'processing']), ('watch__isnull', False)), fields=['account', 'state', 'created_at'], name='job_open_of_watch'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('claim__isnull', True), ('ended_at__isnull', True), ('status', 'pending')), models.Q(('claim__isnull', False), ('ended_at__isnull', True), ('lease_until__isnull', False), ('status', 'processing')), models.Q(('ended_at__isnull', False), ('status__in', ['complete', 'failed'])), _connector='OR'), name='job_fits_its_status'),
        ),
        migrations.AddConstraint(
            model_name='watchbaseline',
            constraint=models.UniqueConstraint(fields=('watch', 'kind'), name='watch_baseline_once'),
        ),
        migrations.AddIndex(
            model_name='watchcheck',
            index=models.Index(fields=['watch', '-id'], name='watch_check_by_watch'),
        ),
        migrations.AddIndex(
            model_name='watchcheck',
            index=models.Index(fields=['watch', 'created_at'], name='watch_check_by_month'),
        ),
        migrations.AddIndex(
            model_name='watchcheck',
            index=models.Index(condition=models.Q(('ended_at__isnull', True)), fields=['id'], name='watch_check_open'),
        ),
        migrations.AddConstraint(
            model_name='watchcheck',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('watch', 'kind'), name='watch_check_one_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='watchcheck',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('result', '')), models.Q(('ended_at__isnull', False), models.Q(('result', ''), _negated=True)), _connector='OR'), name='watch_check_ends_with_a_result'),
        ),
        migrations.AddIndex(
            model_name='watchevent',
            index=models.Index(fields=['watch', 'number'], name='watch_event_by_watch'),
        ),
        migrations.AddIndex(
            model_name='watchevent',
            index=models.Index(condition=models.Q(('mailed_at__isnull', True)), fields=['account'], name='watch_event_not_mailed'),
        ),
        migrations.AddConstraint(
            model_name='watchevent',
            constraint=models.UniqueConstraint(fields=('account', 'sandbox', 'number'), name='watch_event_once_per_number'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['next_at'], name='delivery_due'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('claim__isnull', False)), fields=['lease_until'], name='delivery_at_work'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['created_at'], name='delivery_by_time'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['account', 'livemode', 'created_at'], name='delivery_by_account_and_time'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('job', 'event', 'channel'), name='delivery_once_per_job'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('bulk', 'event', 'channel'), name='delivery_once_per_bulk'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('watch_event', 'channel'), name='delivery_once_per_watch_event'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('delivered_at__isnull', True), ('next_at__isnull', False), ('status', 'pending')), models.Q(('claim__isnull', True), ('delivered_at__isnull', False), ('next_at__isnull', True), ('status', 'delivered')), models.Q(('claim__isnull', True), ('delivered_at__isnull', True), ('next_at__isnull', True), ('status', 'given_up')), _connector='OR'), name='delivery_fits_its_status'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('bulk__isnull', True), ('event__startswith', 'lookup.'), ('job__isnull', False), ('watch_event__isnull', True)), models.Q(('bulk__isnull', False), ('event__startswith', 'bulk.'), ('job__isnull', True), ('watch_event__isnull', True)), models.Q(('bulk__isnull', True), ('event__in', ['watch.changed', 'watch.unchanged', 'watch.paused']), ('job__isnull', True), ('watch_event__isnull', False)), models.Q(('bulk__isnull', True), ('event__in', ['webhook.test', 'watch.digest']), ('job__isnull', True), ('watch_event__isnull', True)), _connector='OR'), name='delivery_tells_of_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='webhooksecret',
            constraint=models.UniqueConstraint(condition=models.Q(('signs_until__isnull', True)), fields=('account', 'livemode'), name='webhook_secret_one_in_use'),
        ),
        migrations.RunPython(versions.protect, versions.unprotect),
        migrations.RunPython(reasons.lift, reasons.protect_as_before),
        migrations.RunPython(reasons.protect, reasons.lift),
        migrations.RunPython(slugs.keep_from_now_on, slugs.keep_no_more),
        migrations.RunPython(evidence.protect, evidence.unprotect),
    ]
