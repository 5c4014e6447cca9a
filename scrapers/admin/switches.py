"""Each state's switch beside what its portal says of programs, and the page on which all registries stand in a row."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from unfold.decorators import action

from jurisdictions.admin import JurisdictionAdmin
from jurisdictions.models import Jurisdiction
from scrapers import discovery
from scrapers.operations import health, metrics

admin.site.unregister(Jurisdiction)


@admin.register(Jurisdiction)
class SwitchAdmin(JurisdictionAdmin):
    """The switch of a jurisdiction, with the facts an operator needs before turning it."""

    FACTS = ("verification", "terms", "robots", "default", "sources")
    list_display = ("code", "name", "enabled", "status", "verification", "reason", "last_tested_at")  # type: ignore[assignment]
    readonly_fields = (*JurisdictionAdmin.readonly_fields, *FACTS)  # type: ignore[assignment]
    fieldsets = (
        (None, {"fields": ("code", "enabled", "reason", "note")}),
        ("What the portal says of programs", {"fields": ("terms", "robots", "default", "sources")}),
        ("Health", {"fields": ("status", "verification", "last_tested_at", "verified_live_at")}),
    )
    actions_list = ("registries_page",)

    def has_look_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may see the switches may see how well the registries are."""
        return self.has_view_permission(request)

    @action(description="Health of all", url_path="health", permissions=["look"])
    def registries_page(self, request: HttpRequest) -> HttpResponse:
        """Every registry with its last good answer, the oldest first."""
        now = timezone.now()
        rows = health.list_registries(now=now)
        context = {
            **admin.site.each_context(request),
            "title": "Registries",
            "rows": rows,
            "now": now,
            "hours": round(metrics.OVER.total_seconds() / 3600),
            "counts": {
                "switched on": sum(row.switch.enabled for row in rows),
                "failing now": sum(row.switch.enabled and row.fails_now for row in rows),
                "left alone": sum(row.open_until is not None for row in rows),
                "never answered": sum(row.switch.enabled and row.last_good_at is None for row in rows),
            },
            "sees_attempts": request.user.has_perm("scrapers.view_scrapeattempt"),
        }
        return render(request, "scrapers/registries.html", context)

    @admin.display(description="Verification")
    def verification(self, row: Jurisdiction) -> str:
        """How sure the reader is: live once a canary has read a real answer."""
        portal = discovery.find_portal(row.code)
        if row.verified_live_at:
            return "live"
        return portal.verification if portal else "unsupported"

    @admin.display(description="Terms for automated search")
    def terms(self, row: Jurisdiction) -> str:
        """What the owner's terms say."""
        portal = discovery.find_portal(row.code)
        return f"{portal.terms.automated}. {portal.terms.note}".strip() if portal else "not known"

    @admin.display(description="robots.txt")
    def robots(self, row: Jurisdiction) -> str:
        """What the portal's robots.txt says, as far as it is known."""
        portal = discovery.find_portal(row.code)
        return portal.terms.robots if portal else "not known"

    @admin.display(description="Switch as delivered")
    def default(self, row: Jurisdiction) -> str:
        """On or off as delivered, and why."""
        portal = discovery.find_portal(row.code)
        if portal is None:
            return "off: no search is known that a program may use"
        return "on" if portal.on_by_default else f"off: {portal.off_reason}"

    @admin.display(description="Asked at")
    def sources(self, row: Jurisdiction) -> str:
        """The addresses of the registry's search."""
        portal = discovery.find_portal(row.code)
        return ", ".join(portal.sources) if portal else "-"
