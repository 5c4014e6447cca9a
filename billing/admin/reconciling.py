"""The comparisons of the books, and what they found, as staff read it."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from billing import reconciliation
from billing.admin.entries import ReadOnlyAdmin
from billing.models import Difference, Reconciliation


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    """When the books were compared, and what with."""

    list_display = ("ran_at", "accounts", "show_read", "provider_until", "chain_until", "show_result")
    actions_list = ("reconcile_now",)

    @display(description="result", label={"agrees": "success", "MISMATCH": "danger"})
    def show_result(self, obj: Reconciliation) -> str:
        return "MISMATCH" if obj.mismatches or obj.differences else "agrees"

    @display(description="rows read")
    def show_read(self, obj: Reconciliation) -> str:
        return "all" if obj.since is None else f"since {obj.since:%Y-%m-%d %H:%M}"

    @action(description="Reconcile now", url_path="now", permissions=["reconcile"])
    def reconcile_now(self, request: HttpRequest) -> HttpResponse:
        """Compare everything again; it only reads, so asking twice does no harm."""
        found = reconciliation.run(now=timezone.now())
        tell = messages.error if found.differences else messages.success
        tell(request, f"{found.accounts} accounts compared, {found.differences} differences are open.")
        return redirect("admin:billing_reconciliation_changelist")


@admin.register(Difference)
class DifferenceAdmin(ModelAdmin):
    """What differs; it goes by itself when a comparison does not find it any more. Only the note is typed."""

    list_display = ("first_seen_at", "show_state", "name", "subject", "show_numbers", "note")
    list_filter = ("name", ("gone_at", admin.EmptyFieldListFilter))
    search_fields = ("subject", "note")
    list_per_page = 100
    fields = ("name", "subject", "show_numbers", "happened_at", "first_seen_at", "last_seen_at", "gone_at", "note")
    readonly_fields = fields[:-1]

    @display(description="state", label={"open": "danger", "gone": "success"})
    def show_state(self, obj: Difference) -> str:
        return "open" if obj.gone_at is None else "gone"

    @display(description="numbers (1/10,000 USD)")
    def show_numbers(self, obj: Difference) -> str:
        return json.dumps(obj.numbers).strip("{}").replace('"', "")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
