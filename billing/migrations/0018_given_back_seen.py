from django.db import migrations, models


class Migration(migrations.Migration):
    """What staff has given back by hand was seen on the chain, or not yet."""

    dependencies = [
        ('billing', '0017_customers_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='reversal',
            name='seen_at',
            field=models.DateTimeField(blank=True, help_text='When the transfer that gave a payment back was seen on the chain; empty: not.', null=True),
        ),
        migrations.AlterField(
            model_name='difference',
            name='name',
            field=models.CharField(choices=[('account_sums', 'The sums of an account are not those of its entries and holds.'), ('month_changed', 'A closed month comes to something else than when it was closed.'), ('topup_not_booked', 'A paid top-up was not credited.'), ('payment_not_booked', 'A paid payment is not in the ledger.'), ('payment_not_charged', 'What a payment bought was delivered, and its sale is not booked.'), ('deposit_without_payment', 'Credit for a payment that there is not.'), ('deposit_twice', 'One payment was credited twice.'), ('deposit_differs', 'A payment was credited with another amount.'), ('grant_without_operator', "Credit of the staff's that nobody answers for."), ('free_grant_twice', 'An account got its free lookups more than once.'), ('refund_without_charge', 'Credit given back for no charge, or more than was charged.'), ('reversal_without_payment', 'Credit was taken back of a payment that there is not.'), ('reversal_differs', 'What was taken back is not what refunds and disputes come to.'), ('lookup_not_charged', 'A lookup that costs something is not charged in the ledger.'), ('lookup_charged_twice', 'One lookup was charged more than once.'), ('lookup_charge_differs', 'A lookup was charged with another amount than it says.'), ('charge_without_lookup', 'A charge for which nothing was sold.'), ('payment_without_lookup', 'A payment counts as delivered, and there is no answer.'), ('card_charge_not_credited', 'The card provider took money that nobody has got.'), ('card_charge_differs', 'The card provider took another amount than was credited.'), ('card_credit_unknown', 'Credited by card, and the card provider knows nothing of it.'), ('card_refund_unheard', 'The card provider gave back more than we heard of.'), ('card_dispute_unheard', 'A dispute moved money at the card provider unheard by us.'), ('card_reversal_unknown', 'Taken back here, and the card provider knows nothing of it.'), ('transfer_without_payment', 'A transfer to our address that is no payment of ours.'), ('transfer_differs', 'A transfer of another amount than its payment.'), ('payment_without_transfer', 'A paid payment whose transfer is not on the chain.'), ('given_back_differs', 'Given back by staff, and the chain shows no such transfer.')], max_length=30),
        ),
    ]
