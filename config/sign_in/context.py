"""What the pages of signing in need to look like the rest of the admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.widgets import INPUT_CLASSES

NAMES = ("account_", "mfa_")


def admin_site(request: HttpRequest) -> dict[str, Any]:
    """The context of every admin page, for those that are not the admin's own."""
    match = request.resolver_match
    if match is None or not (match.url_name or "").startswith(NAMES):
        return {}
    return {**admin.site.each_context(request), "input_classes": " ".join(INPUT_CLASSES)}
