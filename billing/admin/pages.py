"""Pages of the admin that ask twice: fill in, read what will happen, confirm. Shared by all that moves money."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from billing import fields, money
from billing.ledger_errors import IdempotencyConflict, InsufficientFunds, LedgerError, RefundTooLarge

MOVE_MONEY = "billing.move_money"
CONFIRMED = "This form was confirmed before, with something else in it."
GRANT_REASONS = [
    ("goodwill", "Goodwill"),
    ("trial", "Longer trial"),
    ("outage", "Outage"),
    ("invoice", "Paid by invoice"),
]
REFUND_REASONS = [
    ("wrong_answer", "Wrong answer"),
    ("outage", "Outage"),
    ("duplicate", "Charged twice"),
    ("goodwill", "Goodwill"),
]
ADJUST_REASONS = [("correction", "Correction"), ("expired_trial", "Trial ended")]


class DollarsField(fields.DollarsField):
    """Dollars, as the admin's skin shows a number."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**{"widget": UnfoldAdminDecimalFieldWidget(), **named})


def in_dollars(column: str) -> Any:
    """A column of whole units as a list and a page show it: in dollars; empty where there is nothing."""

    @display(description=f"{column.replace('_', ' ')} (USD)", ordering=column)
    def show(self: Any, obj: Any) -> str:
        units = getattr(obj, column)
        return "" if units is None else money.to_decimal_string(units)

    return show


def reason_field(choices: list[tuple[str, str]]) -> forms.ChoiceField:
    """A reason from a list: what can be counted later."""
    return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget())


def note_field() -> forms.CharField:
    """A sentence for the next person who looks."""
    return forms.CharField(required=False, max_length=500, widget=UnfoldAdminTextInputWidget())


def whole_number_field(**named: Any) -> forms.IntegerField:
    """A number of things."""
    return forms.IntegerField(min_value=1, max_value=10_000_000, widget=UnfoldAdminIntegerFieldWidget(), **named)


LIMITS = {
    "monthly_budget": "The most that may be spent in a month (UTC), in USD; empty: no limit.",
    "low_balance": "A mail goes to the address when less than this is left, in USD; empty: none.",
}


class BudgetInDollars(ModelAdmin):
    """Limits that are typed and read in dollars."""

    show_monthly_budget, show_low_balance = in_dollars("monthly_budget"), in_dollars("low_balance")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **named: Any) -> Any:
        if db_field.name in LIMITS:
            return DollarsField(required=False, min_value=0, help_text=LIMITS[db_field.name])
        return super().formfield_for_dbfield(db_field, request, **named)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """A budget that was changed stands in the history with its number."""
        if isinstance(message, list) and "monthly_budget" in str(message):
            budget = obj.monthly_budget
            words = "no limit" if budget is None else f"{money.to_decimal_string(budget)} USD"
            super().log_change(request, obj, f"The monthly budget is {words}.")
        return super().log_change(request, obj, message)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_fieldsets(request, obj)
        if self.has_change_permission(request, obj):
            return found
        read = {name: f"show_{name}" for name in LIMITS}
        return [(name, {**more, "fields": [read.get(one, one) for one in more["fields"]]}) for name, more in found]


class ActionPermissions:
    """What the buttons of billing's pages ask for.

    Methods, because a permission named as "billing.move_money" is looked up by the skin's system check in a database
    that a fresh installation does not have yet.
    """

    def has_move_money_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm(MOVE_MONEY))

    def has_read_ledger_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("billing.view_ledgerentry"))

    def has_issue_key_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("billing.add_apikey"))

    def has_change_key_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("billing.change_apikey"))

    def has_reconcile_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("billing.view_reconciliation"))


def operator_of(request: HttpRequest) -> str:
    """The name that stands in the entry."""
    return str(request.user.get_username())


def ask(request: HttpRequest, question: str, *, back: str, form: forms.Form | None = None) -> HttpResponse:
    """The page that asks before anything is done, with `form` where there is something to fill in."""
    context = {**admin.site.each_context(request), "title": question, "form": form or forms.Form(), "back": back}
    return render(request, "billing/ask.html", context)


def confirmed_move(
    request: HttpRequest,
    *,
    title: str,
    form: forms.Form,
    describe: Callable[[dict[str, Any]], list[tuple[str, str]]],
    perform: Callable[[dict[str, Any], str], str],
    back: str,
    right: str = MOVE_MONEY,
    facts: list[tuple[str, str]] | None = None,
) -> HttpResponse:
    """Show `form`, then what `describe` says will happen, then `perform` it once; return to `back`.

    `perform(cleaned, token)` returns the sentence for the operator. The token was made when the form was first
    shown and stays with it: pressing "confirm" twice is the same movement twice, so it happens once. With `facts` what
    will happen is known before anything is typed: the form stands beneath it, and is confirmed at once.
    """
    if not request.user.has_perm(right):
        raise PermissionDenied
    token = request.POST.get("token") or uuid.uuid4().hex
    summary: list[tuple[str, str]] = []
    if request.method == "POST" and form.is_valid():
        if "confirm" in request.POST:
            try:
                messages.success(request, perform(form.cleaned_data, f"admin:{token[:64]}"))
                return redirect(back)
            except (LedgerError, ValueError) as refusal:
                form.add_error(None, _explain(refusal))
        elif "change" not in request.POST and facts is None:
            try:
                summary = describe(form.cleaned_data)
            except (LedgerError, ValueError) as refusal:
                form.add_error(None, _explain(refusal))
    context = {
        **admin.site.each_context(request),
        "title": title,
        "form": form,
        "summary": summary,
        "facts": facts,
        "token": token,
        "back": back,
    }
    return render(request, "billing/move.html", context)


def _explain(refusal: Exception) -> str:
    """Why the ledger refused, in dollars."""
    match refusal:
        case InsufficientFunds(available=available, needed=needed):
            left, wanted = money.to_decimal_string(available), money.to_decimal_string(needed)
            return f"{wanted} USD are needed and {left} USD are available."
        case RefundTooLarge(refundable=refundable):
            return f"Only {money.to_decimal_string(refundable)} USD of this charge can still be given back."
        case IdempotencyConflict():
            return f"{CONFIRMED} Nothing was moved now: begin anew from the page that led here."
    return str(refusal)
