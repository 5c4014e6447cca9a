"""The pages of the team. What may be done is decided by `billing.members.team`; the page shows what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from billing.members import addresses, arrival, sessions, team
from billing.models import Member
from lookups.pages.docs import example_keys
from lookups.workspace import mail
from lookups.workspace.access import WorkspaceRequest, refuse, sign_in_or_done, workspace


class InvitationForm(forms.Form):
    """Whom, and as what: offered is what `by` may give; what is sent all the same is refused in words."""

    email = forms.EmailField(label="E-mail address", max_length=254)
    role = forms.ChoiceField(label="Role", choices=Member.Role.choices, initial=Member.Role.MEMBER)

    def __init__(self, *args: Any, by: Member, **named: Any) -> None:
        super().__init__(*args, **named)
        role = cast(forms.ChoiceField, self.fields["role"])
        role.widget.choices = [one for one in Member.Role.choices if by.can(one[0])]

    def clean_email(self) -> str:
        return addresses.in_small_letters(self.cleaned_data["email"])


@require_safe
@workspace()
def team_page(request: HttpRequest) -> HttpResponse:
    """Everybody of the account; who manages the team can change that here."""
    own = cast(WorkspaceRequest, request)
    return _show(own, InvitationForm(by=own.member))


@require_POST
@workspace(role="admin")
def invite(request: HttpRequest) -> HttpResponse:
    """Keep a place for an address."""
    own = cast(WorkspaceRequest, request)
    form = InvitationForm(request.POST, by=own.member)
    if not form.is_valid():
        return _show(own, form, status=400)
    given = form.cleaned_data

    def act() -> str:
        invitation = team.invite(by=own.member, email=given["email"], role=given["role"], now=timezone.now())
        mail.wake()
        return f"{invitation.email} is invited as {invitation.role}."

    return _do(own, act)


@require_POST
@workspace(role="admin")
def withdraw(request: HttpRequest, number: int) -> HttpResponse:
    """Keep the place no longer."""
    own = cast(WorkspaceRequest, request)

    def act() -> str:
        team.withdraw(by=own.member, invitation_id=number, now=timezone.now())
        return "The invitation is withdrawn."

    return _do(own, act)


@require_POST
@workspace()
def join(request: HttpRequest) -> HttpResponse:
    """Take a place in another account that waits for this person, and go there."""
    own, wanted = cast(WorkspaceRequest, request), request.POST.get("invitation", "")
    number = int(wanted) if wanted.isdecimal() and len(wanted) < 19 else None
    invitation = arrival.find_invitation(own.member.user.email, number)

    def act() -> str:
        if invitation is None:
            raise team.NotAllowed("This invitation is no longer open.")
        with transaction.atomic():
            member = team.join(invitation=invitation, user=own.member.user, now=timezone.now())
        sessions.move(own.member_session, member_id=member.pk)
        return f"You are in {member.account.name} now."

    return _do(own, act)


@require_POST
@workspace(role="admin")
def change_role(request: HttpRequest, number: int) -> HttpResponse:
    """Give a member another role."""
    own, role = cast(WorkspaceRequest, request), request.POST.get("role", "")
    if role not in Member.Role.values:
        return redirect("workspace:team")

    def act() -> str:
        member = team.change_role(by=own.member, member_id=number, role=role, now=timezone.now())
        return f"{member.user.email} is {member.role} now."

    return _do(own, act)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(closed=True, signed_out=sign_in_or_done)
def remove(request: HttpRequest, number: int) -> HttpResponseBase:
    """Asks once more, then takes a member out of the account; oneself, too, and out of a closed one nobody else."""
    own = cast(WorkspaceRequest, request)
    if number != own.member.pk and not own.member.account.is_active:
        return refuse(request, "admin")
    member = team.list_members(own.member.account).filter(pk=number).first()
    if request.method != "POST" and member is not None:
        try:
            team.check_removal(member, by=own.member)
        except team.NotAllowed as reason:
            messages.error(request, str(reason))
            return redirect("workspace:team")
        return render(request, "workspace/team/remove.html", {"member": member})
    if member == own.member:
        return _leave(own)

    def act() -> str:
        email = member.user.email if member else ""  # who was removed before is refused below, in words
        team.remove(by=own.member, member_id=number, now=timezone.now())
        return f"{email} is no longer in the team."

    return _do(own, act)


def _leave(request: WorkspaceRequest) -> HttpResponse:
    """Take this member out, and say so on a page that needs no place in the account."""
    account, elsewhere = request.member.account, len(request.elsewhere)
    try:
        team.remove(by=request.member, member_id=request.member.pk, now=timezone.now())
    except team.NotAllowed as reason:
        messages.error(request, str(reason))
        return redirect("workspace:team")
    response = render(request, "workspace/entrance/left.html", {"account": account, "elsewhere": elsewhere})
    response.delete_cookie(settings.WORKSPACE_COOKIE_NAME)
    example_keys.drop(response)
    return response


def _do(request: WorkspaceRequest, act: Callable[[], str]) -> HttpResponse:
    """Do it, or say why not; then the page again."""
    try:
        messages.success(request, act())
    except team.NotAllowed as reason:
        messages.error(request, str(reason))
    return redirect("workspace:team")


def _show(request: WorkspaceRequest, form: InvitationForm, *, status: int = 200) -> HttpResponse:
    account = request.member.account
    known: dict[str, Any] = {
        "form": form,
        "members": team.list_members(account),
        "awaited": team.list_invitations(account),
        "mine": arrival.list_invitations(request.member.user.email),
        "roles": [role for role in Member.Role.values if request.member.can(role)],
        "manages": request.member.can("admin"),
    }
    return render(request, "workspace/team/team.html", known, status=status)
