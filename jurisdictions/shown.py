"""A page of the admin that was opened before somebody else changed its row writes only what its person has changed.

What the form was shown with comes back beside what was typed; without it, Django compares with the row as it is by
now, and whoever mends a name would open an account again that was closed meanwhile.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms.models import ModelMultipleChoiceField


class AsShown(forms.ModelForm):  # type: ignore[type-arg]
    """A form of a row that exists; where it adds one there is nothing to compare with."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        exists = self.instance.pk is not None
        comes_back = not self.is_bound or any(self.add_initial_prefix(name) in self.data for name in self.fields)
        for field in self.fields.values():
            # Not of what is only read: the page would show how a password is kept
            field.show_hidden_initial = exists and comes_back and not field.disabled

    def _clean_fields(self) -> None:
        """What was left as it was shown is what the row has by now."""
        super()._clean_fields()  # type: ignore[misc]
        for name, field in self.fields.items():
            if field.show_hidden_initial and name in self.cleaned_data and name not in self.changed_data:
                of_many = isinstance(field, ModelMultipleChoiceField)
                self.cleaned_data[name] = self.initial[name] if of_many else getattr(self.instance, name)
