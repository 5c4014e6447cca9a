"""The lists of the admin, which a process has only once it has loaded the addresses, as every web process does."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model

import config.urls  # noqa: F401  (loads them)


def list_admins() -> dict[type[Model], Any]:
    """Every table with a list, and the ModelAdmin that shows it."""
    return dict(admin.site._registry)
