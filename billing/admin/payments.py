"""Payments by request, top-ups by card and the provider's messages: to read, and to ask again what became of one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminTextInputWidget

from billing import giving_back, money, reversals, selectors, topups
from billing.accounting.reconciling import transfers
from billing.admin import pages
from billing.admin.entries import ReadOnlyAdmin
from billing.admin.finding import OfAccounts
from billing.models import Payment, ProviderEvent, Reversal, TopUp
from billing.payments import checkout
from billing.proof import proven
from jurisdictions.bounded import NewestValues
from jurisdictions.lists import PretendedFilter
from jurisdictions.rows import find_row, get_row_or_404

STATES = {
    "paid": "success",
    "accepted": "info",
    "created": "info",
    "settling": "warning",
    "unknown": "danger",
    "mismatch": "danger",
    "failed": "warning",
}


class ReturnForm(forms.Form):
    """How much of a payment goes back."""

    dollars = pages.DollarsField(min_value=Decimal("0.01"), label="USD")


class TakenBackForm(ReturnForm):
    """What staff knows to be gone, and how: the same words again are the same event."""

    note = forms.CharField(
        max_length=150,
        widget=UnfoldAdminTextInputWidget(),
        help_text="What happened, so that it is told from every other one: a block, a letter of a bank.",
    )


class GivenBackForm(forms.Form):
    """By which transfer of ours a payment was paid back."""

    reference = forms.RegexField(
        regex=transfers.HASH,
        strip=True,
        label="Transfer hash",
        error_messages={"invalid": "A transfer is named by 0x and 64 hex digits in lower case."},
        widget=UnfoldAdminTextInputWidget(),
        help_text="Of the transfer that gave the money back, on the chain it came from: 0x and 64 hex digits.",
    )


class AmountAdmin(OfAccounts, ReadOnlyAdmin):
    """What has an amount and a state."""

    @display(description="amount (USD)", ordering="amount")
    def show_amount(self, obj: Payment | TopUp) -> str:
        return money.to_decimal_string(obj.amount)

    @display(description="state", ordering="state", label=STATES)
    def show_state(self, obj: Payment | TopUp) -> str:
        return obj.state


class CreditAdmin(AmountAdmin):
    """What was paid in, and may be taken back."""

    @display(description="taken back (USD)", ordering="taken_back")
    def show_taken_back(self, obj: Payment | TopUp) -> str:
        return money.to_decimal_string(obj.taken_back) if obj.taken_back else ""

    @action(description="Taken back", url_path="taken-back", permissions=["move_money"])
    @proven
    def take_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Enter that the money is gone without a message of its provider: a transfer its chain has undone."""
        credit = get_row_or_404(self.model, object_id)

        def perform(data: dict[str, Any], token: str) -> str:
            by: dict[str, Any] = {"operator": pages.operator_of(request), "now": timezone.now()}
            with transaction.atomic():  # what somebody else enters at the same moment is said by them
                before = self.model.objects.select_for_update().get(pk=credit.pk).taken_back
                reversals.enter(credit, amount=data["dollars"], note=data["note"], **by)
                credit.refresh_from_db()
            gone = credit.taken_back - before
            if not gone:
                return f"Nothing more is taken back: {data['note']} was entered before, or nothing is left."
            sentence = f"Taken back: {money.to_decimal_string(gone)} USD, {data['note']}."
            self.log_change(request, credit, sentence)
            return sentence

        return self._confirm(request, credit, f"Enter what was taken back of {credit}", TakenBackForm, perform)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nothing that can only fail: what was never paid into a balance, or is all gone, goes back no more."""
        found = super().get_actions_detail(request, object_id)
        credit = find_row(self.model, object_id)
        left = credit is not None and credit.taken_back < credit.amount and _find_objection(credit) is None
        return [one for one in found if left or one.method.__name__ not in ("take_back", "refund_card")]

    def _confirm(
        self, request: HttpRequest, credit: Any, title: str, form: type[ReturnForm], perform: Any
    ) -> HttpResponse:
        back = reverse(f"admin:billing_{self.model._meta.model_name}_change", args=[credit.pk])
        objection = _find_objection(credit)
        if objection is not None:
            messages.error(request, objection)
            return redirect(back)

        def describe(data: dict[str, Any]) -> list[tuple[str, str]]:
            reversals.refuse_above_paid(credit, data["dollars"])
            return [
                ("Account", str(credit.account)),
                ("Paid in", f"{money.to_decimal_string(credit.amount)} USD"),
                ("Taken back before", f"{money.to_decimal_string(credit.taken_back)} USD"),
                ("Goes back now", f"{money.to_decimal_string(data['dollars'])} USD"),
                ("Available now", f"{money.to_decimal_string(credit.account.available)} USD"),
            ]

        form_ = form(request.POST or None)
        return pages.confirmed_move(request, title=title, form=form_, describe=describe, perform=perform, back=back)


def _find_objection(credit: Payment | TopUp) -> str | None:
    """Why nothing of it can be taken back."""
    paid_in = credit.state == "paid" and credit.account is not None
    return None if paid_in else "Only what was paid into a balance can be taken back."


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
class PaymentAdmin(CreditAdmin):
    """Payments that came with a request; `unknown` is the state that wants a person."""

    list_display = ("id", "created_at", "method", "purpose", "show_amount", "show_state", "reference", "detail")
    list_filter = (PretendedFilter, "state", DeliveryFilter, ("method", NewestValues), "purpose")
    names = ("challenge_id", "reference", "payer")
    search_help_text = "A whole reference, challenge or payer; or an account."
    empty_says = "No payment came with a request that fits; the sandbox's are under Sandbox."
    span_by = date_hierarchy = "created_at"
    actions_detail = ("ask_again", "give_back", "take_back")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nor is given back what is delivered, or was given back for all to see."""
        found = super().get_actions_detail(request, object_id)
        payment = find_row(Payment, object_id)
        can = payment is not None and _is_to_be_given_back(payment)
        return [one for one in found if can or one.method.__name__ != "give_back"]

    @action(description="Reconcile now", url_path="reconcile", permissions=["move_money"])
    @proven
    def ask_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask the method what became of it. Safe to repeat, but it books money that arrived: so it asks first."""
        payment = get_row_or_404(Payment, object_id)
        back = reverse("admin:billing_payment_change", args=[payment.pk])
        question = f"Ask what became of {payment}? Money that arrived is booked, once; nothing is taken twice."
        if request.method != "POST":
            return pages.ask(request, question, back=back)
        before = payment.state
        after = checkout.reconcile(payment, now=timezone.now())
        tell = messages.success if after != before else messages.info
        sentence = f"The payment was {before} and is {after}."
        self.log_change(request, payment, sentence)
        tell(request, sentence)
        return redirect(back)

    @action(description="Given back", url_path="given-back", permissions=["move_money"])
    @proven
    def give_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Enter that staff has paid back a lookup that was paid and not delivered: it leaves the list of those.

        As long as the chain has not shown the transfer, it may be entered again.
        """
        payment = get_row_or_404(Payment, object_id)
        back = reverse("admin:billing_payment_change", args=[payment.pk])
        if not _is_to_be_given_back(payment):
            messages.error(request, "Only a lookup that is paid and not delivered is given back, once.")
            return redirect(back)

        def describe(data: dict[str, Any]) -> list[tuple[str, str]]:
            given = f"{money.to_decimal_string(payment.amount)} USD"
            return [("Paid by", payment.payer), ("Was given back", given), ("By the transfer", data["reference"])]

        def perform(data: dict[str, Any], token: str) -> str:
            by: dict[str, Any] = {"operator": pages.operator_of(request), "now": timezone.now()}
            is_seen = giving_back.enter(payment, reference=data["reference"], **by)
            seen = "seen on the chain" if is_seen else "not verified: the reconciliation looks for it on the chain"
            sentence = f"Given back: {money.to_decimal_string(payment.amount)} USD by {data['reference']}, {seen}."
            self.log_change(request, payment, sentence)
            return sentence

        title, form = f"Enter that {payment} was given back", GivenBackForm(request.POST or None)
        return pages.confirmed_move(request, title=title, form=form, describe=describe, perform=perform, back=back)


def _is_to_be_given_back(payment: Payment) -> bool:
    """Whether it is paid and not delivered, or its transfer back was not seen yet."""
    return payment.is_undelivered or giving_back.find_unseen(payment) is not None


@admin.register(TopUp)
class TopUpAdmin(CreditAdmin):
    """Top-ups by card."""

    list_display = ("id", "created_at", "account", "show_amount", "show_state", "show_taken_back", "payment_intent")
    list_filter = ("state",)
    names = ("session_id", "payment_intent")
    search_help_text = "An account, or a whole name of the provider's."
    empty_says = "No top-up by card fits. Customers begin them."
    list_select_related = ("account",)
    actions_detail = ("refund_card", "take_back")

    @action(description="Refund to the card", url_path="refund-card", permissions=["move_money"])
    @proven
    def refund_card(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Have the provider give it back; the ledger follows when the provider says that it has."""
        topup = get_row_or_404(TopUp, object_id)

        def perform(data: dict[str, Any], token: str) -> str:
            name = topups.refund(topup, amount=data["dollars"], token=token)
            dollars = money.to_decimal_string(data["dollars"])
            sentence = f"Asked the card provider to give back {dollars} USD ({name})."
            history = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(topup))
            if not history.filter(object_id=topup.pk, change_message=sentence).exists():  # else confirmed before
                self.log_change(request, topup, sentence)
            return sentence

        return self._confirm(request, topup, f"Refund {topup} to its card", ReturnForm, perform)


@admin.register(Reversal)
class ReversalAdmin(OfAccounts, ReadOnlyAdmin):
    """Refunds and disputes as they are told; one that is not settled is of no payment of ours.

    A payment's refunds are told one by one and as their sum: what is gone of it stands with the top-up.
    """

    list_display = (
        "heard_at",
        "kind",
        "payment_reference",
        "name",
        "show_amount",
        "reinstated",
        "is_settled",
        "seen_at",
    )
    list_filter = ("kind", "reinstated", "is_settled")
    names, account_path = ("payment_reference", "name"), ""
    empty_says = "No refund or dispute was heard of that fits."

    @display(description="amount (USD)", ordering="amount")
    def show_amount(self, obj: Reversal) -> str:
        return money.to_decimal_string(obj.amount)


@admin.register(ProviderEvent)
class ProviderEventAdmin(OfAccounts, ReadOnlyAdmin):
    """What the card provider sent us, and what was done with it."""

    list_display = ("received_at", "kind", "outcome", "event_id")
    list_filter = (("kind", NewestValues), ("outcome", NewestValues))
    names, account_path = ("event_id",), ""
    empty_says = "The card provider has sent nothing that fits."
