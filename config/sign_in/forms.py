"""allauth's forms for security keys, which take an answer apart that anybody may have made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn import forms


@contextmanager
def _refused_if_malformed() -> Iterator[None]:
    """What fido2 cannot read raises whatever Python raises there (2.2: KeyError, struct.error, AttributeError …)."""
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as nonsense:
        raise get_adapter().validation_error("incorrect_code") from nonsense


class AddKeyForm(forms.AddWebAuthnForm):
    """A key that is added."""

    def clean(self) -> dict[str, Any]:
        with _refused_if_malformed():
            return dict(super().clean())


class _KeyForm:
    def clean_credential(self) -> Any:
        with _refused_if_malformed():
            return super().clean_credential()  # type: ignore[misc]


class SignInKeyForm(_KeyForm, forms.AuthenticateWebAuthnForm):
    """A key shown at the door."""


class ConfirmKeyForm(_KeyForm, forms.ReauthenticateWebAuthnForm):
    """A key shown again."""
