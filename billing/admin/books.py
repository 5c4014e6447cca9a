"""Closed months and receipts, as staff and accountants read them."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from billing import money
from billing.accounting import closing
from billing.admin import pages
from billing.admin.entries import ReadOnlyAdmin
from billing.admin.finding import OfAccounts
from billing.models import MonthClose, Receipt
from billing.proof import proven
from jurisdictions.rows import get_row_or_404


class MonthForm(forms.Form):
    """Which month the question was about: the next one may have begun before it is answered."""

    month = forms.CharField(required=False, widget=forms.HiddenInput())


@admin.register(MonthClose)
class MonthCloseAdmin(ReadOnlyAdmin):
    """Months of the books that are closed."""

    list_display = ("month", "entries", "show_paid_in", "show_revenue", "operator", "closed_at")
    actions_list = ("close_last",)
    actions_detail = ("journal",)

    @display(description="paid in (USD)")
    def show_paid_in(self, obj: MonthClose) -> str:
        return money.to_decimal_string(obj.totals["cash"][0])

    @display(description="revenue (USD)")
    def show_revenue(self, obj: MonthClose) -> str:
        return money.to_decimal_string(obj.totals["revenue"][1] - obj.totals["credit_refunds"][0])

    @display(description="totals (USD)")
    def show_totals(self, obj: MonthClose) -> str:
        """Each account of the books with its debit and credit."""
        both = ((name, *map(money.to_decimal_string, sums)) for name, sums in obj.totals.items())
        return ", ".join(f"{name}: {debit} / {credit}" for name, debit, credit in both)

    @action(description="Close last month", url_path="close-last", permissions=["move_money"])
    @proven
    def close_last(self, request: HttpRequest) -> HttpResponse:
        """Close the month before this one: it is asked first, for a closed month stays as it is."""
        now = timezone.now()
        month = now.date().replace(day=1) - timedelta(days=1)
        back = reverse("admin:billing_monthclose_changelist")
        question = f"Close {month:%B %Y}? What it comes to is written down and compared ever after."
        asked = request.POST.get("month", f"{month:%Y-%m}") if request.method == "POST" else ""
        if asked != f"{month:%Y-%m}":
            if asked:
                messages.warning(request, f"A month has ended since you were asked about {asked[:7]}: read again.")
            return pages.ask(request, question, form=MonthForm(initial={"month": f"{month:%Y-%m}"}), back=back)
        try:
            closed = closing.close(month, operator=pages.operator_of(request), now=now)
        except closing.NotYet as early:
            messages.error(request, str(early))
            return redirect(back)
        if closed.closed_at == now:  # else it was closed before, by whoever stands there
            self.log_change(request, closed, "Closed.")
        messages.success(request, f"{closed} is closed with {closed.entries} entries.")
        return redirect(back)

    @action(description="Journal (CSV)", url_path="journal", permissions=["read_ledger"])
    def journal(self, request: HttpRequest, object_id: str) -> StreamingHttpResponse:
        """Every entry of the month with its two accounts."""
        closed = get_row_or_404(MonthClose, object_id)
        headers = {"Content-Disposition": f'attachment; filename="journal-{closed}.csv"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(closing.write_journal(closed.month), content_type="text/csv", headers=headers)


@admin.register(Receipt)
class ReceiptAdmin(OfAccounts, ReadOnlyAdmin):
    """Receipts and invoices by their numbers; each is printed from its entry."""

    list_display = ("__str__", "issued_at", "show_customer", "show_amount")
    list_filter = ("kind",)
    names, account_path, narrowed_by = ("number",), "entry__account", ("entry",)
    search_help_text = "A receipt's number, or an account."
    list_select_related = ("entry__account",)
    empty_says = "No receipt was numbered that fits: each is numbered when it is asked for first, from its entry."

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Those of one account, as its page leads to them."""
        return lookup == "entry__account__id__exact" or super().lookup_allowed(lookup, value, request)

    @display(description="customer")
    def show_customer(self, obj: Receipt) -> str:
        return str(obj.entry.account)

    @display(description="amount (USD)")
    def show_amount(self, obj: Receipt) -> str:
        return money.to_decimal_string(obj.entry.amount)
