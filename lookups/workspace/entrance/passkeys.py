"""Passkeys of members, with allauth's part of WebAuthn: a key that the device unlocks for its owner, beside the link.

allauth's own pages belong to the staff; a member's key signs in here alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from billing.members import arrival
from billing.models import Member
from jurisdictions import nesting

MOST = 10  # of a person
LONGEST = 20_000  # characters of an answer; a long attestation has 8,000
NONSENSE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError, ValidationError)


class NotAccepted(Exception):
    """What the browser sent shows nobody's key."""


@contextmanager
def _refused_if_malformed() -> Iterator[None]:
    """Anybody may have made the answer up: what fido2 cannot read raises whatever Python raises there."""
    try:
        yield
    except NONSENSE as nonsense:
        raise NotAccepted from nonsense


def _read(answer: str) -> Any:
    nesting.refuse_deep(answer[:LONGEST])
    return json.loads(answer[:LONGEST])


def list_keys(user: User) -> QuerySet[Authenticator]:
    """The keys of a person, oldest first."""
    keys: QuerySet[Authenticator] = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return keys.order_by("pk")


def begin_adding(user: User) -> dict[str, Any]:
    """What the browser needs to make a key that stands for itself; the session remembers what was asked."""
    return dict(auth.begin_registration(user, passwordless=True))


def add(user: User, *, name: str, answer: str) -> None:
    """Keep the key that the browser made. Raises NotAccepted."""
    with _refused_if_malformed():
        credential = _read(answer)
        nesting.refuse_unkept([name, credential])
        auth.parse_registration_response(credential)
        is_verified = auth.complete_registration(credential).is_user_verified()
    with transaction.atomic():
        is_here = User.objects.select_for_update(no_key=True).filter(pk=user.pk).exists()  # or was removed just now
        if not (is_here and is_verified) or list_keys(user).count() >= MOST:
            raise NotAccepted
        auth.WebAuthn.add(user, name[:100] or "Passkey", credential)


def begin_signing_in() -> dict[str, Any]:
    """What the browser needs to show a key of whomever it knows."""
    return dict(auth.begin_authentication(None))


def recognize(answer: str, *, now: datetime) -> Member:
    """The member whose key has answered. Raises NotAccepted; also for the staff, who have a door of their own."""
    with _refused_if_malformed():
        credential = _read(answer)
        auth.parse_authentication_response(credential)
        user = auth.extract_user_from_response(credential)
        if user.is_staff or user.is_superuser or not user.is_active:
            raise NotAccepted
        key = auth.complete_authentication(user, credential)
    member = arrival.find_member(user)
    if member is None:
        raise NotAccepted
    Authenticator.objects.filter(pk=key.pk).update(last_used_at=now)
    return member


def remove(user: User, key_id: int) -> bool:
    """Forget a key; False when there is none of that number."""
    key = list_keys(user).filter(pk=key_id).first()
    if key is not None:
        key.delete()
    return key is not None
