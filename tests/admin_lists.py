"""The lists of the admin, which a process has only once it has loaded the addresses, as every web process does."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Model


def list_admins() -> dict[type[Model], Any]:
    """Every table with a list, and the ModelAdmin that shows it."""
    import_module(settings.ROOT_URLCONF)
    return dict(admin.site._registry)
