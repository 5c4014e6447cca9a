"""Two pages with something of our own: changing one's password is audited, and the door asks for what one has."""

from __future__ import annotations

from typing import Any

from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from billing import audit


def change_password(request: HttpRequest) -> HttpResponse:
    """It asks for the present one first."""
    response = admin.site.password_change(request)
    if response.status_code == 302 and request.user.is_authenticated:
        detail = "Changed their own password."
        audit.record(audit.Kind.USER_CHANGED, subject=request.user, detail=detail, now=timezone.now())
    return response


class SecondFactor(AuthenticateView):
    """Asks for a security key only where there is one; who comes here has shown the password already."""

    def get_context_data(self, **named: Any) -> dict[str, Any]:
        known: dict[str, Any] = super().get_context_data(**named)
        if not is_mfa_enabled(self.stage.login.user, [Authenticator.Type.WEBAUTHN]):
            kinds = (one for one in known["MFA_SUPPORTED_TYPES"] if one != Authenticator.Type.WEBAUTHN)
            known["MFA_SUPPORTED_TYPES"] = list(kinds)
        return known
