"""What surrounds every request to the admin: a session that ends, and who is acting, for the audit log."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from billing import audit, proof
from lookups import client_address

ADMIN, CONFIRM = "/admin/", "/admin/confirm/"
SIGN_IN_FIRST = "/admin/login/?next="
NOT_TAKEN = "You have been signed out. What you just sent was not accepted: sign in, and send it again."
BEGAN, SEEN = "began_at", "seen_at"
NOTED_EVERY = 60  # seconds: a session is written once a minute, not with every request
EVIDENCE = {
    "admin:scrapers_scrapeattempt_change",
    "admin:scrapers_attempt_page",
    "admin:lookups_lookup_evidence_file",
}
Handler = Callable[[HttpRequest], HttpResponseBase]


class AdminRequests:
    """Steps aside for everything else."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN):
            return self.get_response(request)
        with audit.acting(lambda: actor_of(request)):
            end_if_over(request)
            drops = request.path_info.startswith(CONFIRM) and proof.drops_what_waits(request)
            response = self.get_response(request)
            if drops and not proof.is_kept(request):
                messages.warning(request, proof.LEFT)
            if request.method == "POST" and response.headers.get("Location", "").startswith(SIGN_IN_FIRST):
                messages.warning(request, NOT_TAKEN)
            if response.status_code == 200 and request.resolver_match and request.resolver_match.view_name in EVIDENCE:
                audit.record(audit.Kind.EVIDENCE_SEEN, subject=request.path_info, now=timezone.now())
        return response


def actor_of(request: HttpRequest) -> audit.Actor:
    """The signed-in user of a request, with the address it came from."""
    user = getattr(request, "user", None)
    name = user.get_username() if user is not None and user.is_authenticated else "nobody"
    return audit.Actor(name, client_address.address_of(request), getattr(request, "request_id", ""))


def end_if_over(request: HttpRequest) -> None:
    """Sign out whoever was away too long, or has been here too long; note that the others were seen."""
    if not request.user.is_authenticated:
        return
    now, session = time.time(), request.session
    began, seen = session.get(BEGAN, 0), session.get(SEEN, 0)
    if now - seen >= settings.ADMIN_IDLE_MINUTES * 60 or now - began >= settings.ADMIN_SESSION_HOURS * 3600:
        logout(request)
    elif now - seen >= NOTED_EVERY:
        session[SEEN] = now


def begin(request: HttpRequest) -> None:
    """A session begins with signing in."""
    request.session[BEGAN] = request.session[SEEN] = time.time()
