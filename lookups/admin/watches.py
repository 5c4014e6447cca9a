"""What customers watch, and what they were told of it: for operators to read."""

from __future__ import annotations

from django.contrib import admin
from unfold.decorators import display

from jurisdictions.bounded import NewestValues
from jurisdictions.lists import ModeFilter, ReadOnlyAdmin
from lookups.admin.finding import FoundByAccount
from lookups.models import Watch, WatchCheck, WatchEvent


@admin.register(Watch)
class WatchAdmin(FoundByAccount, ReadOnlyAdmin):
    """Every watch, the newest first."""

    list_display = ("created_at", "state", "company", "every", "how_it_is", "next_at", "turns", "account")
    list_filter = (ModeFilter, "status", "pause_reason", "every", ("state", NewestValues))
    search_fields = ("account__name",)
    search_help_text = "A watch's id, or an account."
    span_by = "created_at"
    empty_says = "No live watch fits. Customers make them."
    list_select_related = ("account",)
    list_per_page = 50

    @admin.display(description="Company")
    def company(self, obj: Watch) -> str:
        """As the registry has it, or as it was asked for."""
        return obj.name or obj.entity_name or obj.entity_id

    @display(description="Status", label={"active": "success", "paused": "warning", "deleted": "info"})
    def how_it_is(self, obj: Watch) -> str:
        return "deleted" if obj.deleted_at else obj.status


@admin.register(WatchCheck)
class WatchCheckAdmin(FoundByAccount, ReadOnlyAdmin):
    """Every look of a watch, the newest first."""

    list_display = ("created_at", "watch", "kind", "what_came_of_it", "lookup", "ended_at")
    list_filter = ("result", ("kind", NewestValues))
    search_fields = ("watch__account__name",)
    search_help_text = "A watch's id, or an account."
    mark_columns, account_path, narrowed_by = ("watch",), "watch__account", ("watch",)
    empty_says = "No look of a watch fits."
    list_select_related = ("watch", "lookup")
    list_per_page = 50

    @display(
        description="Result",
        label={"changed": "warning", "unchanged": "success", "first reading": "info", "nothing is known": "danger"},
    )
    def what_came_of_it(self, obj: WatchCheck) -> str:
        return obj.get_result_display() or "under way"


@admin.register(WatchEvent)
class WatchEventAdmin(FoundByAccount, ReadOnlyAdmin):
    """Every event, the newest first. What it says of people is shown to the customer alone."""

    list_display = ("created_at", "code", "how_much", "watch", "reason", "account")
    list_filter = (ModeFilter, ("category", NewestValues), ("severity", NewestValues))
    search_fields = ("account__name",)
    search_help_text = "An event's or a watch's id, or an account."
    mark_columns, span_by, narrowed_by = ("pk", "watch"), "created_at", ("account", "watch")
    empty_says = "Nothing was seen at a watched company that fits."
    list_select_related = ("watch", "account")
    list_per_page = 50
    exclude = ("changes",)

    @display(description="Severity", label={"high": "danger", "medium": "warning", "low": "info", "info": "info"})
    def how_much(self, obj: WatchEvent) -> str:
        return obj.severity
