"""Attempts, for an operator who asks why a state does not answer. Read only: history is not edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from scrapers.models import RegisterCopy, ScrapeAttempt


class ReadOnlyAdmin(ModelAdmin):
    """A list to look at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(RegisterCopy)
class RegisterCopyAdmin(ReadOnlyAdmin):
    """Which copy of a published register answers, and what became of the others."""

    list_display = ("state", "as_of", "status", "entities", "rows_read", "finished_at", "detail")
    list_filter = ("status", "state")


@admin.register(ScrapeAttempt)
class ScrapeAttemptAdmin(ReadOnlyAdmin):
    """Every attempt with its stages."""

    list_display = ("started_at", "state", "question", "outcome", "duration_ms", "unread_labels", "sandbox")
    list_filter = ("outcome", "state", "sandbox", "kind")
    search_fields = ("question", "detail")
    date_hierarchy = "started_at"
    list_per_page = 50
