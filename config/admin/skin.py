"""Where the admin's skin is mended: colors and styles that our policy refuses, and lists that take any number."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold import admin, fields, forms

from jurisdictions.bounded import CarefulChangeList

MOST_TEXT = 20_000  # characters of one value; a record that is meant to do harm has millions


def leave_out_colors(request: HttpRequest) -> dict[str, Any]:
    """They are in our style sheet (lookups/admin.css)."""
    return {"colors": {}}


def write_json(value: Any, encoder: Any) -> SafeString:
    """A value as text that is read line by line, cut where it does not end."""
    text = json.dumps(value, sort_keys=True, indent=2, cls=encoder)
    more = f"\n… {len(text) - MOST_TEXT:,} more characters" if len(text) > MOST_TEXT else ""
    return format_html('<pre class="sos-text" tabindex="0">{}{}</pre>', text[:MOST_TEXT], more)


class ReadField(fields.UnfoldAdminReadonlyField):
    """What is read and not typed: a row that it names is a link only for who may follow it."""

    def get_admin_url(self, remote_field: Any, remote_obj: Any) -> str:
        """The link, or the name alone; an inline's form knows nobody who reads it."""
        reader: HttpRequest | None = getattr(self.form, "reader", None)
        shown = self.model_admin.admin_site._registry.get(remote_field.model)
        if reader and shown and not shown.has_view_permission(reader):
            return str(remote_obj)
        return str(super().get_admin_url(remote_field, remote_obj))


def _read_by(get_form: Callable[..., Any]) -> Callable[..., Any]:
    """Have the forms of a page, which are made anew for each request, know whose request it is."""

    @wraps(get_form)
    def get(self: Any, request: HttpRequest, *args: Any, **named: Any) -> Any:
        form = get_form(self, request, *args, **named)
        form.reader = request
        return form

    return get


def mend() -> None:
    """Have the skin write JSON, make lists and lead to other rows as we do: it offers no setting for that."""
    fields.prettify_json = write_json
    admin.ChangeList = CarefulChangeList
    forms.UnfoldAdminReadonlyField = ReadField
    admin.ModelAdmin.get_form = _read_by(admin.ModelAdmin.get_form)
