"""What people have asked to be left out or put right, and what is left out since."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lookups', '0017_former_slugs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
        migrations.AddIndex(
            model_name='removalrequest',
            index=models.Index(fields=['state', 'due_at'], name='removal_request_by_day'),
        ),
        migrations.AddConstraint(
            model_name='removalrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('handled_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('handled_at__isnull', False)), _connector='OR'), name='removal_request_ends_once'),
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
    ]
