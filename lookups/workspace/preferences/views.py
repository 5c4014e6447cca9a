"""The page Settings, and the account's preferences on it: those of the API, by the same service."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from billing import accounts, budgets, money
from billing.members import sessions, team
from billing.models import Account
from lookups import account_settings
from lookups.notifications import result_mail
from lookups.workspace import shown
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.entrance import passkeys

IN_DOLLARS = ("monthly_budget", "low_balance")


class AccountForm(forms.Form):
    """What may be set about the account."""

    name = forms.CharField(label="Name of the account", max_length=200)
    email = forms.ChoiceField(
        label="Mail goes to",
        required=False,
        help_text="Results of bulk jobs, the daily mail of watches, a low balance.",
    )
    max_cache_age_days = forms.IntegerField(
        label="How old a stored answer may be, in days",
        required=False,
        min_value=0,
        max_value=accounts.OLDEST_STORED,
    )
    cache_first_default = forms.BooleanField(
        label="Answer from stored records where they are recent enough", required=False
    )
    monthly_budget = forms.DecimalField(
        label="Monthly budget in USD",
        required=False,
        min_value=0,
        max_value=budgets.MOST,
        decimal_places=4,
        help_text="The most that is spent in a calendar month (UTC). Empty: no limit.",
    )

    low_balance = forms.DecimalField(
        label="Mail when less is left than, in USD",
        required=False,
        min_value=0,
        max_value=1_000_000,
        decimal_places=4,
        help_text="One mail each time the balance falls below. Empty: no mail.",
    )

    def __init__(self, account: Account, data: Any = None) -> None:
        first = {name: getattr(account, name) for name in self.base_fields}
        first |= {name: money.to_dollars(first[name]) for name in IN_DOLLARS if first[name] is not None}
        super().__init__(data, initial=first)
        self.fields["max_cache_age_days"].help_text = f"Empty: {settings.CACHE_MAX_AGE_DAYS}."
        found = {member.user.email for member in team.list_members(account)} | {account.email, ""}
        if data and data.get("email") == data.get(self.add_initial_prefix("email")):
            found.add(data.get("email", ""))  # left as it was shown: who has left the team since stops nothing else
        if not result_mail.is_configured():
            self.fields["low_balance"].help_text = "This installation sends no mail."
        choices = [(one, one or "Nobody") for one in sorted(found, reverse=True)]
        cast(forms.ChoiceField, self.fields["email"]).choices = choices
        shown.remember(self)

    def changes(self) -> dict[str, Any]:
        """The changed ones as the service takes them."""
        changed = {name: self.cleaned_data[name] for name in self.changed_data}
        in_dollars = {name: changed[name] for name in IN_DOLLARS if changed.get(name) is not None}
        return changed | {name: money.from_dollars(dollars) for name, dollars in in_dollars.items()}


@require_http_methods(["GET", "HEAD", "POST"])
@workspace()
def settings_page(request: HttpRequest) -> HttpResponse:
    """Everything that can be set; a POST changes the account, for those who may."""
    own = cast(WorkspaceRequest, request)
    account = own.member.account
    if request.method != "POST":
        return _show(own, AccountForm(account))
    if not own.member.can("admin"):
        messages.error(request, "Your role can only read: nothing was saved.")
        return _show(own, AccountForm(account), status=403)
    form = AccountForm(account, request.POST)
    if not form.is_valid():
        return _show(own, form, status=400)
    account_settings.change_in_workspace(member=own.member, now=timezone.now(), **form.changes())
    messages.success(request, "Saved.")
    return redirect("workspace:settings")


def _show(request: WorkspaceRequest, form: AccountForm, *, status: int = 200) -> HttpResponse:
    member, now = request.member, timezone.now()
    known = {
        "form": form,
        "manages": member.can("admin"),
        "owns": member.can("owner"),
        "passkeys": passkeys.list_keys(member.user),
        "sessions": sessions.list_lasting(user_id=member.user_id, now=now),
        "is_fresh": sessions.is_fresh(request.member_session, now=now),
    }
    return render(request, "workspace/preferences/settings.html", known, status=status)
