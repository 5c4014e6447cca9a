"""Where the admin's skin is mended: colors and styles that our policy refuses, and lists that take any number."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold import admin, fields

from jurisdictions.bounded import CarefulChangeList

MOST_TEXT = 20_000  # characters of one value; a record that is meant to do harm has millions


def leave_out_colors(request: HttpRequest) -> dict[str, Any]:
    """They are in our style sheet (lookups/admin.css)."""
    return {"colors": {}}


def write_json(value: Any, encoder: Any) -> SafeString:
    """A value as text that is read line by line, cut where it does not end."""
    text = json.dumps(value, sort_keys=True, indent=2, cls=encoder)
    more = f"\n… {len(text) - MOST_TEXT:,} more characters" if len(text) > MOST_TEXT else ""
    return format_html('<pre class="sos-text">{}{}</pre>', text[:MOST_TEXT], more)


def mend() -> None:
    """Have the skin write JSON as we do, and make its lists of ours: it offers no setting for that."""
    fields.prettify_json = write_json
    admin.ChangeList = CarefulChangeList
