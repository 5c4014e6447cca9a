"""What protects portals and what stands in for them: breakers, and the loaded copies of bulk data."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet, URLField
from django.http import HttpRequest
from django.utils import timezone

from jurisdictions.lists import ReadOnlyAdmin
from scrapers.models import Breaker, BulkCopy
from scrapers.operations import breaker


@admin.register(Breaker)
class BreakerAdmin(ReadOnlyAdmin):
    """Which portals are left alone or asked more slowly, since when and why; an operator may ask them again at once."""

    list_display = ("state", "reason", "failures", "trips", "open_until", "probe_until", "slowness", "changed_at")
    list_filter = ("reason",)
    actions = ("ask_again",)

    @admin.action(description="Ask these portals again at once", permissions=["close"])
    def ask_again(self, request: HttpRequest, rows: QuerySet[Breaker]) -> None:
        """Forget the failures."""
        now = timezone.now()
        for row in rows:
            breaker.close(state=row.state, now=now)
            self.log_change(request, row, "To be asked again at once.")
        self.message_user(request, "They are asked again at their own pace.")

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whoever may turn a state's switch may do this."""
        return request.user.has_perm("jurisdictions.change_jurisdiction")


@admin.register(BulkCopy)
class BulkCopyAdmin(ReadOnlyAdmin):
    """Which copy of a state's bulk data answers, and what became of the others."""

    list_display = ("state", "as_of", "status", "entities", "rows_read", "finished_at", "detail")
    list_filter = ("status", "state")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **named: Any) -> Any:
        """Django makes a form of what is only read, too; an address typed without its scheme would be https."""
        if isinstance(db_field, URLField):
            named["assume_scheme"] = "https"
        return super().formfield_for_dbfield(db_field, request, **named)
