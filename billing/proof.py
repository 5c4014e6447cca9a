"""Before money moves and before a key is handed out, whoever sits there shows once more who they are.

What was shown last stands in the session: whose password or second factor, when, and whether a factor was among it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import STATE_SESSION_KEY, suspend_request
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

PROOF = "proof"
NOT_TAKEN = "What you just sent was not accepted: send it again afterwards."
LEFT = "What you had sent before you confirmed who you are was not accepted: send it again if you still want it."
View = Callable[..., HttpResponse]


def note(request: HttpRequest, user: AbstractBaseUser, *, factor: bool) -> None:
    """Remember that `user` has just shown who they are; a factor that the session has seen stays seen."""
    earlier = find(request, user)
    request.session[PROOF] = {
        "user": user.pk,
        "at": time.time(),
        "factor": factor or bool(earlier and earlier["factor"]),
    }


def find(request: HttpRequest, user: AbstractBaseUser | AnonymousUser) -> dict[str, Any] | None:
    """Return what the session has seen of this user; None when that is nothing."""
    proof: dict[str, Any] | None = request.session.get(PROOF)
    return proof if proof and proof["user"] == user.pk else None


def is_fresh(request: HttpRequest) -> bool:
    """Whether this person has shown who they are a moment ago, by a second factor where one is required."""
    proof = find(request, request.user)
    if proof is None or (settings.ADMIN_SECOND_FACTOR and not proof["factor"]):
        return False
    age: float = time.time() - proof["at"]
    return 0 <= age < settings.ADMIN_CONFIRM_MINUTES * 60


def demand(request: HttpRequest, *, keep: bool = True) -> HttpResponse | None:
    """Return where to go first, for a second factor that is missing or a proof that is too old; None: go on.

    What was posted goes on by itself after the proof; without `keep` it is forgotten, because it holds a secret.
    Whoever thinks better of it, and opens the page again, has not sent it.
    """
    is_sent = request.method == "POST"
    if settings.ADMIN_SECOND_FACTOR and not is_mfa_enabled(request.user):
        words = "Money, keys and users need a second factor. Set one up first."
        messages.warning(request, f"{words} {NOT_TAKEN}" if is_sent else words)
        return redirect("mfa_index")
    if is_fresh(request):
        return None
    ways = get_adapter().get_reauthentication_methods(request.user)
    way = ways[0]["url"] if ways else reverse("account_login")
    if is_sent and keep:
        suspend_request(request, way)
    elif is_sent:
        messages.warning(request, NOT_TAKEN)
    elif is_kept(request):
        del request.session[STATE_SESSION_KEY]
        messages.warning(request, LEFT)
    # What was posted is known by its path alone
    return redirect(f"{way}?{urlencode({'next': request.path if is_sent else request.get_full_path()})}")


def is_kept(request: HttpRequest) -> bool:
    """Whether something that was posted waits for its proof."""
    return STATE_SESSION_KEY in request.session


def drops_what_waits(request: HttpRequest) -> bool:
    """Whether a proof that is shown now is for another page than that to which was posted last: in another tab."""
    kept = request.session.get(STATE_SESSION_KEY, {}).get("request")
    wanted = request.POST.get("next") or request.GET.get("next")
    return bool(kept) and json.loads(kept)["path"] != wanted


def proven(view: View) -> View:
    """Wrap a page of an admin class that moves money or hands out a secret."""

    @wraps(view)
    def page(self: Any, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        return demand(request) or view(self, request, *args, **named)

    return page
