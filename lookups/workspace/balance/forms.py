"""How much is bought, and how much a month may cost."""

from __future__ import annotations

from django import forms

from billing import budgets, topups
from billing.fields import DollarsField

FIRST_OFFER = "31.40"


class TopUpForm(forms.Form):
    """How much; `clean` makes whole units of it."""

    amount = DollarsField(
        label="Amount in USD",
        max_digits=8,
        decimal_places=2,
        initial=FIRST_OFFER,
        help_text="From 0.50 to 10,000.00 USD.",
    )

    def clean_amount(self) -> int:
        """An amount that is sold."""
        amount: int = self.cleaned_data["amount"]
        try:
            topups.to_cents(amount)
        except ValueError:
            raise forms.ValidationError("From 0.50 to 10,000 USD, in whole cents.") from None
        return amount


class BudgetForm(forms.Form):
    """The most that the account may spend in a month."""

    monthly_budget = DollarsField(
        label="Monthly budget in USD",
        required=False,
        min_value=0,
        max_value=budgets.MOST,
        help_text="The most that all keys and people together may spend in a month (UTC). Empty: no limit.",
    )
