"""Attempts, for an operator who asks why a state does not answer. Read only: history is not edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from scrapers.models import ScrapeAttempt


@admin.register(ScrapeAttempt)
class ScrapeAttemptAdmin(ModelAdmin):
    """Every attempt with its stages."""

    list_display = ("started_at", "state", "question", "outcome", "duration_ms", "unread_labels", "sandbox")
    list_filter = ("outcome", "state", "sandbox", "kind")
    search_fields = ("question", "detail")
    date_hierarchy = "started_at"
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
