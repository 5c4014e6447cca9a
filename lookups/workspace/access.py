"""Who may open a page of the workspace, and as whom: each view says the role that it asks for.

A view gets its member, whether the real registries or the sandbox are meant (`livemode`), and a key of the account for
that mode, so that what a member does goes the way of every request with a key: its limits, its budgets, its prices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from billing import audit, keys
from billing.members import sessions
from billing.models import ApiKey, Member, MemberSession
from lookups import client_address
from lookups.workspace import rail
from lookups.workspace.entrance import passkeys


class WorkspaceRequest(HttpRequest):
    """A request of a member who is signed in."""

    member: Member
    member_session: MemberSession
    livemode: bool
    workspace_key: ApiKey
    rail: list[rail.Item]
    elsewhere: list[Member]


View = Callable[..., HttpResponseBase]


def sign_in_first(request: HttpRequest, wanted: str = "", *, unsent: str = "1") -> HttpResponseBase:
    """To the page of signing in, and from there to the page that was wanted: that of the request unless given.

    Of a file and of a form it is the page that has the link or the button: a file that is downloaded then would leave
    the page of signing in where it was, as if nothing had come of it. The page says of a form that it was not taken.
    """
    is_page = request.method in ("GET", "HEAD") and request.path.endswith("/")
    wanted = wanted or (request.get_full_path() if is_page else _page_of_sender(request))
    query = {"next": wanted} | ({"unsent": unsent} if request.method == "POST" else {})
    return HttpResponseRedirect(reverse("workspace:sign-in", query=query))


def sign_in_or_done(request: HttpRequest) -> HttpResponseBase:
    """The same for a form that signs its person out: sent twice, its first answer was lost, and it is done."""
    return sign_in_first(request, unsent="ended")


def workspace(
    role: str = "viewer", *, closed: bool = False, signed_out: View = sign_in_first
) -> Callable[[View], View]:
    """Open the view to members who may do what `role` may; who is not signed in is asked to do that first.

    `closed`: also to members of an account that is closed. `signed_out`: answers who is not signed in, where a form
    would lose what was typed.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def page(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
            session = find_session(request)
            if session is None:
                return signed_out(request)
            member = _as_member(cast(WorkspaceRequest, request), session)
            with audit.acting(lambda: actor_of(request, member)):
                is_let_in = member.can(role) and (closed or member.account.is_active)
                if not is_let_in:
                    response = refuse(request, role)
                elif _is_of_elsewhere(request, session):
                    response = render(request, "workspace/elsewhere.html", {"again": _section_of(request)}, status=409)
                else:
                    response = view(request, *args, **named)
            response.headers.setdefault("Cache-Control", "private, no-store")
            return response

        return page

    return decorate


def find_session(request: HttpRequest) -> MemberSession | None:
    """The session of a member that the request belongs to, on whatever page; None for everybody else."""
    token = request.COOKIES.get(settings.WORKSPACE_COOKIE_NAME, "")
    return sessions.find(token, now=timezone.now()) if token else None


def actor_of(request: HttpRequest, member: Member | None) -> audit.Actor:
    """The member of a request as the audit log has it, with the address it came from."""
    request_id = getattr(request, "request_id", "")
    return audit.Actor(str(member) if member else "nobody", client_address.address_of(request), request_id)


def _as_member(request: WorkspaceRequest, session: MemberSession) -> Member:
    member = session.member
    request.member, request.member_session, request.livemode = member, session, session.livemode
    key = keys.get_workspace_key(account=member.account, livemode=session.livemode, now=timezone.now())
    request.workspace_key = key
    request.rail = cast("list[rail.Item]", SimpleLazyObject(lambda: rail.list_items(member, path=request.path)))
    request.elsewhere = cast("list[Member]", SimpleLazyObject(lambda: _list_elsewhere(member)))
    return member


def _list_elsewhere(member: Member) -> list[Member]:
    """The same person's places in other accounts."""
    return list(Member.objects.filter(user=member.user_id).exclude(pk=member.pk).select_related("account"))


def _page_of_sender(request: HttpRequest) -> str:
    """The page from which a form was sent or a file was wanted; where that leads to need not be a page itself."""
    try:
        sender = urlsplit(str(request.META.get("HTTP_REFERER", "")))
    except ValueError:
        return request.path
    if sender.netloc != request.get_host() or not sender.path.startswith("/app/"):
        return request.path
    return sender._replace(scheme="", netloc="", fragment="").geturl()


def _is_of_elsewhere(request: HttpRequest, session: MemberSession) -> bool:
    """Whether a form says that it was shown in another mode or account: its person has changed that in another tab.

    A form about the account itself names no mode, for it is the same in both.
    """
    shown_in = request.POST.get("shown_in", "") if request.method == "POST" else ""
    mode = "live" if session.livemode else "sandbox"
    return shown_in not in ("", *(f"{word} {session.member.account_id}" for word in (mode, "account")))


def _section_of(request: HttpRequest) -> str:
    """The page that leads to the form: what a form is sent to need not be a page itself."""
    section = request.path.split("/")[2]
    return f"/app/{section}/" if section else "/app/"


def refuse(request: HttpRequest, role: str) -> HttpResponseBase:
    """Not for this role, or not any more: what is about the person itself is open in a closed account, too."""
    member = cast(WorkspaceRequest, request).member
    known = {"role": role, "passkeys": () if member.account.is_active else passkeys.list_keys(member.user)}
    return render(request, "workspace/refused.html", known, status=403)
