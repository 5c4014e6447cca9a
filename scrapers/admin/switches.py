"""Each state's switch beside what its portal says of programs, and the page on which all registries stand in a row."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextInputWidget

from jurisdictions import services
from jurisdictions.admin import JurisdictionAdmin
from jurisdictions.models import Jurisdiction
from jurisdictions.rows import get_row_or_404
from scrapers import discovery
from scrapers.operations import health, metrics

admin.site.unregister(Jurisdiction)


class SwitchOffForm(forms.Form):
    """A jurisdiction that is switched off says why: customers read it."""

    sentence = forms.CharField(
        max_length=300,
        widget=UnfoldAdminTextInputWidget(),
        label="What customers read",
        help_text="A sentence that says why it is off; it stands in replies and on the page of states.",
    )
    why = forms.CharField(
        required=False, max_length=500, widget=UnfoldAdminTextInputWidget(), label="Note", help_text="For operators."
    )


class SwitchOnForm(forms.Form):
    """Where the portal's terms forbid programs, somebody answers for asking it all the same."""

    why = forms.CharField(max_length=500, widget=UnfoldAdminTextInputWidget(), label="Why it may be asked")

    def __init__(self, *args: Any, forbidden: bool, **named: Any) -> None:
        super().__init__(*args, **named)
        field = self.fields["why"]
        field.required, field.help_text = forbidden, "Kept with your name."
        if forbidden:
            field.help_text = "The terms forbid programs: say what allows it, such as a written permission of that day."


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
    actions_detail = ("turn_switch",)

    def has_look_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may see the switches may see how well the registries are."""
        return self.has_view_permission(request)

    @action(description="Health of all", url_path="health", permissions=["look"])
    def registries_page(self, request: HttpRequest) -> HttpResponse:
        """Every registry with its last good answer: those that fail first."""
        now = timezone.now()
        rows = health.list_registries(now=now)
        context = {
            **admin.site.each_context(request),
            "title": "Registries",
            "rows": rows,
            "now": now,
            "most": f"{metrics.AT_MOST:,}",
            "hours": round(metrics.OVER.total_seconds() / 3600),
            "counts": {
                "switched on": sum(row.switch.enabled for row in rows),
                "failing now": sum(row.switch.enabled and row.fails_now for row in rows),
                "left alone": sum(row.open_until is not None for row in rows),
                "never answered": sum(row.switch.enabled and row.last_good_at is None for row in rows),
            },
            "may_switch": self.has_turn_permission(request),
            "sees_attempts": request.user.has_perm("scrapers.view_scrapeattempt"),
        }
        return render(request, "scrapers/registries.html", context)

    def has_turn_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change a jurisdiction may turn its switch."""
        return request.user.has_perm("jurisdictions.change_jurisdiction")

    @action(description="Switch on or off", url_path="switch", permissions=["turn"])
    def turn_switch(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask why; customers, or the next operator, read it. Who saw the switch in another position is asked again."""
        row = get_row_or_404(Jurisdiction, object_id)
        portal = discovery.find_portal(row.code)
        forbidden = portal is not None and portal.terms.automated == "forbidden"
        wanted = request.POST.get("to")
        sent = request.POST if wanted == ("off" if row.enabled else "on") else None
        before = f"{row.name} was switched {wanted} before: nothing was changed."
        if wanted in ("on", "off") and sent is None:
            messages.warning(request, before)
        form = SwitchOffForm(sent) if row.enabled else SwitchOnForm(sent, forbidden=forbidden)
        back = reverse("admin:jurisdictions_jurisdiction_change", args=[row.code])
        if not form.is_valid():
            return self._ask_about_switch(request, row, form, back)
        change = services.turn_switch(
            code=row.code,
            enabled=not row.enabled,
            sentence=form.cleaned_data.get("sentence", ""),
            why=form.cleaned_data["why"],
            terms=self.terms(row),
            operator=request.user.get_username(),
            now=timezone.now(),
        )
        if change is not None:
            words = f"on: {change.why}" if change.enabled else f"off: {change.sentence}"
            self.log_change(request, row, f"Switched {words.removesuffix('.').removesuffix(': ')}.")
            messages.success(request, f"{row.name} is switched {'on' if change.enabled else 'off'}.")
        else:
            messages.warning(request, before)
        return redirect(back)

    def _ask_about_switch(self, request: HttpRequest, row: Jurisdiction, form: forms.Form, back: str) -> HttpResponse:
        context = {
            **admin.site.each_context(request),
            "title": f"Switch {row.name} {'off' if row.enabled else 'on'}",
            "row": row,
            "form": form,
            "back": back,
            "facts": [("Terms for programs", self.terms(row)), ("As delivered", self.default(row))],
            "last": row.switch_changes.first(),
        }
        return render(request, "scrapers/switch.html", context)

    @admin.display(description="Verification")
    def verification(self, row: Jurisdiction) -> str:
        return health.find_verification(row)

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
        if portal.on_by_default:
            return "on"
        return f"off: {portal.off_reason} What would change that: {portal.would_change}"

    @admin.display(description="Asked at")
    def sources(self, row: Jurisdiction) -> str:
        """The addresses of the registry's search."""
        portal = discovery.find_portal(row.code)
        return ", ".join(portal.sources) if portal else "-"
