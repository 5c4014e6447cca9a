"""The operator's view of each jurisdiction. `scrapers.admin` adds its switch and what the portal says of programs."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from jurisdictions.lists import ReadOnlyInline
from jurisdictions.models import Jurisdiction, SwitchChange
from jurisdictions.shown import AsShown


class JurisdictionForm(AsShown):
    """What is written beside the switch."""

    class Meta:
        model = Jurisdiction
        fields = ("reason", "note")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.instance.enabled and not data.get("reason"):
            raise ValidationError({"reason": "Say why it is off: customers read this."})
        return data


class SwitchChangeInline(ReadOnlyInline, TabularInline):
    """Who turned the switch, when and why, the newest first."""

    model = SwitchChange
    fields = readonly_fields = ("at", "enabled", "operator", "sentence", "why", "terms")
    verbose_name_plural = "How the switch was turned"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True  # whoever sees the jurisdiction


@admin.register(Jurisdiction)
class JurisdictionAdmin(ModelAdmin):
    """Switch, reason and status of every jurisdiction."""

    form = JurisdictionForm
    list_display = ("code", "name", "enabled", "status", "reason", "last_tested_at")
    list_filter = ("enabled", "status")
    search_fields = ("code", "reason", "note")
    list_per_page = 60
    readonly_fields = ("code", "enabled", "status", "last_tested_at", "verified_live_at")
    inlines = (SwitchChangeInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Jurisdiction | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Jurisdiction, form: JurisdictionForm, change: bool) -> None:
        """Write only what was changed here: somebody may have turned the switch meanwhile."""
        obj.save(update_fields=form.changed_data)

    def get_readonly_fields(self, request: HttpRequest, obj: Jurisdiction | None = None) -> Any:
        """While it is on, the reason is what health has found: only people say why it is off."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "reason") if obj is not None and obj.enabled else fields
