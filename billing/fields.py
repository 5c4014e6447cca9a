"""Form fields for money and networks, without a look of their own: the admin and the workspace give them theirs."""

from __future__ import annotations

from typing import Any

from django import forms

from billing import money, networks


class DollarsField(forms.DecimalField):
    """Dollars with up to four decimals; its value is whole units of 1/10,000 USD."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**{"max_digits": 12, "decimal_places": 4, **named})

    def prepare_value(self, value: Any) -> Any:
        """What stands in the form at first: whole units come from the row, anything else was typed."""
        return money.to_dollars(value) if isinstance(value, int) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether another sum was typed."""
        return super().has_changed(self.prepare_value(initial), data)

    def clean(self, value: Any) -> int | None:
        """The units; None where nothing was typed."""
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * money.UNITS_PER_DOLLAR)


class NetworksField(forms.CharField):
    """Networks, one a line; its value is the list of them."""

    def __init__(self, **named: Any) -> None:
        text = "The only networks it may be used from, one a line, such as 192.0.2.0/24. Empty: everywhere."
        super().__init__(**{"required": False, "help_text": text, "widget": forms.Textarea(), **named})

    def prepare_value(self, value: Any) -> Any:
        """What stands in the form at first is from the row, anything else was typed."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """The networks in their one spelling."""
        try:
            read = [networks.read(one) for one in (value or "").split()]
        except ValueError as wrong:
            raise forms.ValidationError(str(wrong)) from None
        if len(read) > networks.MOST:
            raise forms.ValidationError(f"At most {networks.MOST} networks.")
        return read
