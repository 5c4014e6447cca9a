"""What the reconciliation finds between the ledger and what it stands for; each kind has a name and a runbook line."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Difference(models.Model):
    """One thing that differs: open until a reconciliation that looks at it again does not find it any more."""

    class Name(models.TextChoices):
        """The closed list; the label tells the operator what is the matter."""

        # The ledger in itself, and beside our own rows
        ACCOUNT_SUMS = "account_sums", "The sums of an account are not those of its entries and holds."
        MONTH_CHANGED = "month_changed", "A closed month comes to something else than when it was closed."
        TOPUP_NOT_BOOKED = "topup_not_booked", "A paid top-up was not credited."
        PAYMENT_NOT_BOOKED = "payment_not_booked", "A paid payment is not in the ledger."
        PAYMENT_NOT_CHARGED = "payment_not_charged", "What a payment bought was delivered, and its sale is not booked."
        DEPOSIT_WITHOUT_PAYMENT = "deposit_without_payment", "Credit for a payment that there is not."
        DEPOSIT_TWICE = "deposit_twice", "One payment was credited twice."
        DEPOSIT_DIFFERS = "deposit_differs", "A payment was credited with another amount."
        GRANT_WITHOUT_OPERATOR = "grant_without_operator", "Credit of the staff's that nobody answers for."
        FREE_GRANT_TWICE = "free_grant_twice", "An account got its free lookups more than once."
        REFUND_WITHOUT_CHARGE = "refund_without_charge", "Credit given back for no charge, or more than was charged."
        REVERSAL_WITHOUT_PAYMENT = "reversal_without_payment", "Credit was taken back of a payment that there is not."
        REVERSAL_DIFFERS = "reversal_differs", "What was taken back is not what refunds and disputes come to."
        LOOKUP_NOT_CHARGED = "lookup_not_charged", "A lookup that costs something is not charged in the ledger."
        LOOKUP_CHARGED_TWICE = "lookup_charged_twice", "One lookup was charged more than once."
        LOOKUP_CHARGE_DIFFERS = "lookup_charge_differs", "A lookup was charged with another amount than it says."
        CHARGE_WITHOUT_LOOKUP = "charge_without_lookup", "A charge for which nothing was sold."
        PAYMENT_WITHOUT_LOOKUP = "payment_without_lookup", "A payment counts as delivered, and there is no answer."
        # The ledger beside the card provider
        CARD_CHARGE_NOT_CREDITED = "card_charge_not_credited", "The card provider took money that nobody has got."
        CARD_CHARGE_DIFFERS = "card_charge_differs", "The card provider took another amount than was credited."
        CARD_CREDIT_UNKNOWN = "card_credit_unknown", "Credited by card, and the card provider knows nothing of it."
        CARD_REFUND_UNHEARD = "card_refund_unheard", "The card provider gave back more than we heard of."
        CARD_DISPUTE_UNHEARD = "card_dispute_unheard", "A dispute moved money at the card provider unheard by us."
        CARD_REVERSAL_UNKNOWN = "card_reversal_unknown", "Taken back here, and the card provider knows nothing of it."
        # The ledger beside the chain
        TRANSFER_WITHOUT_PAYMENT = "transfer_without_payment", "A transfer to our address that is no payment of ours."
        TRANSFER_DIFFERS = "transfer_differs", "A transfer of another amount than its payment."
        PAYMENT_WITHOUT_TRANSFER = "payment_without_transfer", "A paid payment whose transfer is not on the chain."
        GIVEN_BACK_DIFFERS = "given_back_differs", "Given back by staff, and the chain shows no such transfer."

    COUNTS = frozenset({"account", "grants", "charges", "entries", "token_units"})  # of `numbers`, what is no money

    name = models.CharField(max_length=30, choices=Name.choices)
    subject = models.CharField(max_length=300, help_text="What differs, as the admin or the provider calls it.")
    numbers = models.JSONField(default=dict, help_text="Both sides, in 1/10,000 USD where it is money.")
    happened_at = models.DateTimeField(null=True, help_text="When what differs was made; empty: looked at every time.")
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True, help_text="When a reconciliation did not find it any more.")
    note = models.CharField(max_length=500, blank=True, default="", help_text="What is known of it, for the next one.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["name", "subject"], condition=Q(gone_at=None), name="difference_open_once")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.subject}"
