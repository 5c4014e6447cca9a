"""Attempts with their stages, and what the portal answered: text to read, never a page to open.

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

from jurisdictions.bounded import BoundedList, NewestValues
from jurisdictions.lists import ModeFilter, ReadOnlyAdmin
from jurisdictions.rows import get_row_or_404
from scrapers.evidence import readings
from scrapers.failures import Failure
from scrapers.models import Reading, ScrapeAttempt

OUTCOME_COLORS = {
    "found": "success",
    "not found": "success",
    **{failure.plain: failure.facts.alarm for failure in Failure},
}


@admin.register(ScrapeAttempt)
class ScrapeAttemptAdmin(BoundedList, ReadOnlyAdmin):
    """Every attempt; its page has the stages and the evidence."""

    list_display = ("started_at", "state", "question", "ended", "duration_ms", "unread_labels", "sandbox")
    list_filter = (ModeFilter, "outcome", ("state", NewestValues), ("kind", NewestValues))
    search_fields = ("^question",)
    search_help_text = "The whole id of the ask (lk_…); or how a question begins, among the newest"
    empty_says = "No registry was asked that fits. Attempts are kept for 30 days."
    span_by = date_hierarchy = "started_at"
    list_per_page = 50
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

    def find(self, request: HttpRequest, rows: QuerySet[ScrapeAttempt], word: str) -> QuerySet[ScrapeAttempt] | None:
        """The mark of whoever asked finds all attempts under it."""
        try:
            return rows.filter(asked_by=uuid.UUID(word[-36:].removeprefix("lk_").removeprefix("nc_")))
        except ValueError:
            return None

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
        found = (
            Reading.objects.filter(attempt=int(object_id)).first()
            if object_id.isdecimal() and len(object_id) < 19
            else None
        )
        shown = [(record, readings.find_text(record)) for record in (found.exchanges if found else ())]
        context = {"reading": found, "exchanges": shown, "most_shown": readings.SHOWN}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **context})

    def download(self, request: HttpRequest, attempt_id: int, number: int) -> HttpResponse:
        """One page as it came, as a file: no browser may take it for a page of ours."""
        if not self.has_view_permission(request):
            raise Http404
        found = Reading.objects.filter(attempt=get_row_or_404(ScrapeAttempt, attempt_id)).first()
        if found is None or not 0 < number <= len(found.exchanges):
            raise Http404
        body = readings.find_body(found.exchanges[number - 1])
        if body is None:
            raise Http404
        name = f"{found.state}-attempt-{attempt_id}-{number}.txt"
        return HttpResponse(
            body,
            headers={
                "Content-Type": "text/plain",
                "Content-Disposition": f'attachment; filename="{name}"',
                "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "Cache-Control": "no-store",
            },
        )
