"""For operators: each state's switch beside what its portal says of programs, the attempts, the loaded registers.

Attempts and copies are read only: history is not edited.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin

from jurisdictions.admin import JurisdictionAdmin
from jurisdictions.models import Jurisdiction
from scrapers import breaker, registry
from scrapers.models import Breaker, RegisterCopy, ScrapeAttempt


class ReadOnlyAdmin(ModelAdmin):
    """A list to look at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


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
        self.message_user(request, "They are asked again at their own pace.")

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whoever may turn a state's switch may do this."""
        return request.user.has_perm("jurisdictions.change_jurisdiction")


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


admin.site.unregister(Jurisdiction)


@admin.register(Jurisdiction)
class SwitchAdmin(JurisdictionAdmin):
    """The switch of a jurisdiction, with the facts an operator needs before turning it."""

    FACTS = ("verification", "terms", "robots", "default", "sources")
    list_display = ("code", "name", "enabled", "status", "verification", "reason", "last_tested_at")
    readonly_fields = (*JurisdictionAdmin.readonly_fields, *FACTS)
    fieldsets = (
        (None, {"fields": ("code", "enabled", "reason", "note")}),
        ("What the portal says of programs", {"fields": ("terms", "robots", "default", "sources")}),
        ("Health", {"fields": ("status", "verification", "last_tested_at", "verified_live_at")}),
    )

    @admin.display(description="Verification")
    def verification(self, row: Jurisdiction) -> str:
        """How sure the reader is: live once a canary has read a real answer."""
        portal = registry.find_portal(row.code)
        if row.verified_live_at:
            return "live"
        return portal.verification if portal else "unsupported"

    @admin.display(description="Terms for automated search")
    def terms(self, row: Jurisdiction) -> str:
        """What the owner's terms say."""
        portal = registry.find_portal(row.code)
        return f"{portal.terms.automated}. {portal.terms.note}".strip() if portal else "not known"

    @admin.display(description="robots.txt")
    def robots(self, row: Jurisdiction) -> str:
        """What the portal's robots.txt says, as far as it is known."""
        portal = registry.find_portal(row.code)
        return portal.terms.robots if portal else "not known"

    @admin.display(description="Switch as delivered")
    def default(self, row: Jurisdiction) -> str:
        """On or off as delivered, and why."""
        portal = registry.find_portal(row.code)
        if portal is None:
            return "off: no search is known that a program may use"
        return "on" if portal.on_by_default else f"off: {portal.off_reason}"

    @admin.display(description="Asked at")
    def sources(self, row: Jurisdiction) -> str:
        """The addresses of the registry's search."""
        portal = registry.find_portal(row.code)
        return ", ".join(portal.sources) if portal else "-"
