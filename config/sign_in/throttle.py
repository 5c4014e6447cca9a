"""Tries at a password or a code are counted before they are looked at, by user and by address.

Ten of one user and thirty of one address in a quarter of an hour; then everybody waits for the quarter to end, also
with the right password, and is told nothing about whether the user exists. One atomic step in Redis or the database,
so that many at once, in any number of processes, are no more tries than one after the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from billing import audit, limits, proof
from config.sign_in.middleware import actor_of
from lookups import client_address

WINDOW = 15 * 60
USER_TRIES = 10
ADDRESS_TRIES = 30
SIGN_IN, PASSWORD = "sign-in", "change of the password"
View = Callable[..., HttpResponse]


def counted(step: str, view: View) -> View:
    """Wrap a page whose POST tries a password or a code; what came of it stands in the audit log."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        if request.method != "POST":
            return view(request, *args, **named)
        name = _name_of(request, step)
        wait = _count(request, name, step)
        if wait:
            minutes = -(-wait // 60)
            response = render(request, "account/locked_out.html", {"minutes": minutes}, status=429)
            response["Retry-After"] = str(wait)
            return response
        before, signed_in = request.session.get(proof.PROOF), request.user.is_authenticated
        response = view(request, *args, **named)
        passed = request.session.get(proof.PROOF) != before
        if step == PASSWORD or (step == SIGN_IN and signed_in):  # nothing is shown there that the session keeps
            passed = response.status_code == 302
        if not passed:
            _record(audit.Kind.SIGN_IN_FAILED, request, name, f"At the {step}.")
        return response

    return page


def _name_of(request: HttpRequest, step: str) -> str:
    """Whose password or code it is: who is signed in, is half way through signing in, or was typed at the door alone,
    lest a code is tried under a name that is sent with it."""
    if request.user.is_authenticated:
        return str(request.user.get_username())
    if step == SIGN_IN and "login" in request.POST:
        return request.POST["login"].strip()
    half_way = request.session.get(proof.PROOF)
    user = get_user_model().objects.filter(pk=half_way["user"]).first() if half_way else None
    return str(user.get_username()) if user else ""


def _count(request: HttpRequest, name: str, step: str) -> int:
    """Count a try against both; return how many seconds to wait, 0 when it may be looked at."""
    # A database that compares capitals takes more letters for one than those of one case: dotless i, long s
    user = hashlib.sha256(name.upper().casefold().encode("utf-8", "surrogatepass")).hexdigest()[:40]
    now, waits = timezone.now(), [0]
    for what, subject, limit in (
        ("address", client_address.address_of(request), ADDRESS_TRIES),
        ("user", user, USER_TRIES),
    ):
        subject = f"tries:{what}:{subject}"
        rate = limits.count(subject=subject, limit=limit, now=now, seconds=WINDOW)
        if not rate.allowed:
            waits.append(rate.retry_after)
            if limits.count(subject=f"told:{subject}", limit=1, now=now, seconds=WINDOW).allowed:
                _record(audit.Kind.LOCKED_OUT, request, name, f"At the {step}, after {limit} tries of this {what}.")
    return max(waits)


def _record(kind: audit.Kind, request: HttpRequest, name: str, detail: str) -> None:
    """A name that no user has may be a password in the wrong field: it is not written down."""
    known = get_user_model().objects.filter(username=name).exists() if "\x00" not in name else False
    actor = actor_of(request)._replace(name=name if known else "unknown user")
    audit.record(kind, detail=detail, actor=actor, now=timezone.now())
