"""What is stored of companies, for operators to read."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import StackedInline

from jurisdictions.bounded import BoundedList, NewestValues
from jurisdictions.lists import ModeFilter, ReadOnlyAdmin, ReadOnlyInline
from lookups.models import Entity, RecordVersion
from scrapers.normalize import names


class VersionInline(ReadOnlyInline, StackedInline):
    """What the registry said of a company, the newest first."""

    model = RecordVersion
    fields = readonly_fields = ("number", "first_read_at", "last_read_at", "standing", "data", "reader_version")
    verbose_name_plural = "Versions"

    @admin.display(description="Status")
    def standing(self, obj: RecordVersion) -> str:
        return str(obj.data.get("status") or "—")[:200]


@admin.register(Entity)
class EntityAdmin(BoundedList, ReadOnlyAdmin):
    """Every company the service has read."""

    list_display = ("name", "state", "entity_id", "last_read_at", "sandbox")
    list_filter = (ModeFilter, ("state", NewestValues))
    search_fields = ("name_key",)
    search_help_text = "How a name begins, or a registry's whole id."
    empty_says = "No company that fits was ever read."
    list_per_page = 50
    span_by = "last_read_at"
    sortable_by = ("last_read_at",)  # by another index PostgreSQL would walk through all to find the newest
    inlines = (VersionInline,)

    def find(self, request: HttpRequest, rows: QuerySet[Entity], word: str) -> QuerySet[Entity]:
        """By the registry's id; else by the name without its legal form, as all names are compared."""
        by_id = rows.filter(entity_id=word)
        if by_id.exists():
            return by_id
        key = names.key(word)
        return rows.filter(name_key__startswith=key) if key else rows.none()

    def get_view_on_site_url(self, obj: Entity | None = None) -> str | None:
        """The record's public page."""
        return obj.page_url if obj else None
