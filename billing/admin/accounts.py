"""Accounts: opened with their free lookups, granted credit, adjusted, and read as a statement."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSingleDateWidget

from billing import accounts, grants, money, prices, proof, selectors, statements
from billing.admin import hubs, pages
from billing.finance import midnight
from billing.ledger_errors import InsufficientFunds
from billing.models import Account, WaitingGrant
from billing.proof import proven
from jurisdictions.rows import find_row, get_row_or_404
from jurisdictions.shown import AsShown


class GrantForm(forms.Form):
    """Credit as dollars or as a number of lookups."""

    dollars = pages.DollarsField(required=False, min_value=0, help_text="Up to four decimals; or leave empty and")
    lookups = pages.whole_number_field(required=False, help_text="give this many lookups at today's price.")
    reason = pages.reason_field(pages.GRANT_REASONS)
    note = pages.note_field()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if bool(data.get("dollars")) == bool(data.get("lookups")):
            raise forms.ValidationError("Give either dollars or a number of lookups.")
        data["amount"] = data["dollars"] or data["lookups"] * prices.LOOKUP
        return data


class AdjustForm(forms.Form):
    """A correction up or down."""

    dollars = pages.DollarsField(help_text="Negative takes credit away; never below zero.")
    reason = pages.reason_field(pages.ADJUST_REASONS)
    note = pages.note_field()

    def clean_dollars(self) -> int:
        units = int(self.cleaned_data["dollars"])
        if not units:
            raise forms.ValidationError("An adjustment of nothing is a mistake.")
        return units


class PeriodForm(forms.Form):
    """The days of a statement, both included."""

    since = forms.DateField(required=False, widget=UnfoldAdminSingleDateWidget())
    until = forms.DateField(required=False, widget=UnfoldAdminSingleDateWidget())


class OwesFilter(admin.SimpleListFilter):
    """Accounts whose payments were taken back after they were spent."""

    title, parameter_name = "owes", "owes"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("yes", "owes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Account]) -> QuerySet[Account]:
        return queryset.filter(available__lt=0) if self.value() else queryset


@admin.register(Account)
class AccountAdmin(pages.ActionPermissions, pages.BudgetInDollars):
    """Sums are shown and never typed in; free service is given by those who may move money."""

    form = AsShown
    list_display = ("name", "email", "kind", "is_active", "show_available", "show_held", "show_spent", "created_at")
    list_filter = (OwesFilter, "kind", "is_active")
    search_fields = ("^name", "=email")
    search_help_text = "How the name begins, a whole e-mail address, or the number."
    list_per_page = 50
    empty_says = "No account fits."
    change_form_outer_before_template = "billing/hub.html"
    readonly_fields = ("show_available", "show_held", "show_spent", "show_deposited", "created_at")
    fieldsets = (
        (None, {"fields": ("name", "email", "kind", "is_active", "created_at")}),
        ("Balance", {"fields": ("show_available", "show_held", "show_spent", "show_deposited")}),
        (
            "Preferences",
            {
                "fields": (
                    "max_cache_age_days",
                    "cache_first_default",
                    "monthly_budget",
                    "low_balance",
                    "webhook_url",
                    "test_webhook_url",
                )
            },
        ),
    )
    actions_detail = ("grant_credit", "adjust_balance", "statement", "issue_key")

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        """By number, address, or how the name begins."""
        if not search_term.strip():
            return queryset, False
        return queryset.filter(pk__in=selectors.find_accounts(search_term).values("pk")), False

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *more: Any, **named: Any) -> Any:
        """Free service moves money: who gives or ends it shows first who they are."""
        kept = find_row(Account, object_id) if object_id else None
        before = kept.kind if kept else Account.Kind.USER
        is_given = self.has_move_money_permission(request) and request.POST.get("kind", before) != before
        return (is_given and proof.demand(request)) or super().changeform_view(request, object_id, *more, **named)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Adds the way to everything of it."""
        hub = hubs.list_links(request, object_id) if object_id.isdecimal() else []
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "hub": hub})

    def get_fieldsets(self, request: HttpRequest, obj: Account | None = None) -> Any:
        return super().get_fieldsets(request, obj) if obj else ((None, {"fields": ("name", "email", "kind")}),)

    def get_readonly_fields(self, request: HttpRequest, obj: Account | None = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if self.has_move_money_permission(request) else (*fields, "kind")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **named: Any) -> Any:
        """An address typed without its scheme is https; a stored answer is at most as old as customers may set."""
        if db_field.name in ("webhook_url", "test_webhook_url"):
            named["assume_scheme"] = "https"
        if db_field.name == "max_cache_age_days":
            named["max_value"] = accounts.OLDEST_STORED
        return super().formfield_for_dbfield(db_field, request, **named)

    def has_delete_permission(self, request: HttpRequest, obj: Account | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Account | None = None) -> bool:
        """What the service keeps itself is nobody's account: closed or limited, it would end what is paid elsewhere."""
        return not (obj and obj.role) and super().has_change_permission(request, obj)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nor has it credit to spend or a key to ask with; a deposit that was booked wrongly is put right in it.

        A closed account gets no key either.
        """
        found = super().get_actions_detail(request, object_id)
        own = find_row(Account.objects.filter(role=None), object_id)
        not_now = set() if own and own.is_active else {"issue_key"} if own else {"grant_credit", "issue_key"}
        return [one for one in found if one.method.__name__ not in not_now]

    def save_model(self, request: HttpRequest, obj: Account, form: forms.ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        """Open through the service; later write only what was changed here: sums may have moved meanwhile."""
        if change:
            obj.save(update_fields=form.changed_data)
        else:
            opened = accounts.open_account(name=obj.name, email=obj.email, kind=obj.kind, now=timezone.now())
            obj.__dict__.update(opened.__dict__)
        if "kind" in form.changed_data:
            self.log_change(request, obj, f"The kind is {obj.kind}; it was {form.initial.get('kind', 'user')}.")

    @display(description="available", ordering="available")
    def show_available(self, obj: Account) -> str:
        if obj.owed:
            return f"owes {prices.display(obj.owed)}"
        return f"{prices.display(obj.available)} ({prices.lookups_covered(obj.available)} lookups)"

    @display(description="held", ordering="held")
    def show_held(self, obj: Account) -> str:
        return prices.display(obj.held)

    @display(description="spent", ordering="spent")
    def show_spent(self, obj: Account) -> str:
        return prices.display(obj.spent)

    @display(description="deposited", ordering="deposited")
    def show_deposited(self, obj: Account) -> str:
        return prices.display(obj.deposited)

    @action(description="Grant credit", url_path="grant", permissions=["move_money"])
    @proven
    def grant_credit(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account = get_row_or_404(Account.objects.filter(role=None), object_id)

        return pages.confirmed_move(
            request,
            title=f"Grant credit to {account.name}",
            form=GrantForm(request.POST or None),
            perform=lambda data, token: self._give(request, account, "grant", data["amount"], data, token),
            describe=lambda data: _summary(request, account, data["amount"], data),
            back=_page_of(account),
        )

    @action(description="Adjust balance", url_path="adjust", permissions=["move_money"])
    @proven
    def adjust_balance(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account = get_row_or_404(Account, object_id)

        return pages.confirmed_move(
            request,
            title=f"Adjust the balance of {account.name}",
            form=AdjustForm(request.POST or None),
            describe=lambda data: _summary(request, account, data["dollars"], data),
            perform=lambda data, token: self._give(request, account, "adjust", data["dollars"], data, token),
            back=_page_of(account),
        )

    @action(description="Statement", url_path="statement", permissions=["read_ledger"])
    def statement(self, request: HttpRequest, object_id: str) -> HttpResponse | StreamingHttpResponse:
        account = get_row_or_404(Account, object_id)
        form = PeriodForm(request.GET or None)
        days = form.cleaned_data if form.is_valid() else {}
        since = midnight(days["since"]) if days.get("since") else None
        last = days.get("until") or date.max  # after which there is no day
        until = midnight(last + timedelta(days=1)) if last < date.max else None
        made = statements.make(account_id=account.pk, since=since, until=until)
        if "csv" in request.GET:
            name = f"statement-{account.pk}.csv"
            headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
            return StreamingHttpResponse(statements.write_csv(made), content_type="text/csv", headers=headers)
        context = {
            **admin.site.each_context(request),
            "title": f"Statement of {account.name}",
            "account": account,
            "form": form,
            "statement": made,
            "entries": made.entries.order_by("-id")[:500],
            "count": made.entries.count(),
        }
        return render(request, "billing/statement.html", context)

    @action(description="Issue a key", url_path="issue-key", permissions=["issue_key"])
    @proven
    def issue_key(self, request: HttpRequest, object_id: str) -> HttpResponse:
        from billing.admin.keys import issue_page

        if not request.user.has_perm("billing.add_apikey"):
            raise PermissionDenied
        return issue_page(request, account=get_row_or_404(Account.objects.filter(role=None), object_id))

    def _give(
        self, request: HttpRequest, account: Account, kind: str, amount: int, data: dict[str, Any], token: str
    ) -> str:
        """Move it, or leave it to a second person; which it was stands in the account's history, once."""
        now = timezone.now()
        given = grants.give(
            account_id=account.pk,
            kind=kind,
            amount=amount,
            token=token,
            operator=pages.operator_of(request),
            reason=data["reason"],
            note=data["note"],
            now=now,
        )
        sentence = f"{grants.WORDS[kind]} {money.to_decimal_string(amount)} USD"
        sentence += " waits for a second person." if isinstance(given, WaitingGrant) else "."
        begun = given.asked_at if isinstance(given, WaitingGrant) else given.created_at
        if begun >= now:  # else it was confirmed before
            self.log_change(request, account, sentence)
        return sentence


def _page_of(account: Account) -> str:
    return reverse("admin:billing_account_change", args=[account.pk])


def _summary(request: HttpRequest, account: Account, change: int, data: dict[str, Any]) -> list[tuple[str, str]]:
    """What the confirmation page says; the balance after it is as of now. Raises LedgerError for what cannot be."""
    grants.refuse_above_maximum(change)
    if change < 0 and account.available + change < 0:
        raise InsufficientFunds(available=max(0, account.available), needed=-change)
    alone = grants.may_give_alone(operator=pages.operator_of(request), amount=change, now=timezone.now())
    return [
        ("Account", str(account)),
        ("Available now", f"{money.to_decimal_string(account.available)} USD"),
        ("Change", f"{money.to_decimal_string(change)} USD"),
        ("Available afterwards", f"{money.to_decimal_string(account.available + change)} USD"),
        ("Reason", data["reason"]),
        ("Note", data["note"] or "none"),
        ("Happens", "at once" if alone else "when a second person who may move money approves it"),
    ]
