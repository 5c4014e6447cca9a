"""The ledger as staff read it: entries and holds, the finance page, and refunds of a charge."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action

from billing import finance, ledger, money, selectors
from billing.accounting import receipts
from billing.admin import pages
from billing.admin.finding import OfAccounts
from billing.ledger_errors import RefundTooLarge
from billing.models import Hold, LedgerEntry
from billing.proof import proven
from jurisdictions.bounded import NewestValues
from jurisdictions.lists import ReadOnly
from jurisdictions.rows import find_row, get_row_or_404

MOVED = (("Paid in", "paid_in", "#2563eb"), ("Revenue", "revenue", "#f59e0b"))
TODAY = (("Revenue", "revenue"), ("Paid in", "paid_in"), ("Gone back", "gone"))
TOTALS = (("Paid in", "paid_in"), ("Gone back", "gone"), ("Gifts", "gifts"), ("Revenue", "revenue"))
STOOD = (("Outstanding credit", "outstanding", "#10b981"), ("Held", "held", "#a855f7"))
CHART_OPTIONS = json.dumps(
    {
        "responsive": True,
        "maintainAspectRatio": False,
        "animation": False,
        "plugins": {"legend": {"display": True, "position": "top", "labels": {"color": "#9ca3af"}}},
        "scales": {
            "x": {"grid": {"display": False}, "ticks": {"color": "#9ca3af"}},
            "y": {
                "beginAtZero": True,
                "ticks": {"color": "#9ca3af"},
                "grid": {"color": "rgba(156,163,175,.25)"},
                "title": {"display": True, "text": "USD", "color": "#9ca3af"},
            },
        },
    }
)


class RefundForm(forms.Form):
    """How much of a charge is given back, and why."""

    dollars = pages.DollarsField(
        required=False, min_value=Decimal("0.0001"), help_text="Empty: all that is left of the charge."
    )
    reason = pages.reason_field(pages.REFUND_REASONS)
    note = pages.note_field()


class MovesFilter(admin.SimpleListFilter):
    """What makes the day's revenue: charges, and what was given back of them."""

    title, parameter_name = "moves", "moves"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("revenue", "revenue")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[LedgerEntry]) -> QuerySet[LedgerEntry]:
        return queryset.filter(kind__in=finance.REVENUE).exclude(amount=0) if self.value() else queryset


class EndingFilter(admin.SimpleListFilter):
    """Holds that end by themselves in a moment, and those that should have."""

    title, parameter_name = "ending", "ending"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("soon", "within ten minutes"), ("overdue", "overdue")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Hold]) -> QuerySet[Hold]:
        wanted = {"soon": selectors.list_ending_holds, "overdue": selectors.list_overdue_holds}.get(self.value() or "")
        return queryset.filter(pk__in=wanted(timezone.now()).values("pk")) if wanted else queryset


class ReadOnlyAdmin(pages.ActionPermissions, ReadOnly, ModelAdmin):
    """Everything to see, nothing to type; what has a `show_` of its own is shown by that."""

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = ((name, f"show_{name}") for name in map(str, super().get_fields(request, obj)))
        return [show if hasattr(self, show) else name for name, show in shown]


@admin.register(LedgerEntry)
class LedgerEntryAdmin(OfAccounts, ReadOnlyAdmin):
    """Every movement of money."""

    list_display = (
        "id",
        "created_at",
        "account",
        "kind",
        "show_amount",
        "show_available_after",
        "reference",
        "operator",
        "reason",
    )
    list_filter = (MovesFilter, "kind", ("source", NewestValues), ("reason", NewestValues))
    names = ("pk",)
    search_help_text = "An entry's number; of an account #7, its e-mail or the beginning of its name."
    empty_says = "No movement of money fits."
    span_by = date_hierarchy = "created_at"
    list_select_related = ("account",)
    actions_list = ("finance_page",)
    actions_detail = ("refund", "receipt")

    show_amount = pages.in_dollars("amount")
    show_available_change = pages.in_dollars("available_change")
    show_held_change = pages.in_dollars("held_change")
    show_spent_change = pages.in_dollars("spent_change")
    show_available_after = pages.in_dollars("available_after")
    show_held_after = pages.in_dollars("held_after")
    show_spent_after = pages.in_dollars("spent_after")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nothing that can only fail: what was charged is refunded, and not twice; what was paid has a receipt."""
        found = super().get_actions_detail(request, object_id)
        entry = find_row(LedgerEntry.objects.select_related("account"), object_id)
        can = set()
        if entry is not None and find_objection(entry) is None and ledger.get_refundable(entry):
            can.add("refund")
        if entry is not None and receipts.can_have(entry):
            can.add("receipt")
        return [one for one in found if one.method.__name__ in can]

    @action(description="Finance", url_path="finance", permissions=["read_ledger"])
    def finance_page(self, request: HttpRequest) -> HttpResponse:
        days = finance.list_days(until=timezone.now().date())
        context = {
            **admin.site.each_context(request),
            "title": "Finance, the last 30 days",
            "days": list(reversed(days)),
            "latest": days[-1],
            "moved": _chart(days, MOVED),
            "stood": _chart(days, STOOD),
            "options": CHART_OPTIONS,
            "alert": selectors.find_alert(),
            "open": selectors.list_differences().count(),
            "today": [(label, getattr(days[-1], name), getattr(days[-2], name)) for label, name in TODAY],
            "totals": {label: sum(getattr(day, name) for day in days) for label, name in TOTALS},
        }
        return render(request, "billing/finance.html", context)

    @action(description="Receipt", url_path="receipt", permissions=["read_ledger"])
    def receipt(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """A page to print. The first time it takes the next number, which is asked before."""
        entry = get_row_or_404(LedgerEntry.objects.select_related("account"), object_id)
        back = reverse("admin:billing_ledgerentry_change", args=[entry.pk])
        try:
            issued = receipts.issue(entry, now=timezone.now()) if request.method == "POST" else receipts.find(entry)
        except receipts.NoReceipt as nothing:
            messages.error(request, str(nothing))
            return redirect(back)
        if issued is None:
            title = f"Number the receipt of entry {entry.pk}? It gets the next number and keeps it."
            return pages.ask(request, title, back=back)
        given_back = receipts.sum_given_back([entry]).get(entry.pk)
        context = {"receipt": issued, "entry": entry, "given_back": given_back, "seller": settings.SELLER}
        return render(request, "billing/receipt.html", context)

    @action(description="Refund", url_path="refund", permissions=["move_money"])
    @proven
    def refund(self, request: HttpRequest, object_id: str) -> HttpResponse:
        entry = get_row_or_404(LedgerEntry.objects.select_related("account"), object_id)
        back = reverse("admin:billing_ledgerentry_change", args=[entry.pk])
        objection = find_objection(entry)
        if objection is not None:
            messages.error(request, objection)
            return redirect(back)

        def perform(data: dict[str, Any], token: str) -> str:
            log = partial(self.log_change, request, entry.account)
            operator = pages.operator_of(request)
            return give_back(entry, data["dollars"] or None, data, token, operator=operator, log=log)

        def describe(data: dict[str, Any]) -> list[tuple[str, str]]:
            left = ledger.get_refundable(entry)
            given = data["dollars"] or left
            if not 0 < given <= left:
                raise RefundTooLarge(refundable=left)
            return [
                ("Account", str(entry.account)),
                ("Charge", f"#{entry.pk}, {money.to_decimal_string(entry.amount)} USD, {entry.reference}"),
                ("Given back", f"{money.to_decimal_string(given)} USD"),
                ("Reason", data["reason"]),
                ("Note", data["note"] or "none"),
            ]

        return pages.confirmed_move(
            request,
            title=f"Refund entry {entry.pk}",
            form=RefundForm(request.POST or None),
            describe=describe,
            perform=perform,
            back=back,
        )


@admin.register(Hold)
class HoldAdmin(OfAccounts, ReadOnlyAdmin):
    """Money set aside for work that is running."""

    list_display = ("id", "created_at", "account", "state", "show_amount", "show_remaining", "reference", "expires_at")
    list_filter = (EndingFilter, "state")
    search_help_text = "An account's number, e-mail or beginning of the name."
    list_select_related = ("account",)
    empty_says = "No hold fits: nothing is set aside for work that is running."

    show_amount = pages.in_dollars("amount")
    show_remaining = pages.in_dollars("remaining")


def _chart(days: list[finance.Day], series: tuple[tuple[str, str, str], ...]) -> str:
    """Return the data of one chart, in dollars, as the skin's chart component reads it."""
    datasets = [
        {
            "label": label,
            "data": [float(money.to_dollars(getattr(day, name))) for day in days],
            "backgroundColor": color,
            "borderColor": color,
            "borderWidth": 2,
            "pointRadius": 0,
        }
        for label, name, color in series
    ]
    return json.dumps({"labels": [f"{day.day:%d %b}" for day in days], "datasets": datasets})


def give_back(
    entry: LedgerEntry,
    amount: int | None,
    data: dict[str, Any],
    token: str,
    *,
    operator: str,
    log: Callable[[str], Any],
) -> str:
    """Refund a charge, wholly without `amount`; `log` gets the sentence for the account's history, once."""
    now = timezone.now()
    made = ledger.refund(
        entry_id=entry.pk,
        amount=amount,
        idempotency_key=token,
        reason=data["reason"],
        operator=operator,
        note=data["note"],
        now=now,
    )
    sentence = f"Refunded {money.to_decimal_string(made.amount)} USD of entry {entry.pk}."
    if made.created_at >= now:  # else it was confirmed before
        log(sentence)
    return sentence


def find_objection(entry: LedgerEntry) -> str | None:
    """Why an entry cannot be given back as credit."""
    if entry.kind not in (LedgerEntry.Kind.CAPTURE, LedgerEntry.Kind.CHARGE):
        return "Only a capture or a charge can be refunded."
    if entry.account.role:  # an account of the service's own: nobody could spend it
        return "This was paid with its request: give it back where it was paid."
    return None
