"""allauth's forms: of codes, which say that a recovery code is one; of keys, whose answer anybody may have made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.webauthn import forms
from django.forms import Form, HiddenInput, JSONField

from jurisdictions import nesting

LOST = "The device is lost? Type one of your recovery codes. Without one, an owner of this service resets your factors."
LONGEST = 20_000  # characters of an answer; a long attestation has 8,000


class _CodeForm(Form):
    """Says what helps who has lost the device."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["code"].help_text = LOST


class SignInCodeForm(_CodeForm, AuthenticateForm):
    """A code typed at the door."""


class ConfirmCodeForm(_CodeForm, ReauthenticateForm):
    """A code typed again."""


@contextmanager
def _refused_if_malformed() -> Iterator[None]:
    """What fido2 cannot read raises whatever Python raises there (2.2: KeyError, struct.error, AttributeError …)."""
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as nonsense:
        raise get_adapter().validation_error("incorrect_code") from nonsense


class _AnswerField(JSONField):
    """What the browser answered; refused where reading it would not end well, and where no database keeps it."""

    def to_python(self, value: Any) -> Any:
        with _refused_if_malformed():
            nesting.refuse_deep(str(value or "")[: LONGEST + 1])
            answer = super().to_python(value)
            nesting.refuse_unkept(answer)
            return answer

    def bound_data(self, data: Any, initial: Any) -> None:
        """Nothing: what was refused is not read a second time to be shown again."""


class AddKeyForm(forms.AddWebAuthnForm):
    """A key that is added."""

    credential = _AnswerField(max_length=LONGEST, widget=HiddenInput)

    def clean(self) -> dict[str, Any]:
        with _refused_if_malformed():
            return dict(super().clean())


class _KeyForm(Form):
    credential = _AnswerField(max_length=LONGEST, widget=HiddenInput)

    def clean_credential(self) -> Any:
        with _refused_if_malformed():
            return super().clean_credential()  # type: ignore[misc]


class SignInKeyForm(_KeyForm, forms.AuthenticateWebAuthnForm):
    """A key shown at the door."""


class ConfirmKeyForm(_KeyForm, forms.ReauthenticateWebAuthnForm):
    """A key shown again."""
