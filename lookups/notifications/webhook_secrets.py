"""The secrets that customers verify our webhooks with: made from a key of the environment, never stored.

A secret is an HMAC, under the operator's key, over the account, its mode and a random salt. Who reads the database
finds salts; without the key they make nothing. So a secret can be shown once and still be there for every signature.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from billing import audit, locks
from lookups.models import WebhookSecret

OVERLAP = timedelta(hours=24)  # how long the one before goes on signing
MOST_A_DAY = 5  # each of them signs for a day: the header stays short
PREFIX = "whsec_"
_NEVER_SHOWN = ""  # the salt of an account that has asked for no secret yet


class TooManySecrets(Exception):
    """The account has made enough of them today; another one after `retry_after` seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"At most {MOST_A_DAY} webhook secrets a day")
        self.retry_after = retry_after


class MadeBefore(Exception):
    """The form that asks has made its secret."""


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret in the moment it may be shown; `previous_valid_until` is None when nobody knew one before."""

    secret: str
    previous_valid_until: datetime | None


def rotate(*, account_id: int, livemode: bool, now: datetime, named: uuid.UUID | None = None) -> NewSecret:
    """Make the account a new secret; the one in use goes on signing beside it for a day. Raises TooManySecrets.

    `named` is the form that asks: sent again it makes none, and MadeBefore is raised.

    Live and test mode have their own, and their own number a day: what is tried out changes nothing that is live.

    Two calls at once make one after the other: each caller's secret signs, and so does the one before both.
    """
    with transaction.atomic():
        account = locks.lock_account(account_id)
        own = WebhookSecret.objects.filter(account_id=account_id, livemode=livemode)
        salt = named.hex if named is not None else secrets.token_hex(16)
        if own.filter(salt=salt).exists():
            raise MadeBefore
        # What was made within a day still signs, so it is all here to be counted.
        recent = list(own.filter(made_at__gt=now - OVERLAP).values_list("made_at", flat=True))
        if len(recent) >= MOST_A_DAY:
            raise TooManySecrets(math.ceil((min(recent) + OVERLAP - now).total_seconds()))
        own.filter(signs_until__lte=now).delete()
        ended = own.filter(signs_until__isnull=True).update(signs_until=now + OVERLAP)
        WebhookSecret.objects.create(account_id=account_id, livemode=livemode, salt=salt, made_at=now)
        mode = "live" if livemode else "test"
        audit.record(audit.Kind.SECRET_MADE, subject=account, detail=f"A webhook secret of {mode} mode.", now=now)
    return NewSecret(_secret(_keys()[0], account_id, salt, livemode), now + OVERLAP if ended else None)


def list_secrets(*, account_id: int, livemode: bool, now: datetime) -> list[str]:
    """Return every secret that signs for the account at `now`, the newest first: at least one, for `sign`."""
    own = WebhookSecret.objects.filter(account_id=account_id, livemode=livemode).filter(
        Q(signs_until__isnull=True) | Q(signs_until__gt=now)
    )
    salts = list(own.values_list("salt", flat=True)) or [_NEVER_SHOWN]
    return [_secret(key, account_id, salt, livemode) for key in _keys() for salt in salts]


def derived_key() -> str:
    """Return the key that stands in for an unset WEBHOOK_SECRET; whoever sets one keeps this as the previous."""
    return hmac.new(settings.SECRET_KEY.encode(), b"lookups.webhooks", hashlib.sha256).hexdigest()


def _keys() -> list[str]:
    """The key secrets are made with, then the one that still makes signatures while the operator changes it."""
    own = settings.WEBHOOK_SECRET or derived_key()
    before = settings.WEBHOOK_SECRET_PREVIOUS
    return [own, before] if before and before != own else [own]


def _secret(key: str, account_id: int, salt: str, livemode: bool) -> str:
    name = "webhook secret" if livemode else "test webhook secret"
    digest = hmac.new(key.encode(), f"{name}:{account_id}:{salt}".encode(), hashlib.sha256).digest()
    return PREFIX + base64.b64encode(digest).decode()
