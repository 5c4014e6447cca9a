"""What was given back for outages: how far it is, and the second person's yes or no where one is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from billing import money, outage_refunds
from billing.admin import pages
from billing.admin.entries import ReadOnlyAdmin
from billing.ledger_errors import LedgerError
from billing.models import OutageRefund
from billing.proof import proven
from jurisdictions.rows import find_row, get_row_or_404


@admin.register(OutageRefund)
class OutageRefundAdmin(ReadOnlyAdmin):
    """Each act with the person who wanted it; it is begun from the list of lookups."""

    list_display = (
        "asked_at",
        "subject",
        "count",
        "accounts",
        "show_amount",
        "show_refunded",
        "asked_by",
        "show_state",
    )
    list_filter = ("state", "reason")
    list_per_page = 50
    actions_detail = ("approve", "reject")
    empty_says = "No outage was ever refunded. Begin with Lookups, and Refund an outage."

    show_amount = pages.in_dollars("amount")
    show_refunded = pages.in_dollars("refunded")

    @display(
        description="state",
        label={"waiting": "warning", "under_way": "info", "done": "success", "rejected": "danger"},
    )
    def show_state(self, obj: OutageRefund) -> tuple[str, str]:
        return str(obj.state), obj.get_state_display()

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """What is decided is decided."""
        waits = find_row(OutageRefund.objects.waiting(), object_id) is not None
        return super().get_actions_detail(request, object_id) if waits else []

    @action(description="Approve", url_path="approve", permissions=["move_money"])
    @proven
    def approve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, outage_refunds.approve, "Approve")

    @action(description="Reject", url_path="reject", permissions=["move_money"])
    @proven
    def reject(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, outage_refunds.reject, "Reject")

    def _decide(
        self, request: HttpRequest, object_id: str, decide: Callable[..., OutageRefund], verb: str
    ) -> HttpResponse:
        """Ask first; then decide, once, and begin with what is approved."""
        row = get_row_or_404(OutageRefund, object_id)
        back, now = reverse("admin:billing_outagerefund_change", args=[row.pk]), timezone.now()
        if request.method != "POST":
            return pages.ask(request, f"{verb} {tell(row)}, asked for by {row.asked_by}?", back=back)
        try:
            decided = decide(refund_id=row.pk, operator=pages.operator_of(request), now=now)
        except LedgerError as refusal:
            messages.error(request, str(refusal))
            return redirect(back)
        if row.state == OutageRefund.State.WAITING:  # else it was decided before
            self.log_change(request, decided, f"{verb}: {tell(decided)}.")
        decided = outage_refunds.carry_out(decided, now=now)
        messages.success(request, f"It is {decided.get_state_display()}.")
        return redirect(back)


def tell(row: OutageRefund) -> str:
    """What it is, in words: how much, for how many, of how many accounts."""
    amount = money.to_decimal_string(row.amount)
    return f"the refund of {amount} USD for {row.count} lookups of {row.accounts} accounts ({row.subject})"
