"""Grants above one person's ceiling: who asked for them, and the second person's yes or no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from billing import grants, money
from billing.admin import pages
from billing.admin.entries import ReadOnlyAdmin
from billing.ledger_errors import LedgerError
from billing.models import WaitingGrant
from billing.proof import proven
from jurisdictions.rows import find_row, get_row_or_404


@admin.register(WaitingGrant)
class WaitingGrantAdmin(ReadOnlyAdmin):
    """What waits, and what became of it."""

    list_display = ("asked_at", "account", "kind", "show_amount", "reason", "asked_by", "show_state", "decided_by")
    list_filter = ("state", "kind", "reason")
    search_fields = ("^account__name", "=account__email", "=asked_by", "=decided_by")
    empty_says = "No grant waited for a second person."
    list_select_related = ("account",)
    actions_detail = ("approve", "reject")

    show_amount = pages.in_dollars("amount")

    @display(description="state", label={"waiting": "warning", "approved": "success", "rejected": "danger"})
    def show_state(self, obj: WaitingGrant) -> str:
        return str(obj.state)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """What is decided is decided."""
        waits = find_row(WaitingGrant.objects.waiting(), object_id) is not None
        return super().get_actions_detail(request, object_id) if waits else []

    @action(description="Approve", url_path="approve", permissions=["move_money"])
    @proven
    def approve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, grants.approve, "Approve")

    @action(description="Reject", url_path="reject", permissions=["move_money"])
    @proven
    def reject(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, grants.reject, "Reject")

    def _decide(
        self, request: HttpRequest, object_id: str, decide: Callable[..., WaitingGrant], verb: str
    ) -> HttpResponse:
        """Ask first; then decide, once."""
        grant = get_row_or_404(WaitingGrant.objects.select_related("account"), object_id)
        back = reverse("admin:billing_waitinggrant_change", args=[grant.pk])
        amount = f"{money.to_decimal_string(grant.amount)} USD"
        what = f"{amount} to {grant.account}, asked for by {grant.asked_by}"
        if request.method != "POST":
            return pages.ask(request, f"{verb} {what}?", back=back)
        try:
            decided = decide(grant_id=grant.pk, operator=pages.operator_of(request), now=timezone.now())
        except LedgerError as refusal:
            messages.error(request, str(refusal))
            return redirect(back)
        done = f"{decided.get_state_display().capitalize()} by {decided.decided_by}"
        if grant.state == WaitingGrant.State.WAITING:  # else it was decided before
            # Once, and by number: nothing leaves the audit log, a name that was to be forgotten neither.
            kept = f"{done}: {grant.kind} #{grant.pk} of {amount}, asked for by {grant.asked_by}."
            self.log_change(request, grant.account, kept)
        messages.success(request, f"{done}: {what}.")
        return redirect(back)
