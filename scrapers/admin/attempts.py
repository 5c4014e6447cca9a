"""Attempts with their stages, and what the portal answered where one failed: text to read, never a page to open.

What a portal sent is hostile: a wall's script must not run under our own name beside a signed-in operator. So it is
shown escaped, and handed out only as a file of plain text.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe
from unfold.decorators import display

from scrapers.admin.read_only import ReadOnlyAdmin
from scrapers.failures import Failure
from scrapers.models import AttemptPage, ScrapeAttempt
from scrapers.operations import failed_pages

OUTCOME_COLORS = {
    "found": "success",
    "not found": "success",
    **{failure.plain: failure.facts.alarm for failure in Failure},
}


@admin.register(ScrapeAttempt)
class ScrapeAttemptAdmin(ReadOnlyAdmin):
    """Every attempt; its page has the stages and the evidence."""

    list_display = ("started_at", "state", "question", "ended", "duration_ms", "unread_labels", "sandbox")
    list_filter = ("outcome", "state", "sandbox", "kind")
    search_fields = ("question", "detail")
    search_help_text = "Part of the question or of the detail, or the whole id of the ask"
    date_hierarchy = "started_at"
    list_per_page = 50
    show_full_result_count = False
    fields = (
        "state",
        "kind",
        "question",
        "outcome",
        "detail",
        "started_at",
        "duration_ms",
        "unread_labels",
        "version",
        "sandbox",
        "asked_by",
    )
    readonly_fields = ("asked_by",)

    @display(description="Outcome", ordering="outcome", label=OUTCOME_COLORS)
    def ended(self, obj: ScrapeAttempt) -> str:
        return obj.get_outcome_display()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[ScrapeAttempt], search_term: str
    ) -> tuple[QuerySet[ScrapeAttempt], bool]:
        """The mark of whoever asked finds all attempts under it."""
        try:
            return queryset.filter(asked_by=uuid.UUID(search_term.strip())), False
        except ValueError:
            return super().get_search_results(request, queryset, search_term)

    def get_urls(self) -> list[URLPattern]:
        """The pages of an attempt as files, beside the list's own addresses."""
        view = self.admin_site.admin_view(require_safe(self.download))
        return [
            path("<int:attempt_id>/page/<int:number>/", view, name="scrapers_attempt_page"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Adds what the portal answered."""
        pages = AttemptPage.objects.filter(attempt=int(object_id)) if object_id.isdecimal() else ()
        shown = [(page, failed_pages.read_text(page)) for page in pages]
        context = {"pages": shown, "kept_days": failed_pages.KEPT_FOR.days, "most_shown": failed_pages.SHOWN}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **context})

    def download(self, request: HttpRequest, attempt_id: int, number: int) -> HttpResponse:
        """One page as it came, as a file: no browser may take it for a page of ours."""
        if not self.has_view_permission(request):
            raise Http404
        page = AttemptPage.objects.filter(attempt=attempt_id, number=number).first()
        if page is None:
            raise Http404
        name = f"{page.state}-attempt-{attempt_id}-{number}.txt"
        return HttpResponse(
            failed_pages.read(page),
            headers={
                "Content-Type": "text/plain",
                "Content-Disposition": f'attachment; filename="{name}"',
                "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "Cache-Control": "no-store",
            },
        )
