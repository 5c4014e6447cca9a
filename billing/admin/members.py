"""Members, invitations and the links that wait to be handed on, where no mail server does it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action

from billing import proof
from billing.admin.entries import ReadOnlyAdmin
from billing.members import addresses, links
from billing.models import Account, Invitation, Member, SignInLink
from billing.proof import proven
from jurisdictions.rows import find_row, get_row_or_404


@admin.register(Member)
class MemberAdmin(ReadOnlyAdmin):
    """Who works in which account, as what; changed by the team itself."""

    list_display = ("show_email", "account", "role", "joined_at")
    list_filter = ("role",)
    list_select_related = ("user", "account")
    search_fields = ("=user__email", "^account__name")
    empty_says = "Nobody has joined in the workspace: such an account is used by its keys alone."

    @admin.display(description="person", ordering="user__email")
    def show_email(self, obj: Member) -> str:
        return obj.user.email or obj.user.get_username()


class InvitationForm(forms.ModelForm):  # type: ignore[type-arg]
    """Addresses are kept in small letters, so that somebody who is awaited already is known by any spelling."""

    def clean_email(self) -> str:
        return addresses.in_small_letters(self.cleaned_data["email"])

    def clean_account(self) -> Account:
        account: Account = self.cleaned_data["account"]
        if account.role:
            raise forms.ValidationError("The service keeps this account itself: nobody works in it.")
        if not account.is_active:
            raise forms.ValidationError("The account is closed: nobody can join it. Make it active first.")
        return account

    def clean(self) -> dict[str, Any]:
        """Who is in the account stays what they are, whatever they are invited as."""
        given = super().clean() or {}
        if Member.objects.filter(account=given.get("account"), user__email=given.get("email")).exists():
            raise forms.ValidationError("This address is in the team already: its owner gives another role.")
        return given


@admin.register(Invitation)
class InvitationAdmin(ModelAdmin):
    """Who is awaited in which account; the staff invites the first owner of an account that it opened."""

    form = InvitationForm
    fields = ("account", "email", "role")
    autocomplete_fields = ("account",)
    list_display = ("email", "account", "role", "invited_by", "created_at", "mailed_at")
    list_select_related = ("account",)
    search_fields = ("email", "account__name")

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        return False

    def changeform_view(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        """Whoever invites themselves into an account has it: so who they are is shown first."""
        first = proof.demand(request, keep=False) if request.method == "POST" else None
        return first or super().changeform_view(request, *args, **named)

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        """In the staff's name, which is nobody's for the invited."""
        obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)


@admin.register(SignInLink)
class SignInLinkAdmin(ReadOnlyAdmin):
    """Who asked for a link and may get no mail. A link signs in as a customer: seeing one is recorded."""

    list_display = ("email", "created_at", "expires_at", "mailed_at", "used_at")
    actions_detail = ("show_link",)

    def has_show_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The right to see that somebody waits is not that to sign in as them."""
        return bool(request.user.has_perm("billing.show_signinlink"))

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nothing is kept of a link that was mailed, used or is too old."""
        waits = find_row(links.list_unmailed(now=timezone.now()), object_id) is not None
        return super().get_actions_detail(request, object_id) if waits else []

    @action(description="Show the link", url_path="show", permissions=["show"])
    @proven
    def show_link(self, request: HttpRequest, object_id: str) -> HttpResponse:
        link = get_row_or_404(SignInLink, object_id)
        token = links.show(link, now=timezone.now())
        if not token:
            messages.error(request, "This link was mailed, used or is too old: nothing of it is kept here.")
            return redirect("admin:billing_signinlink_changelist")
        url = settings.PUBLIC_URL + reverse("workspace:sign-in-link", args=[token])
        known = {
            **admin.site.each_context(request),
            "title": f"Hand this link to {link.email}",
            "link": link,
            "url": url,
        }
        response = render(request, "billing/sign_in_link.html", known)
        response["Cache-Control"] = "no-store"
        return response
