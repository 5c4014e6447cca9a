"""The operator's switch of each jurisdiction. `scrapers.admin` adds what the portal says of programs beside it."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from jurisdictions.models import Jurisdiction


class SwitchForm(forms.ModelForm):  # type: ignore[type-arg]
    """A jurisdiction that is switched off must say why: customers read it."""

    class Meta:
        model = Jurisdiction
        fields = ("enabled", "reason", "note")

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        if not data.get("enabled") and not data.get("reason"):
            raise ValidationError({"reason": "Say why it is off: customers read this."})
        return data


@admin.register(Jurisdiction)
class JurisdictionAdmin(ModelAdmin):
    """Switch, reason and status of every jurisdiction."""

    form = SwitchForm
    list_display = ("code", "name", "enabled", "status", "reason", "last_tested_at")
    list_filter = ("enabled", "status")
    search_fields = ("code", "reason", "note")
    list_per_page = 60
    readonly_fields = ("code", "status", "last_tested_at", "verified_live_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Jurisdiction | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Jurisdiction, form: forms.ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        """A switch that changed sets the status with it; health does the rest."""
        if "enabled" in form.changed_data:
            obj.status = "active" if obj.enabled else "inactive"
            if obj.enabled and "reason" not in form.changed_data:
                obj.reason = ""
        super().save_model(request, obj, form, change)
        if "enabled" in form.changed_data:
            self.log_change(request, obj, f"Switched {'on' if obj.enabled else f'off: {obj.reason}'}.")
