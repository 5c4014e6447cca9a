"""The tables of the jurisdictions as they are now, which a new installation makes in one step.

An older one comes by the migrations that this one replaces, and ends with the same (tests/upgrades/test_one_step.py).
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('jurisdictions', '0001_initial'),
        ('jurisdictions', '0002_contact'),
        ('jurisdictions', '0003_reasons_for_customers'),
        ('jurisdictions', '0004_switch_changes'),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Jurisdiction',
            fields=[
                ('code', models.CharField(max_length=2, primary_key=True, serialize=False)),
                ('enabled', models.BooleanField(default=False, help_text='Whether this registry is asked at all.')),
                ('status', models.CharField(choices=[('active', 'active'), ('degraded', 'degraded'), ('inactive', 'inactive')], default='inactive', max_length=8)),
                ('reason', models.CharField(blank=True, help_text='Why it is off or degraded; shown to customers.', max_length=300)),
                ('note', models.TextField(blank=True, help_text='For operators only.')),
                ('last_tested_at', models.DateTimeField(blank=True, null=True)),
                ('verified_live_at', models.DateTimeField(blank=True, help_text='When a live answer was last confirmed.', null=True)),
                ('contact', models.JSONField(blank=True, editable=False, help_text='What came of asking for its canaries last.', null=True)),
            ],
            options={
                'ordering': ['code'],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ('active', 'degraded', 'inactive'))), name='jurisdiction_status'), models.CheckConstraint(condition=models.Q(('enabled', True), ('status', 'inactive'), _connector='OR'), name='jurisdiction_off_is_inactive')],
            },
        ),
        migrations.CreateModel(
            name='SwitchChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('enabled', models.BooleanField(help_text='How it was left.', verbose_name='on')),
                ('sentence', models.CharField(blank=True, help_text='What customers read from then on, or had read until then.', max_length=300)),
                ('why', models.CharField(blank=True, help_text='For operators: why it was done.', max_length=500)),
                ('terms', models.CharField(blank=True, help_text="What the portal's owner said of programs then.", max_length=1000)),
                ('operator', models.CharField(max_length=150)),
                ('at', models.DateTimeField()),
                ('jurisdiction', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='switch_changes', to='jurisdictions.jurisdiction')),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
                'constraints': [models.CheckConstraint(condition=models.Q(('enabled', True), models.Q(('sentence', ''), _negated=True), _connector='OR'), name='switch_off_says_why_to_customers')],
            },
        ),
    ]
