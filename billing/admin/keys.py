"""API keys: issued with their secret shown once, rotated, revoked; never deleted."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleDateWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from billing import keys, locks, proof
from billing.admin import pages
from billing.fields import NetworksField
from billing.models import Account, ApiKey
from billing.proof import proven
from jurisdictions.rows import find_row, get_row_or_404
from jurisdictions.shown import AsShown

SENT_TWICE = "The form was sent twice, and made one key. Its secret was shown the first time."
CLOSED = "The account is closed: no key of it opens anything. Make it active first."
SCOPE_CHOICES = [(scope, scope) for scope in keys.SCOPES]


def _scopes() -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=SCOPE_CHOICES,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
        help_text=f"With none ticked it may do everything but {keys.RECONCILE}.",
    )


class IssueForm(forms.Form):
    """What a new key is for; `named` makes a form that is sent twice one key."""

    name = forms.CharField(max_length=100, widget=UnfoldAdminTextInputWidget(), help_text="Who or what will use it.")
    mode = forms.ChoiceField(choices=ApiKey.Mode.choices, widget=UnfoldAdminSelectWidget())
    scopes = _scopes()
    expires = forms.DateField(required=False, widget=UnfoldAdminSingleDateWidget(), help_text="Empty: never.")
    allowed_networks = NetworksField(widget=UnfoldAdminTextareaWidget())
    named = forms.UUIDField(widget=forms.HiddenInput(), required=False, initial=uuid.uuid4)

    def clean_scopes(self) -> list[str]:
        """Nobody is handed a key for a spreadsheet that the spreadsheet's address refuses."""
        if keys.reconciles_in_vain(self.cleaned_data["scopes"]):
            raise forms.ValidationError(keys.ALONE)
        return list(self.cleaned_data["scopes"])

    def clean_expires(self) -> datetime | None:
        """The moment it ends: a key that has ended would be handed out as one that works."""
        day = self.cleaned_data["expires"]
        if day is not None and day <= timezone.now().date():
            raise forms.ValidationError("Choose a day that is still to come.")
        return datetime.combine(day, time.min, tzinfo=UTC) if day else None


class RotateForm(forms.Form):
    """How long the old key goes on working; `named` makes a form that is sent twice one key."""

    grace_hours = pages.whole_number_field(initial=24, help_text="Both keys work for this many hours.")
    named = forms.UUIDField(widget=forms.HiddenInput(), required=False, initial=uuid.uuid4)


class KeyForm(AsShown):
    """What can be changed about a key that exists."""

    scopes = _scopes()
    allowed_networks = NetworksField(widget=UnfoldAdminTextareaWidget())

    class Meta:
        model = ApiKey
        fields = ("name", "scopes", "allowed_networks", "rate_limit_per_minute", "concurrent_lookups", "monthly_budget")

    def clean_scopes(self) -> list[str]:
        """Nor is a key made one that the spreadsheet's address refuses; what it was before stays."""
        if "scopes" in self.changed_data and keys.reconciles_in_vain(self.cleaned_data["scopes"]):
            raise forms.ValidationError(keys.ALONE)
        return list(self.cleaned_data["scopes"])


def issue_page(request: HttpRequest, *, account: Account) -> HttpResponse:
    """Ask what the key is for; answer with its secret, this once."""
    if not account.is_active:
        messages.error(request, CLOSED)
        return redirect("admin:billing_account_change", account.pk)
    form = IssueForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        with transaction.atomic():
            locks.lock_account(account.pk)  # of two at once the second finds what the first has made
            if data["named"] and (made := ApiKey.objects.filter(uuid=data["named"]).first()):
                messages.warning(request, SENT_TWICE)
                return redirect("admin:billing_apikey_change", made.pk)
            key, secret = keys.issue(
                account=account,
                name=data["name"],
                mode=data["mode"],
                scopes=data["scopes"],
                expires_at=data["expires"],
                allowed_networks=data["allowed_networks"],
                named=data["named"],
                now=timezone.now(),
            )
        return _show_secret(request, key, secret)
    return _ask(request, f"Issue a key for {account.name}", form, "admin:billing_account_change", account.pk)


@admin.register(ApiKey)
class ApiKeyAdmin(pages.ActionPermissions, pages.BudgetInDollars):
    """Which keys there are, what they may do, when they were last used."""

    form = KeyForm
    list_display = ("prefix", "name", "account", "mode", "show_state", "last_used_at", "created_at")
    list_filter = ("mode", "is_workspace", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("^prefix", "^name", "^account__name", "=account__email")
    search_help_text = "How the key, its name or its account begins."
    empty_says = "No key fits. Keys are issued from their account's page."
    list_select_related = ("account",)
    list_per_page = 50
    readonly_fields = (
        "account",
        "prefix",
        "mode",
        "is_workspace",
        "show_state",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
        "replaces",
    )
    actions_detail = ("rotate", "revoke")

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *more: Any, **named: Any) -> Any:
        """What a key opens is handed out with it: who changes that shows first who they are."""
        key = find_row(ApiKey, object_id) if object_id and request.method == "POST" else None
        given = KeyForm(request.POST, instance=key).changed_data if key else []
        is_given = self.has_change_permission(request, key) and {"scopes", "allowed_networks"}.intersection(given)
        return (is_given and proof.demand(request)) or super().changeform_view(request, object_id, *more, **named)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # issued from its account's page

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ApiKey, form: forms.ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        """Write what was changed; a budget also counts what the key used this month.

        The budget first: it locks the account, and whoever charges has that before the key.
        """
        if "monthly_budget" in form.changed_data:
            keys.set_budget(key=obj, monthly_budget=obj.monthly_budget, now=timezone.now())
        obj.save(update_fields=[name for name in form.changed_data if name != "monthly_budget"])

    @display(description="state", label={"active": "success", "revoked": "danger", "expired": "warning"})
    def show_state(self, obj: ApiKey) -> str:
        return obj.status_at(timezone.now())

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nothing that can only fail: what has ended, or is the workspace's own."""
        found = super().get_actions_detail(request, object_id)
        key, now = find_row(ApiKey.objects.select_related("account"), object_id), timezone.now()
        can = set()
        if key is not None and not key.is_workspace and key.status_at(now) != "revoked":
            can.add("revoke")
        if key is not None and key.account.is_active and keys.can_rotate(key, now=now):
            can.add("rotate")
        return [one for one in found if one.method.__name__ in can]

    @action(description="Rotate", url_path="rotate", permissions=["change_key"])
    @proven
    def rotate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        old = get_row_or_404(ApiKey.objects.select_related("account"), object_id)
        if not old.account.is_active:
            messages.error(request, CLOSED)
            return redirect("admin:billing_apikey_change", old.pk)
        form = RotateForm(request.POST or None, initial={"grace_hours": 24})
        if request.method == "POST" and form.is_valid():
            try:
                grace, named = timedelta(hours=form.cleaned_data["grace_hours"]), form.cleaned_data["named"]
                key, secret = keys.rotate(key=old, grace=grace, named=named, now=timezone.now())
            except keys.InvalidKey:
                if made := ApiKey.objects.filter(replaces=old, uuid=named).first():
                    messages.warning(request, SENT_TWICE)
                    return redirect("admin:billing_apikey_change", made.pk)
                messages.error(request, "This key no longer works or was rotated before.")
                return redirect("admin:billing_apikey_change", old.pk)
            self.log_change(request, old, f"Rotated; its successor is {key.prefix}…")
            return _show_secret(request, key, secret)
        return _ask(request, f"Rotate {old}", form, "admin:billing_apikey_change", old.pk)

    @action(description="Revoke", url_path="revoke", permissions=["change_key"])
    @proven
    def revoke(self, request: HttpRequest, object_id: str) -> HttpResponse:
        key = get_row_or_404(ApiKey, object_id)
        if key.is_workspace:
            messages.error(request, "Members ask with it in the workspace. To end that, close the account.")
            return redirect("admin:billing_apikey_change", key.pk)
        if key.status_at(timezone.now()) == "revoked":
            messages.info(request, f"{key} was revoked before.")
            return redirect("admin:billing_apikey_change", key.pk)
        if request.method == "POST":
            keys.revoke(key=key, now=timezone.now())
            self.log_change(request, key, "Revoked.")
            messages.success(request, f"{key} is revoked.")
            return redirect("admin:billing_apikey_change", key.pk)
        title = f"Revoke {key}? Whoever uses it is refused from that moment."
        return _ask(request, title, forms.Form(), "admin:billing_apikey_change", key.pk)


def _ask(request: HttpRequest, title: str, form: forms.Form, back: str, pk: int) -> HttpResponse:
    if not request.user.has_perm("billing.change_apikey") and not request.user.has_perm("billing.add_apikey"):
        raise PermissionDenied
    return pages.ask(request, title, form=form, back=reverse(back, args=[pk]))


def _show_secret(request: HttpRequest, key: ApiKey, secret: str) -> HttpResponse:
    """The only moment a secret is readable: a page that nothing stores."""
    context = {
        **admin.site.each_context(request),
        "title": "Copy this key now",
        "key": key,
        "secret": secret,
        "back": reverse("admin:billing_apikey_change", args=[key.pk]),
    }
    response = render(request, "billing/secret.html", context)
    response["Cache-Control"] = "no-store"
    return response
