"""What allauth asks the service: nobody signs up, secrets of second factors are kept sealed, a factor outranks."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.encoding import force_bytes

PASSWORD = "reauthenticate"  # noqa: S105  (allauth's name of the way)
CODE = "mfa_reauthenticate"
QUIET = "account/messages/"  # "signed in as …" tells nobody anything


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by staff, in the admin."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *more: Any, **named: Any
    ) -> None:
        if not (message_template or "").startswith(QUIET):
            super().add_message(request, level, message_template, *more, **named)

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        """The ways to confirm who it is: whoever has a second factor shows that one."""
        ways: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if not is_mfa_enabled(user, [Authenticator.Type.TOTP]):  # without an app, codes are those for a lost key
            ways.sort(key=_is_by_code)
        return [way for way in ways if way["id"] != PASSWORD] or ways


def _is_by_code(way: dict[str, Any]) -> bool:
    return bool(way["id"] == CODE)


class FactorAdapter(DefaultMFAAdapter):
    """Who reads the database, or a copy of it, gets no second factor from it."""

    def encrypt(self, text: str) -> str:
        return _seal().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _seal().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as sealed_otherwise:  # SECRET_KEY was changed: no code fits until the factor is reset
            raise self.validation_error("incorrect_code") from sealed_otherwise

    def get_totp_issuer(self) -> str:
        return str(settings.UNFOLD["SITE_TITLE"])


def _seal() -> MultiFernet:
    """The seal of this installation; SECRET_KEY_FALLBACKS still open what was sealed before."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    made = (hashlib.sha256(b"second factors: " + force_bytes(key)).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in made])
