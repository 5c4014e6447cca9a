"""Signing out, and the switches in the head of each page: to another account, to the sandbox and back."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from billing import audit
from billing.members import sessions
from lookups.pages.docs import example_keys
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.entrance.views import HOME, own_path


@require_POST
@workspace(closed=True, signed_out=lambda request: redirect(f"{reverse('workspace:sign-in')}?next={HOME}"))
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends the session of this browser."""
    session = cast(WorkspaceRequest, request).member_session
    sessions.end(user_id=session.member.user_id, session_id=session.pk)
    audit.record(audit.Kind.SIGNED_OUT, subject=session.member, now=timezone.now())
    response = HttpResponseRedirect("/")
    response.delete_cookie(settings.WORKSPACE_COOKIE_NAME)
    example_keys.drop(response)
    return response


@require_POST
@workspace(closed=True)
def switch_mode(request: HttpRequest) -> HttpResponse:
    """From the real registries to the sandbox, or back; the page that was open is opened again."""
    sessions.switch(cast(WorkspaceRequest, request).member_session, livemode=request.POST.get("mode") != "sandbox")
    return HttpResponseRedirect(own_path(request.POST.get("next", "")))


@require_POST
@workspace(closed=True)
def switch_account(request: HttpRequest) -> HttpResponse:
    """To another account of the same person."""
    wanted = request.POST.get("member", "")
    session = cast(WorkspaceRequest, request).member_session
    if not (wanted.isdecimal() and len(wanted) < 19 and sessions.move(session, member_id=int(wanted))):
        messages.error(request, f"You are no longer in that account. This is {session.member.account.name}.")
    return HttpResponseRedirect(HOME)
