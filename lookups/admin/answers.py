"""What is stored of companies, for operators to read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import StackedInline

from jurisdictions.lists import ModeFilter
from lookups.models import Entity, RecordVersion
from scrapers.admin.read_only import ReadOnlyAdmin


class VersionInline(StackedInline):
    """What the registry said of a company, the newest first."""

    model = RecordVersion
    fields = readonly_fields = ("number", "first_read_at", "last_read_at", "standing", "data", "reader_version")
    verbose_name_plural = "Versions"
    extra = 0
    show_title = False
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="Status")
    def standing(self, obj: RecordVersion) -> str:
        return str(obj.data.get("status") or "—")[:200]


@admin.register(Entity)
class EntityAdmin(ReadOnlyAdmin):
    """Every company the service has read."""

    list_display = ("name", "state", "entity_id", "last_read_at", "sandbox")
    list_filter = (ModeFilter, "state")
    search_fields = ("^name", "=entity_id")
    search_help_text = "How a name begins, or a registry's whole id."
    empty_says = "No company that fits was ever read."
    list_per_page = 50
    show_full_result_count = False
    inlines = (VersionInline,)

    def get_view_on_site_url(self, obj: Entity | None = None) -> str | None:
        """The record's public page."""
        return obj.page_url if obj else None
