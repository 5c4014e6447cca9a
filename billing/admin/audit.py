"""The audit log, to read."""

from __future__ import annotations

from django.contrib import admin

from billing.admin.entries import ReadOnlyAdmin
from billing.models import AuditEvent
from jurisdictions.bounded import BoundedList


@admin.register(AuditEvent)
class AuditEventAdmin(BoundedList, ReadOnlyAdmin):
    """Who did what, from where, to what; newest first."""

    list_display = ("at", "kind", "actor", "address", "subject", "detail")
    list_filter = ("kind",)
    search_fields = ("=actor", "=address", "=subject", "=request_id")
    search_help_text = "A whole name of a person, address, subject (billing.account 7) or request, among the newest."
    span_by = date_hierarchy = "at"
