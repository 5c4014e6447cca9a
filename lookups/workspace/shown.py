"""What a form was shown with comes back beside what was typed, so that only what its person changed is written.

Somebody else, or the same person in another tab, may have changed the rest since the form was shown: a budget, say.
"""

from __future__ import annotations

from django import forms


def remember(form: forms.Form) -> None:
    """Have `changed_data` of the form mean what has changed since it was shown; else it is compared with the row."""
    for name, field in form.fields.items():
        field.show_hidden_initial = not form.is_bound or form.add_initial_prefix(name) in form.data
