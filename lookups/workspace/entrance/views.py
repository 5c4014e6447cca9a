"""The pages of signing in: an address, a link by mail, one click on the page behind it; or a passkey.

Opening a link does nothing but show a button, because programs that look after mail open links as well.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django import forms
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from billing import audit
from billing.members import addresses, arrival, links, sessions
from billing.members.arrival import Arrival, SignUpClosed
from billing.models import Member, SignInLink
from lookups import client_address
from lookups.pages.docs import example_keys
from lookups.pages.views import too_many
from lookups.workspace import mail
from lookups.workspace.access import actor_of, find_session
from lookups.workspace.entrance import passkeys, tries

HOME = "/app/"
LONGEST_PATH = 500


class AddressForm(forms.Form):
    """Whom to send a link."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True, "placeholder": "you@company.com"}),
    )

    def clean_email(self) -> str:
        return addresses.in_small_letters(self.cleaned_data["email"])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Asks for the address; the answer is the same for every one."""
    then = own_path((request.POST if request.method == "POST" else request.GET).get("next", ""))
    if request.method != "POST":
        if find_session(request):
            return redirect(then)
        unsent = {"1": "unsent", "ended": "ended"}
        return _show(request, AddressForm(), then, wrong=unsent.get(request.GET.get("unsent", ""), ""))
    form, now = AddressForm(request.POST), timezone.now()
    if not form.is_valid():
        return _show(request, form, then, status=400)
    email = form.cleaned_data["email"]
    if wait := tries.count(request, email=email, now=now):
        return too_many(request, retry_after=wait)
    mail.show(*links.make(email=email, then=then, now=now))
    mail.wake()
    return redirect("workspace:sign-in-sent")


@never_cache
@require_safe
def sent(request: HttpRequest) -> HttpResponse:
    """What to do now."""
    return _render(request, "sent", {"is_mailed": settings.MAIL_CONFIGURED, "contact": settings.CONTACT})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest, token: str) -> HttpResponse:
    """A button that signs in; pressing it uses the link up."""
    now = timezone.now()
    if wait := tries.count(request, now=now) if request.method == "POST" else 0:
        return too_many(request, retry_after=wait)
    found, wanted = links.find(token, now=now), request.POST.get("invitation", "")
    is_gone = found is not None and wanted != "" and arrival.find_invitation(found.email, _read_number(wanted)) is None
    if found is not None and (request.method != "POST" or is_gone):
        # Where a place does not wait any more, the link still does: what they get instead is theirs to choose
        waiting, session = arrival.list_invitations(found.email), find_session(request)
        known = {"link": found, "invitations": waiting, "session": session, "is_gone": is_gone}
        return _render(request, "link", known, status=409 if is_gone else 200)
    if request.method == "POST":
        with transaction.atomic():  # whoever does not get in, because something broke, still has the link
            used = links.use(token, now=now)
            if used is not None:
                return _arrive(request, used, now=now)
    return _over(request, token, now)


@never_cache
@require_http_methods(["GET", "POST"])
def passkey(request: HttpRequest) -> HttpResponse:
    """What the browser asks its keys (GET), and what one of them answered."""
    now = timezone.now()
    if wait := tries.count(request, now=now):
        return too_many(request, retry_after=wait)
    if request.method == "GET":
        return JsonResponse(passkeys.begin_signing_in())
    then = own_path(request.POST.get("next", ""))
    try:
        member = passkeys.recognize(request.POST.get("credential", ""), now=now)
        return _sign_in(request, member, then, how="By passkey.", now=now)
    except (passkeys.NotAccepted, Member.DoesNotExist):  # or the member is removed at this moment
        _note_failure(request, "By a passkey that is nobody's here.", now)
        return _show(request, AddressForm(), then, status=403, wrong="passkey")


def own_path(wanted: str) -> str:
    """The page of the workspace that somebody wanted; never one of another host."""
    is_own = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) and wanted.startswith(HOME)
    is_own = is_own and wanted.isprintable()  # it is kept with the link, and PostgreSQL keeps no NUL
    return wanted if is_own and len(wanted) <= LONGEST_PATH else HOME


def _read_number(wanted: str) -> int | None:
    return int(wanted) if wanted.isdecimal() and len(wanted) < 19 else None


def _arrive(request: HttpRequest, found: SignInLink, *, now: datetime) -> HttpResponse:
    number, network = _read_number(request.POST.get("invitation", "")), client_address.address_of(request)
    try:
        with audit.acting(lambda: actor_of(request, None)):
            came = arrival.arrive(email=found.email, invitation_id=number, network=network, now=now)
    except SignUpClosed:
        return _render(request, "closed", {"contact": settings.CONTACT}, status=403)
    return _sign_in(request, came.member, own_path(found.next), how="By link.", came=came, now=now)


def _sign_in(
    request: HttpRequest, member: Member, then: str, *, how: str, now: datetime, came: Arrival | None = None
) -> HttpResponse:
    """Begin a session; the one that this browser had is over."""
    earlier = find_session(request)
    if earlier is not None:  # ended once all is committed: who is removed just now has it, and waits for the audit log
        end_earlier = partial(sessions.end, user_id=earlier.member.user_id, session_id=earlier.pk)
        transaction.on_commit(end_earlier)
    browser, address = request.META.get("HTTP_USER_AGENT", ""), client_address.address_of(request)
    token = sessions.begin(member=member, address=address, browser=browser, now=now)
    audit.record(audit.Kind.SIGNED_IN, subject=member, detail=how, actor=actor_of(request, member), now=now)
    is_new = came is not None and came.is_new
    response = _render(request, "arrived", {"came": came, "next": then}) if is_new else HttpResponseRedirect(then)
    response.set_cookie(
        settings.WORKSPACE_COOKIE_NAME,
        token,
        max_age=settings.WORKSPACE_SESSION_DAYS * 24 * 3600,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    if example_keys.find(request) and (earlier is None or earlier.member.user_id != member.user_id):
        example_keys.drop(response)  # whoever was here before had it made, and may be somebody else
    return response


def _over(request: HttpRequest, token: str, now: datetime) -> HttpResponse:
    """What a link that does not work leads to: its page, for whoever is in by it and opens it again."""
    known, session = links.find_known(token), find_session(request)
    then = own_path(known.next if known else "")
    if known and session and session.member.user.email == known.email:
        return redirect(then)
    if request.method == "POST":
        _note_failure(request, "By a link that was used, or too old.", now)
    return _show(request, AddressForm(), then, status=410, wrong="link")


def _note_failure(request: HttpRequest, detail: str, now: datetime) -> None:
    audit.record(audit.Kind.SIGN_IN_FAILED, detail=detail, actor=actor_of(request, None), now=now)


def _show(request: HttpRequest, form: AddressForm, then: str, *, status: int = 200, wrong: str = "") -> HttpResponse:
    known = {"form": form, "next": then, "wrong": wrong, "sign_up": settings.SIGN_UP}
    return _render(request, "sign_in", known, status=status)


def _render(request: HttpRequest, name: str, known: dict[str, object], *, status: int = 200) -> HttpResponse:
    known = known | {"free": settings.FREE_LOOKUPS}
    return render(request, f"workspace/entrance/{name}.html", known, status=status)
