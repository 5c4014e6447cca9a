"""The tables of billing as they are now, which a new installation makes in one step.

An older one comes by the migrations that this one replaces, and ends with the same (tests/upgrades/test_one_step.py).
"""

import django.db.models.deletion
import django.db.models.expressions
import uuid
from django.conf import settings
from django.db import migrations, models

from billing import append_only
from jurisdictions.new_tables import at_once

BOOKS = [
    append_only.ENTRIES,
    append_only.ANCHORS,
    append_only.RECONCILIATIONS,
    append_only.MONTHS,
    append_only.RECEIPTS,
    append_only.AUDIT,
]


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, BOOKS)


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, BOOKS)


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('billing', '0001_initial'),
        ('billing', '0002_append_only'),
        ('billing', '0003_payments'),
        ('billing', '0004_waiting_events'),
        ('billing', '0005_american_spelling'),
        ('billing', '0006_test_webhook_url'),
        ('billing', '0007_request_ids'),
        ('billing', '0008_ledger_chain'),
        ('billing', '0009_waiting_grants'),
        ('billing', '0010_payments_taken_up_again'),
        ('billing', '0011_reversals'),
        ('billing', '0012_books'),
        ('billing', '0013_differences'),
        ('billing', '0014_given_back'),
        ('billing', '0015_audit'),
        ('billing', '0016_roles'),
        ('billing', '0017_customers_keys'),
        ('billing', '0018_given_back_seen'),
        ('billing', '0019_members'),
        ('billing', '0020_sign_in_links'),
        ('billing', '0022_outage_refunds'),
        ('billing', '0023_low_balance'),
        ('billing', '0024_growing_tables'),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = at_once([
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
        migrations.CreateModel(
            name='FreeGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('given_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='LedgerAnchor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField()),
                ('last_entry', models.BigIntegerField(help_text='The highest number of an entry that could be seen.')),
                ('heads', models.JSONField(default=list, help_text="[account, its last entry, that entry's hash], by account.")),
                ('audit', models.JSONField(blank=True, help_text='[last audit event, its hash], where one is new.', null=True)),
                ('previous_hash', models.CharField(blank=True, default='', max_length=64, unique=True)),
                ('hash', models.CharField(max_length=64)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
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
            name='ProviderEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.CharField(max_length=255, unique=True)),
                ('kind', models.CharField(max_length=100)),
                ('outcome', models.CharField(blank=True, default='', max_length=100)),
                ('received_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='RateWindow',
            fields=[
                ('subject', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('window', models.BigIntegerField(help_text='Start of the window, epoch seconds.')),
                ('count', models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='Reconciliation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ran_at', models.DateTimeField()),
                ('accounts', models.IntegerField()),
                ('mismatches', models.JSONField(default=list, help_text='One object per account that does not add up.')),
                ('differences', models.IntegerField(help_text='How many differences were open after it.', null=True)),
                ('since', models.DateTimeField(help_text='Rows before that were not read one by one; empty: all were.', null=True)),
                ('provider_until', models.DateTimeField(help_text='How far the card provider was compared; empty: not.', null=True)),
                ('chain_until', models.BigIntegerField(help_text='The last block that was compared; empty: none.', null=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='SignInLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('sealed', models.TextField(blank=True, default='', editable=False)),
                ('next', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('mailed_at', models.DateTimeField(null=True)),
                ('used_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'sign-in link',
                'ordering': ['-id'],
                'permissions': [('show_signinlink', 'Can see a link that signs in as a customer')],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('email', models.EmailField(blank=True, default='', max_length=254)),
                ('kind', models.CharField(choices=[('user', 'user'), ('internal', 'internal (never charged)')], default='user', max_length=10)),
                ('role', models.CharField(editable=False, help_text='Set for an account the service keeps itself.', max_length=30, null=True, unique=True)),
                ('is_active', models.BooleanField(default=True, help_text='Off: every key of this account is refused.')),
                ('created_at', models.DateTimeField()),
                ('max_cache_age_days', models.PositiveIntegerField(blank=True, help_text="How old a stored record may be; empty: the service's default.", null=True)),
                ('cache_first_default', models.BooleanField(default=False, help_text='Answer from stored records unless asked otherwise.')),
                ('webhook_url', models.URLField(blank=True, default='', max_length=500)),
                ('test_webhook_url', models.URLField(blank=True, default='', help_text='Where what was asked with test keys is told.', max_length=500)),
                ('monthly_budget', models.BigIntegerField(blank=True, help_text='The most this account may spend in a month (UTC), in 1/10,000 USD; empty: no limit.', null=True)),
                ('low_balance', models.BigIntegerField(blank=True, default=31400, help_text='A mail goes out when less than this is left, in 1/10,000 USD; empty: none.', null=True)),
                ('available', models.BigIntegerField(default=0, editable=False)),
                ('held', models.BigIntegerField(default=0, editable=False)),
                ('spent', models.BigIntegerField(default=0, editable=False)),
                ('deposited', models.BigIntegerField(default=0, editable=False)),
                ('ledger_head', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('budget_month', models.DateField(editable=False, null=True)),
                ('budget_used', models.BigIntegerField(default=0, editable=False)),
                ('last_entry_at', models.DateTimeField(editable=False, null=True)),
                ('is_above_low', models.BooleanField(db_default=False, default=False, editable=False, help_text='No mail since it had enough.')),
                ('owing_told_at', models.DateTimeField(editable=False, help_text='When its owner was told.', null=True)),
            ],
            options={
                'ordering': ['id'],
                'permissions': [('move_money', 'Can grant credit, refund and adjust balances')],
                'constraints': [models.CheckConstraint(condition=models.Q(('held__gte', 0)), name='account_held_not_negative'), models.CheckConstraint(condition=models.Q(('spent__gte', 0)), name='account_spent_not_negative'), models.CheckConstraint(condition=models.Q(('deposited', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('available'), '+', models.F('held')), '+', models.F('spent')))), name='account_sums_agree'), models.CheckConstraint(condition=models.Q(('kind__in', ['user', 'internal'])), name='account_kind_known'), models.CheckConstraint(condition=models.Q(('monthly_budget__isnull', True), ('monthly_budget__gte', 0), _connector='OR'), name='account_budget_not_negative'), models.CheckConstraint(condition=models.Q(('low_balance__isnull', True), ('low_balance__gte', 0), _connector='OR'), name='account_low_balance_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('mode', models.CharField(choices=[('live', 'live'), ('test', 'test')], default='live', max_length=4)),
                ('prefix', models.CharField(help_text='The first characters of the secret, enough to recognize it.', max_length=20)),
                ('secret_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('scopes', models.JSONField(blank=True, default=list, help_text='lookup, bulk, names, account, keys; empty: all.')),
                ('allowed_networks', models.JSONField(blank=True, default=list, help_text='Where it may be used from, such as 192.0.2.0/24; empty: everywhere.')),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('is_workspace', models.BooleanField(default=False, editable=False, help_text='On: what members do in the workspace is asked with it; it has no secret, so no program can use it.')),
                ('rate_limit_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: the service's default.", null=True)),
                ('concurrent_lookups', models.PositiveIntegerField(blank=True, help_text="Empty: the service's default.", null=True)),
                ('monthly_budget', models.BigIntegerField(blank=True, help_text='The most this key may spend in a month (UTC), in 1/10,000 USD; empty: no limit.', null=True)),
                ('budget_month', models.DateField(editable=False, null=True)),
                ('budget_used', models.BigIntegerField(default=0, editable=False)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='billing.account')),
                ('replaces', models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='billing.apikey')),
            ],
            options={
                'verbose_name': 'API key',
                'ordering': ['id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('mode__in', ['live', 'test'])), name='key_mode_known'),
                    models.CheckConstraint(condition=models.Q(('monthly_budget__isnull', True), ('monthly_budget__gte', 0), _connector='OR'), name='key_budget_not_negative'),
                    models.UniqueConstraint(condition=models.Q(('is_workspace', True)), fields=('account', 'mode'), name='key_one_workspace'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('kind', models.CharField(choices=[('signed_in', 'signed in'), ('sign_in_failed', 'sign-in failed'), ('locked_out', 'locked out'), ('signed_out', 'signed out'), ('confirmed', 'confirmed who it is'), ('factor_added', 'second factor added'), ('factor_removed', 'second factor removed'), ('key_issued', 'key issued'), ('key_rotated', 'key rotated'), ('key_revoked', 'key revoked'), ('secret_made', 'webhook secret made'), ('money_moved', 'money moved'), ('budget_set', 'budget set'), ('switched', 'jurisdiction switched'), ('user_changed', 'user changed'), ('role_changed', 'role changed'), ('settings_changed', 'settings changed'), ('member_invited', 'member invited'), ('member_joined', 'member joined'), ('member_changed', 'member changed'), ('member_removed', 'member removed'), ('link_shown', 'sign-in link shown'), ('evidence_seen', 'evidence seen'), ('done', 'done')], max_length=20)),
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
        migrations.CreateModel(
            name='ConcurrencySlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=100)),
                ('number', models.IntegerField()),
                ('token', models.CharField(blank=True, default='', max_length=32)),
                ('lease_until', models.FloatField(default=0, help_text='Epoch seconds; in the past: free.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('subject', 'number'), name='slot_once_per_number')],
            },
        ),
        migrations.CreateModel(
            name='DaySum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('kind', models.CharField(max_length=10)),
                ('source', models.CharField(blank=True, max_length=30)),
                ('reason', models.CharField(blank=True, max_length=60)),
                ('up', models.BigIntegerField(help_text='Of the amounts above zero, in 1/10,000 USD.')),
                ('down', models.BigIntegerField(help_text='Of those below.')),
                ('available', models.BigIntegerField(help_text='By how much they changed what is available.')),
                ('held', models.BigIntegerField(help_text='By how much they changed what is held.')),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('day', 'kind', 'source', 'reason'), name='day_sum_once')],
            },
        ),
        migrations.CreateModel(
            name='Difference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(choices=[('account_sums', 'The sums of an account are not those of its entries and holds.'), ('month_changed', 'A closed month comes to something else than when it was closed.'), ('topup_not_booked', 'A paid top-up was not credited.'), ('payment_not_booked', 'A paid payment is not in the ledger.'), ('payment_not_charged', 'What a payment bought was delivered, and its sale is not booked.'), ('deposit_without_payment', 'Credit for a payment that there is not.'), ('deposit_twice', 'One payment was credited twice.'), ('deposit_differs', 'A payment was credited with another amount.'), ('grant_without_operator', "Credit of the staff's that nobody answers for."), ('free_grant_twice', 'An account got its free lookups more than once.'), ('refund_without_charge', 'Credit given back for no charge, or more than was charged.'), ('reversal_without_payment', 'Credit was taken back of a payment that there is not.'), ('reversal_differs', 'What was taken back is not what refunds and disputes come to.'), ('lookup_not_charged', 'A lookup that costs something is not charged in the ledger.'), ('lookup_charged_twice', 'One lookup was charged more than once.'), ('lookup_charge_differs', 'A lookup was charged with another amount than it says.'), ('charge_without_lookup', 'A charge for which nothing was sold.'), ('payment_without_lookup', 'A payment counts as delivered, and there is no answer.'), ('card_charge_not_credited', 'The card provider took money that nobody has got.'), ('card_charge_differs', 'The card provider took another amount than was credited.'), ('card_credit_unknown', 'Credited by card, and the card provider knows nothing of it.'), ('card_refund_unheard', 'The card provider gave back more than we heard of.'), ('card_dispute_unheard', 'A dispute moved money at the card provider unheard by us.'), ('card_reversal_unknown', 'Taken back here, and the card provider knows nothing of it.'), ('transfer_without_payment', 'A transfer to our address that is no payment of ours.'), ('transfer_differs', 'A transfer of another amount than its payment.'), ('payment_without_transfer', 'A paid payment whose transfer is not on the chain.'), ('given_back_differs', 'Given back by staff, and the chain shows no such transfer.')], max_length=30)),
                ('subject', models.CharField(help_text='What differs, as the admin or the provider calls it.', max_length=300)),
                ('numbers', models.JSONField(default=dict, help_text='Both sides, in 1/10,000 USD where it is money.')),
                ('happened_at', models.DateTimeField(help_text='When what differs was made; empty: looked at every time.', null=True)),
                ('first_seen_at', models.DateTimeField()),
                ('last_seen_at', models.DateTimeField()),
                ('gone_at', models.DateTimeField(help_text='When a reconciliation did not find it any more.', null=True)),
                ('note', models.CharField(blank=True, default='', help_text='What is known of it, for the next one.', max_length=500)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('gone_at', None)), fields=('name', 'subject'), name='difference_open_once')],
            },
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.BigIntegerField(help_text='What was asked for, in 1/10,000 USD.')),
                ('remaining', models.BigIntegerField(help_text='Neither captured nor given back yet, in 1/10,000 USD.')),
                ('is_free', models.BooleanField(default=False, help_text='Held for an internal account: nothing is charged.')),
                ('state', models.CharField(choices=[('open', 'open'), ('captured', 'captured'), ('released', 'released'), ('expired', 'expired')], default='open', max_length=8)),
                ('reference', models.CharField(blank=True, default='', max_length=200)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='holds', to='billing.account')),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.apikey')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(condition=models.Q(('state', 'open')), fields=['expires_at'], name='hold_open_by_expiry'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount__gte', models.F('remaining')), ('remaining__gte', 0)), name='hold_remaining_within_amount'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('state', 'open')), models.Q(('ended_at__isnull', False), ('remaining', 0), ('state__in', ['captured', 'released', 'expired'])), _connector='OR'), name='hold_ended_holds_nothing'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('role', models.CharField(choices=[('viewer', 'viewer'), ('member', 'member'), ('admin', 'admin'), ('owner', 'owner')], default='member', max_length=6)),
                ('invited_by', models.CharField(blank=True, default='', editable=False, max_length=254)),
                ('created_at', models.DateTimeField(editable=False)),
                ('mailed_at', models.DateTimeField(editable=False, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='billing.account')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'email'), name='invitation_once_an_account'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('deposit', 'deposit'), ('free_grant', 'free lookups'), ('hold', 'hold'), ('capture', 'capture'), ('release', 'release'), ('charge', 'charge'), ('refund', 'refund'), ('adjust', 'adjustment'), ('reversal', 'reversal')], max_length=10)),
                ('amount', models.BigIntegerField(help_text='In 1/10,000 USD; negative only where an adjustment or a reversal takes.')),
                ('available_change', models.BigIntegerField(default=0)),
                ('held_change', models.BigIntegerField(default=0)),
                ('spent_change', models.BigIntegerField(default=0)),
                ('available_after', models.BigIntegerField()),
                ('held_after', models.BigIntegerField()),
                ('spent_after', models.BigIntegerField()),
                ('created_at', models.DateTimeField()),
                ('idempotency_key', models.CharField(max_length=200)),
                ('fingerprint', models.CharField(help_text='Tells a repeated request from another one under its key.', max_length=64)),
                ('reference', models.CharField(blank=True, default='', max_length=200)),
                ('request_id', models.CharField(blank=True, default='', help_text='Of the request that asked for the work; empty: of none.', max_length=64)),
                ('source', models.CharField(blank=True, default='', help_text='Where a deposit came from.', max_length=30)),
                ('operator', models.CharField(blank=True, default='', help_text='The person who moved the money.', max_length=150)),
                ('reason', models.CharField(blank=True, default='', max_length=60)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
                ('previous_hash', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('hash', models.CharField(default='', editable=False, max_length=64)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='billing.account')),
                ('hold', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='billing.hold')),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.apikey')),
                ('refunds', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refunded_by', to='billing.ledgerentry')),
            ],
            options={
                'verbose_name_plural': 'ledger entries',
                'ordering': ['-id'],
                'indexes': [
                    models.Index(fields=['account', 'id', 'kind', 'available_change', 'held_change'], name='entry_by_account'),
                    models.Index(fields=['account', 'created_at', 'id'], name='entry_of_account_by_time'),
                    models.Index(fields=['created_at'], name='entry_by_time'),
                    models.Index(condition=models.Q(('kind', 'refund')), fields=['account', 'created_at'], name='entry_of_refund'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'idempotency_key'), name='entry_once_per_key'),
                    models.CheckConstraint(condition=models.Q(models.Q(('amount__gte', 0), ('available_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(1))), ('held_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0))), ('kind__in', ['deposit', 'free_grant']), ('spent_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0)))), models.Q(('amount__gte', 0), ('available_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(-1))), ('held_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(1))), ('kind__in', ['hold']), ('spent_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0)))), models.Q(('amount__gte', 0), ('available_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0))), ('held_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(-1))), ('kind__in', ['capture']), ('spent_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(1)))), models.Q(('amount__gte', 0), ('available_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(1))), ('held_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(-1))), ('kind__in', ['release']), ('spent_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0)))), models.Q(('amount__gte', 0), ('available_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(-1))), ('held_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0))), ('kind__in', ['charge']), ('spent_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(1)))), models.Q(('amount__gte', 0), ('available_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(1))), ('held_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(0))), ('kind__in', ['refund']), ('spent_change', django.db.models.expressions.CombinedExpression(models.F('amount'), '*', models.Value(-1)))), models.Q(('available_change', models.F('amount')), ('held_change', 0), ('kind__in', ['adjust', 'reversal']), ('spent_change', 0)), _connector='OR'), name='entry_moves_as_its_kind'),
                    models.CheckConstraint(condition=models.Q(('held_after__gte', 0), ('spent_after__gte', 0), models.Q(('available_after__gte', 0), ('amount', 0), models.Q(('kind__in', ['hold', 'charge']), _negated=True), _connector='OR')), name='entry_buys_nothing_on_debt'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'viewer'), ('member', 'member'), ('admin', 'admin'), ('owner', 'owner')], default='member', max_length=6)),
                ('joined_at', models.DateTimeField()),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='members', to='billing.account')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'account'), name='member_once_an_account'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['viewer', 'member', 'admin', 'owner'])), name='member_role_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='MemberSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('livemode', models.BooleanField(default=True, help_text='Off: the sandbox is worked in.')),
                ('began_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
                ('address', models.CharField(blank=True, default='', max_length=50)),
                ('browser', models.CharField(blank=True, default='', max_length=200)),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='billing.member')),
            ],
            options={
                'ordering': ['-seen_at'],
                'default_permissions': ('view', 'delete'),
            },
        ),
        migrations.CreateModel(
            name='OutageRefund',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(help_text='Which lookups, in words.', max_length=300)),
                ('charges', models.JSONField(editable=False, help_text='The ledger entries to be given back, in their order.')),
                ('count', models.PositiveIntegerField(help_text='How many charges.')),
                ('accounts', models.PositiveIntegerField(help_text='Of how many accounts.')),
                ('amount', models.BigIntegerField(help_text='What they came to when it was confirmed, in 1/10,000 USD.')),
                ('refunded', models.BigIntegerField(default=0, help_text='What was given back, in 1/10,000 USD.')),
                ('position', models.PositiveIntegerField(default=0, editable=False, help_text='So many charges are seen to.')),
                ('reason', models.CharField(max_length=60)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
                ('token', models.CharField(editable=False, help_text='Confirmed twice, it is one act.', max_length=200, unique=True)),
                ('asked_by', models.CharField(max_length=150)),
                ('asked_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('waiting', 'waits for a second person'), ('under_way', 'under way'), ('done', 'done'), ('rejected', 'rejected')], max_length=9)),
                ('decided_by', models.CharField(blank=True, default='', help_text='Empty: nobody else was needed.', max_length=150)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'under_way'])), fields=['asked_at'], name='outage_refund_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='outage_refund_of_something'), models.CheckConstraint(condition=models.Q(('refunded__lte', models.F('amount'))), name='outage_refund_within_amount'), models.CheckConstraint(condition=models.Q(('state', 'rejected'), models.Q(('decided_by', models.F('asked_by')), _negated=True), _connector='OR'), name='outage_refund_by_a_second_person'), models.CheckConstraint(condition=models.Q(models.Q(('done_at__isnull', False), ('state', 'done')), models.Q(models.Q(('state', 'done'), _negated=True), ('done_at__isnull', True)), _connector='OR'), name='outage_refund_done_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('request_hash', models.CharField(blank=True, default='', editable=False, help_text='Tells this credential with this very body.', max_length=64)),
                ('request_key', models.CharField(editable=False, help_text="Its payer's Idempotency-Key, for a day.", max_length=64, null=True, unique=True)),
                ('body_hash', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('challenge_id', models.CharField(max_length=64, unique=True)),
                ('proof_hash', models.CharField(max_length=64, unique=True)),
                ('method', models.CharField(max_length=30)),
                ('purpose', models.CharField(choices=[('lookup', 'one lookup'), ('topup', 'a top-up')], max_length=10)),
                ('is_sandbox', models.BooleanField(default=False, help_text='Pretended: nothing moved, and only the sandbox answers.')),
                ('amount', models.BigIntegerField(help_text='In 1/10,000 USD.')),
                ('taken_back', models.BigIntegerField(default=0, help_text='Refunded or disputed, in 1/10,000 USD.')),
                ('state', models.CharField(choices=[('accepted', 'accepted'), ('settling', 'settling'), ('paid', 'paid'), ('failed', 'failed'), ('unknown', 'unknown'), ('abandoned', 'abandoned')], default='accepted', max_length=10)),
                ('reference', models.CharField(blank=True, default='', help_text="The method's own name for it.", max_length=200)),
                ('proof', models.JSONField(editable=False, help_text='Kept only until the payment has ended.', null=True)),
                ('payer', models.CharField(blank=True, default='', max_length=200)),
                ('detail', models.CharField(blank=True, default='', help_text='For operators.', max_length=500)),
                ('created_at', models.DateTimeField()),
                ('settling_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('delivered_at', models.DateTimeField(blank=True, help_text="When the answer that a lookup's payment bought was there to be read.", null=True)),
                ('account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='billing.account')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(fields=['created_at'], name='payment_by_time'),
                    models.Index(fields=['reference'], name='payment_by_reference'),
                    models.Index(fields=['payer'], name='payment_by_payer'),
                    models.Index(condition=models.Q(('delivered_at__isnull', True), ('purpose', 'lookup'), ('state', 'paid')), fields=['ended_at'], name='payment_undelivered'),
                    models.Index(condition=models.Q(('state__in', ['accepted', 'settling', 'unknown'])), fields=['created_at'], name='payment_open'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='payment_of_something'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['paid', 'failed', 'abandoned']), _negated=True), models.Q(('ended_at__isnull', False), ('proof__isnull', True)), _connector='OR'), name='payment_ended_keeps_no_proof'),
                ],
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
                'constraints': [
                    models.UniqueConstraint(fields=('kind', 'number'), name='receipt_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Reversal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('payment_reference', models.CharField(db_index=True, help_text="The payment's name at its method.", max_length=255)),
                ('kind', models.CharField(choices=[('card_refund', 'card refund'), ('dispute', 'dispute'), ('by_staff', 'entered by staff'), ('given_back', 'given back by staff')], max_length=11)),
                ('name', models.CharField(help_text="A dispute's own name; a payment's for its refunds, which add up.", max_length=255, unique=True)),
                ('amount', models.BigIntegerField(help_text='The most that was heard of, in 1/10,000 USD.')),
                ('withdrawn', models.BooleanField(default=False, help_text='The money has left us. An inquiry moves none.')),
                ('reinstated', models.BooleanField(default=False, help_text='It has come back: the dispute was won.')),
                ('is_settled', models.BooleanField(default=False, help_text='The ledger has it; off: its payment is not credited.')),
                ('heard_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField(blank=True, help_text='When the transfer that gave a payment back was seen on the chain; empty: not.', null=True)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('is_settled', False)), fields=['heard_at'], name='reversal_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='reversal_of_something')],
            },
        ),
        migrations.CreateModel(
            name='TopUp',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.BigIntegerField(help_text='In 1/10,000 USD.')),
                ('state', models.CharField(choices=[('created', 'created'), ('paid', 'paid'), ('expired', 'expired'), ('failed', 'failed'), ('mismatch', 'does not match')], default='created', max_length=8)),
                ('session_id', models.CharField(help_text="The provider's checkout session.", max_length=255, null=True, unique=True)),
                ('payment_intent', models.CharField(max_length=255, null=True, unique=True)),
                ('taken_back', models.BigIntegerField(default=0, help_text='Refunded or disputed, in 1/10,000 USD.')),
                ('created_at', models.DateTimeField()),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='topups', to='billing.account')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(condition=models.Q(('state', 'mismatch')), fields=['id'], name='topup_mismatched'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='topup_of_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WaitingGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('grant', 'grant'), ('adjust', 'adjustment')], max_length=6)),
                ('amount', models.BigIntegerField(help_text='In 1/10,000 USD.')),
                ('reason', models.CharField(max_length=60)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
                ('token', models.CharField(editable=False, help_text='Confirmed twice, it waits once.', max_length=200, unique=True)),
                ('asked_by', models.CharField(max_length=150)),
                ('asked_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('waiting', 'waits for a second person'), ('approved', 'approved'), ('rejected', 'rejected')], default='waiting', max_length=8)),
                ('decided_by', models.CharField(blank=True, default='', max_length=150)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.account')),
                ('entry', models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='waited', to='billing.ledgerentry')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='grant_waits_upwards'),
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by', ''), ('entry__isnull', True), ('state', 'waiting')), models.Q(('decided_at__isnull', False), ('entry__isnull', False), ('state', 'approved'), models.Q(('decided_by', ''), _negated=True)), models.Q(('decided_at__isnull', False), ('entry__isnull', True), ('state', 'rejected'), models.Q(('decided_by', ''), _negated=True)), _connector='OR'), name='grant_fits_its_state'),
                    models.CheckConstraint(condition=models.Q(('decided_by', models.F('asked_by')), ('state', 'approved'), _negated=True), name='grant_needs_a_second_person'),
                ],
            },
        ),
        migrations.RunPython(protect, unprotect),
    ])
