"""The comparisons of the books, and what they found, as staff read it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from kombu.exceptions import OperationalError
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from billing import money, tasks
from billing.admin import pages
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

    @display(description="mismatches (USD)")
    def show_mismatches(self, obj: Reconciliation) -> str:
        told = (f"account {one['account']}: {_tell(one['differences'])}" for one in obj.mismatches)
        return "; ".join(told) or "none"

    @display(description="rows read")
    def show_read(self, obj: Reconciliation) -> str:
        return "all" if obj.since is None else f"since {obj.since:%Y-%m-%d %H:%M}"

    @action(description="Reconcile now", url_path="now", permissions=["reconcile"])
    def reconcile_now(self, request: HttpRequest) -> HttpResponse:
        """Have a worker compare everything again; it asks providers, so no request waits for it."""
        back = reverse("admin:billing_reconciliation_changelist")
        if request.method != "POST":
            title = "Compare everything now? A worker does it; the result is a new row of this list."
            return pages.ask(request, title, back=back)
        try:
            tasks.reconcile_whole.apply_async(retry=False)
        except (OperationalError, OSError):
            messages.error(request, "The queue does not answer: nothing was started.")
        else:
            messages.success(request, "A worker compares the books; the result will be the first row of this list.")
        return redirect(back)


@admin.register(Difference)
class DifferenceAdmin(ModelAdmin):
    """What differs; it goes by itself when a comparison does not find it any more. Only the note is typed."""

    list_display = ("first_seen_at", "show_state", "name", "subject", "show_numbers", "note")
    list_filter = ("name", ("gone_at", admin.EmptyFieldListFilter))
    search_fields = ("subject", "note")
    empty_says = "Nothing differs: the books agree with all they were compared with."
    fields = ("name", "subject", "show_numbers", "happened_at", "first_seen_at", "last_seen_at", "gone_at", "note")
    readonly_fields = fields[:-1]

    @display(description="state", label={"open": "danger", "gone": "success"})
    def show_state(self, obj: Difference) -> str:
        return "open" if obj.gone_at is None else "gone"

    @display(description="both sides (USD)")
    def show_numbers(self, obj: Difference) -> str:
        return _tell(obj.numbers)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _tell(numbers: dict[str, Any], *, counts: frozenset[str] = Difference.COUNTS) -> str:
    """Both sides in a line: "provider: 31.4000, credit: 0.0000, account: 12"; only money is in dollars."""
    parts = []
    for name, value in numbers.items():
        if isinstance(value, dict):
            parts.append(f"{name} ({_tell(value, counts=frozenset())})")
        else:
            parts.append(f"{name}: {value if name in counts else money.to_decimal_string(value)}")
    return ", ".join(parts)
