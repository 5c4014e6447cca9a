"""What is one's own on the page Settings: passkeys, and the browsers in which one is signed in.

A passkey outlasts the session that adds it, so adding one asks for a sign-in of the last hour.
"""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from billing import audit
from billing.members import sessions
from lookups.workspace.access import WorkspaceRequest, sign_in_or_done, workspace
from lookups.workspace.entrance import passkeys

STALE = "Sign in again first: a passkey can be added only within an hour of signing in."


@require_safe
@workspace(closed=True)
def passkey_options(request: HttpRequest) -> HttpResponse:
    """What the browser needs to make a passkey."""
    own = cast(WorkspaceRequest, request)
    if not sessions.is_fresh(own.member_session, now=timezone.now()):
        return JsonResponse({"error": STALE}, status=403)
    return JsonResponse(passkeys.begin_adding(own.member.user))


@require_POST
@workspace(closed=True)
def add_passkey(request: HttpRequest) -> HttpResponse:
    """Keep what the browser made."""
    own = cast(WorkspaceRequest, request)
    if not sessions.is_fresh(own.member_session, now=timezone.now()):
        messages.error(request, STALE)
        return redirect("workspace:settings")
    try:
        passkeys.add(own.member.user, name=request.POST.get("name", ""), answer=request.POST.get("credential", ""))
        messages.success(request, "The passkey has been added. You can sign in with it next time.")
    except passkeys.NotAccepted:
        messages.error(request, "The browser did not create a passkey that can be used here.")
    return redirect("workspace:settings")


@require_POST
@workspace(closed=True)
def remove_passkey(request: HttpRequest, number: int) -> HttpResponse:
    """Forget one."""
    if passkeys.remove(cast(WorkspaceRequest, request).member.user, number):
        messages.success(request, "The passkey has been removed and no longer signs anyone in.")
    return redirect("workspace:settings")


@require_POST
@workspace(closed=True, signed_out=sign_in_or_done)
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out of one browser, or of all of them, this one too."""
    own, wanted = cast(WorkspaceRequest, request), request.POST.get("session", "")
    number = int(wanted) if wanted.isdecimal() and len(wanted) < 19 else None
    if wanted and number is None:
        return redirect("workspace:settings")
    ended = sessions.end(user_id=own.member.user_id, session_id=number)
    detail = f"Of {ended} browser{'' if ended == 1 else 's'}."
    audit.record(audit.Kind.SIGNED_OUT, subject=own.member, detail=detail, now=timezone.now())
    return redirect("workspace:settings")
