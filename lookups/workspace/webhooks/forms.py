"""Where webhooks of a mode go."""

from __future__ import annotations

import uuid

from django import forms
from django.conf import settings

from lookups.notifications import webhook_addresses


class AddressForm(forms.Form):
    """An https address on the public internet, or nothing.

    A first sieve, by its spelling; what its name leads to is judged whenever something is sent there.
    """

    address = forms.CharField(
        label="Address",
        required=False,
        max_length=webhook_addresses.LONGEST,
        widget=forms.URLInput(attrs={"placeholder": "https://hooks.example.com/sos", "spellcheck": "false"}),
        help_text="An https address on the public internet. Empty: nothing is sent.",
    )

    def clean_address(self) -> str:
        """The address, as it is written."""
        address: str = self.cleaned_data["address"].strip()
        try:
            if address:
                webhook_addresses.read(address, to_loopback=settings.WEBHOOKS_TO_LOOPBACK)
        except webhook_addresses.Refused as refused:
            raise forms.ValidationError(f"Send an https address on the public internet: {refused}.") from None
        return address


class SecretForm(forms.Form):
    """That a new secret is meant; `named` makes a form that is sent twice one secret."""

    named = forms.UUIDField(widget=forms.HiddenInput(), required=False, initial=uuid.uuid4)
