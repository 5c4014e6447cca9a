"""What people fill in about a key."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms

from billing import customer_keys, keys
from billing.fields import DollarsField, NetworksField
from billing.models import ApiKey
from lookups.workspace import shown

LONGEST_NAME = 100
LAST_YEAR = 2199
SCOPES = {
    "lookup": "lookups, their jobs and earlier lookups",
    "bulk": "bulk jobs",
    "names": "name checks",
    "watches": "watches, their checks and events, and the lookups these refer to",
    "account": "balance, usage, preferences, top-ups, webhooks",
    "keys": "other keys",
    "reconcile": "reconciling a spreadsheet, alone",
}
MODES = {"live": "Live: asks the registries and is charged", "test": "Test: asks the sandbox and costs nothing"}
OVERLAPS = [("0", "Not at all"), ("3600", "One hour"), ("86400", "One day"), ("604800", "Seven days")]


def _budget() -> DollarsField:
    text = "The most this key may spend in a month (UTC), its predecessors and successors included. Empty: no limit."
    return DollarsField(label="Monthly budget in USD", required=False, min_value=0, help_text=text)


class NewKeyForm(forms.Form):
    """What a new key is for; `named` makes a form that is sent twice one key."""

    name = forms.CharField(max_length=LONGEST_NAME, help_text="Who or what will use it.")
    mode = forms.ChoiceField(widget=forms.RadioSelect())
    scopes = forms.MultipleChoiceField(
        label="What it may be used for",
        choices=[(scope, f"{scope}: {SCOPES[scope]}") for scope in keys.SCOPES],
        required=False,
        widget=forms.CheckboxSelectMultiple(),
        help_text="If none is chosen: everything but reconcile.",
    )
    expires = forms.DateField(
        label="Works until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="It stops working at the beginning of this day (UTC). Empty: it does not expire.",
    )
    allowed_networks = NetworksField(label="Networks", widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}))
    monthly_budget = _budget()
    named = forms.UUIDField(widget=forms.HiddenInput(), required=False)

    def __init__(self, *args: Any, livemode: bool, today: date, **named: Any) -> None:
        super().__init__(*args, **named)
        self.today = today
        modes = MODES if livemode else {"test": MODES["test"]}
        self.fields["mode"].choices = list(modes.items())  # type: ignore[attr-defined]
        self.fields["mode"].initial = next(iter(modes))
        self.fields["named"].initial = uuid.uuid4()

    def clean_scopes(self) -> list[str]:
        """Nobody makes a key for a spreadsheet that the spreadsheet's address refuses."""
        if keys.reconciles_in_vain(self.cleaned_data["scopes"]):
            raise forms.ValidationError(keys.ALONE)
        return list(self.cleaned_data["scopes"])

    def clean_expires(self) -> datetime | None:
        """The moment it ends."""
        day = self.cleaned_data["expires"]
        if day is None:
            return None
        if day <= self.today or day.year > LAST_YEAR:
            raise forms.ValidationError(f"Choose a future day, until {LAST_YEAR}.")
        return datetime.combine(day, time.min, tzinfo=UTC)

    def clean(self) -> None:
        """A test key spends nothing."""
        if self.cleaned_data.get("mode") == ApiKey.Mode.TEST and self.cleaned_data.get("monthly_budget") is not None:
            self.add_error("monthly_budget", "A test key spends nothing, and has no budget.")


class ChangeForm(forms.Form):
    """What can be changed about a key in use; its rights cannot, for another key shows first whether it works."""

    name = forms.CharField(max_length=LONGEST_NAME, help_text="Who or what uses it.")
    monthly_budget = _budget()

    def __init__(self, *args: Any, key: ApiKey, **named: Any) -> None:
        super().__init__(*args, **{"initial": {"name": key.name, "monthly_budget": key.monthly_budget}, **named})
        if key.is_test:
            del self.fields["monthly_budget"]
        shown.remember(self)


class RotateForm(forms.Form):
    """How long the old key works on beside its successor."""

    overlap = forms.TypedChoiceField(
        label="The old key keeps working for",
        choices=OVERLAPS,
        coerce=lambda seconds: timedelta(seconds=int(seconds)),
        initial=f"{round(customer_keys.OVERLAP.total_seconds())}",
        widget=forms.RadioSelect(),
    )
    named = forms.UUIDField(widget=forms.HiddenInput(), required=False)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["named"].initial = uuid.uuid4()
