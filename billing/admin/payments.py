"""Payments by request, top-ups by card and the provider's messages: to read, and to ask again what became of one."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from billing import money, selectors
from billing.admin.entries import ReadOnlyAdmin
from billing.models import Payment, ProviderEvent, TopUp
from billing.payments import checkout

STATES = {
    "paid": "success",
    "accepted": "info",
    "created": "info",
    "settling": "warning",
    "unknown": "danger",
    "mismatch": "danger",
    "failed": "warning",
}


class AmountAdmin(ReadOnlyAdmin):
    """What has an amount and a state."""

    list_per_page = 100
    show_full_result_count = False

    @display(description="amount (USD)", ordering="amount")
    def show_amount(self, obj: Payment | TopUp) -> str:
        return money.to_decimal_string(obj.amount)

    @display(description="state", ordering="state", label=STATES)
    def show_state(self, obj: Payment | TopUp) -> str:
        return obj.state


class DeliveryFilter(admin.SimpleListFilter):
    """The list of what has to be given back, unless its payer still claims it."""

    title = "delivery"
    parameter_name = "delivery"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("owed", "paid, not delivered: refund")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Payment]) -> QuerySet[Payment]:
        owed = selectors.list_undelivered_payments(timezone.now())
        return queryset.filter(pk__in=owed.values("pk")) if self.value() == "owed" else queryset


@admin.register(Payment)
class PaymentAdmin(AmountAdmin):
    """Payments that came with a request; `unknown` is the state that wants a person."""

    list_display = ("id", "created_at", "method", "purpose", "show_amount", "show_state", "reference", "detail")
    list_filter = ("state", DeliveryFilter, "method", "purpose", "is_sandbox")
    search_fields = ("reference", "challenge_id", "payer")
    date_hierarchy = "created_at"
    actions_detail = ("ask_again",)

    @action(description="Reconcile now", url_path="reconcile", permissions=["move_money"])
    def ask_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask the method what became of it. Safe to repeat, but it books money that arrived: so it asks first."""
        payment = get_object_or_404(Payment, pk=object_id)
        back = reverse("admin:billing_payment_change", args=[payment.pk])
        if request.method != "POST":
            title = f"Ask what became of {payment}? Money that arrived is booked, once; nothing is taken twice."
            context = {**admin.site.each_context(request), "title": title, "form": forms.Form(), "back": back}
            return render(request, "billing/ask.html", context)
        before = payment.state
        after = checkout.reconcile(payment, now=timezone.now())
        tell = messages.success if after != before else messages.info
        sentence = f"The payment was {before} and is {after}."
        self.log_change(request, payment, sentence)
        tell(request, sentence)
        return redirect(back)


@admin.register(TopUp)
class TopUpAdmin(AmountAdmin):
    """Top-ups by card."""

    list_display = ("id", "created_at", "account", "show_amount", "show_state", "show_shortfall", "payment_intent")
    list_filter = ("state",)
    search_fields = ("account__name", "account__email", "session_id", "payment_intent")
    list_select_related = ("account",)

    @display(description="shortfall (USD)")
    def show_shortfall(self, obj: TopUp) -> str:
        return money.to_decimal_string(obj.shortfall) if obj.shortfall else ""


@admin.register(ProviderEvent)
class ProviderEventAdmin(ReadOnlyAdmin):
    """What the card provider sent us, and what was done with it."""

    list_display = ("received_at", "kind", "outcome", "event_id")
    list_filter = ("kind", "outcome")
    search_fields = ("event_id", "waits_for")
    list_per_page = 100
