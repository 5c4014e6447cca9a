"""What was asked and what is stored, for operators to read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from unfold.admin import TabularInline
from unfold.decorators import display

from billing import money
from lookups.models import Entity, Lookup, RecordVersion
from scrapers.admin.read_only import ReadOnlyAdmin


@admin.register(Lookup)
class LookupAdmin(ReadOnlyAdmin):
    """Every question that was accepted, newest first."""

    list_display = ("created_at", "state", "asked", "how_it_ended", "source", "charged", "duration_ms", "account")
    list_filter = ("verdict", "source", "kind", "sandbox", "state")
    search_fields = ("asked", "request_id", "account__name")
    list_select_related = ("account",)
    date_hierarchy = "created_at"
    list_per_page = 50
    show_full_result_count = False
    exclude = ("attempt_id",)
    readonly_fields = ("attempt",)

    @admin.display(description="Scrape attempt")
    def attempt(self, obj: Lookup) -> str:
        """What the registry was asked and answered; attempts are kept for 30 days."""
        if obj.attempt_id is None:
            return "—"
        address = reverse("admin:scrapers_scrapeattempt_change", args=[obj.attempt_id])
        return format_html(
            '<a href="{}" class="text-primary-600 dark:text-primary-500">#{}</a>', address, obj.attempt_id
        )

    @display(
        description="Verdict",
        label={
            "found": "success",
            "not found": "info",
            "ambiguous": "info",
            "unavailable": "danger",
            "failed": "danger",
            "refused": "warning",
        },
    )
    def how_it_ended(self, obj: Lookup) -> str:
        return obj.get_verdict_display() or "open"

    @admin.display(description="Charged, USD", ordering="cost")
    def charged(self, obj: Lookup) -> str:
        return money.to_decimal_string(obj.cost)


class VersionInline(TabularInline):
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
        return obj.data.get("status") or "—"


@admin.register(Entity)
class EntityAdmin(ReadOnlyAdmin):
    """Every company the service has read."""

    list_display = ("name", "state", "entity_id", "last_read_at", "sandbox")
    list_filter = ("sandbox", "state")
    search_fields = ("name", "entity_id")
    list_per_page = 50
    show_full_result_count = False
    inlines = (VersionInline,)

    def get_view_on_site_url(self, obj: Entity | None = None) -> str | None:
        """The record's public page."""
        return obj.page_url if obj else None
