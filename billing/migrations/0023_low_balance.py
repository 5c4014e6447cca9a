
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('billing', '0022_outage_refunds'),
    ]

    operations = [
        migrations.AddField(
            model_name='account',
            name='is_above_low',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='No mail since it had enough.'),
        ),
        migrations.AddField(
            model_name='account',
            name='low_balance',
            field=models.BigIntegerField(blank=True, default=31400, help_text='A mail goes out when less than this is left, in 1/10,000 USD; empty: none.', null=True),
        ),
        migrations.AddConstraint(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(('low_balance__isnull', True), ('low_balance__gte', 0), _connector='OR'), name='account_low_balance_not_negative'),
        ),
    ]
