"""API keys: random secrets that are shown once, and known to us only by their hash.

A secret is `osd_` (live) or `osd_test_` followed by 160 random bits as 32 characters of lower-case base32. A fast
hash is right for such secrets: there is nothing to guess, and a slow one would cost 384 ms per request.
Scanners find a leaked key by the pattern `osd_(test_)?[a-z2-7]{32}`.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from billing import budgets, money
from billing.models import Account, ApiKey

log = logging.getLogger(__name__)

SCOPES = ("lookup", "bulk", "names", "account")
LEAKED_KEY_PATTERN = r"\bosd_(test_)?[a-z2-7]{32}\b"
MARKERS = {ApiKey.Mode.LIVE: "osd_", ApiKey.Mode.TEST: "osd_test_"}
SECRET_BYTES = 20
SHOWN_CHARACTERS = 6
LAST_USED_EVERY = timedelta(minutes=1)
LONGEST_SECRET = 200


class InvalidKey(Exception):
    """The secret opens nothing; `reason` (unknown, revoked, expired, account_closed) is for us, not the caller."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The API key is not valid ({reason}).")
        self.reason = reason


class AccountClosed(InvalidKey):
    """The key is right, but its account is closed."""

    def __init__(self) -> None:
        super().__init__("account_closed")


def issue(
    *,
    account: Account,
    name: str,
    mode: str = "live",
    now: datetime,
    scopes: Iterable[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Make a key; return it with its secret, which cannot be shown a second time.

    `scopes` of None allow everything; a word outside `SCOPES` raises ValueError.
    """
    chosen = sorted(set(scopes or ()))
    if unknown := set(chosen) - set(SCOPES):
        raise ValueError(f"Unknown scopes: {', '.join(sorted(unknown))}.")
    marker = MARKERS[ApiKey.Mode(mode)]
    secret = marker + base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode().lower()
    key = ApiKey.objects.create(
        account=account,
        name=name,
        mode=ApiKey.Mode(mode),
        prefix=secret[: len(marker) + SHOWN_CHARACTERS],
        secret_hash=_hash(secret),
        scopes=chosen,
        created_at=now,
        expires_at=expires_at,
    )
    return key, secret


def verify(*, secret: str, now: datetime) -> ApiKey:
    """Return the working key behind a secret, its account loaded, in one query; raise InvalidKey otherwise."""
    if not secret.startswith("osd_") or len(secret) > LONGEST_SECRET:
        raise InvalidKey("unknown")
    key = ApiKey.objects.select_related("account").filter(secret_hash=_hash(secret)).first()
    if key is None:
        raise InvalidKey("unknown")
    if not key.works_at(now):
        raise InvalidKey("revoked" if key.revoked_at and key.revoked_at <= now else "expired")
    if not key.account.is_active:
        raise AccountClosed
    if key.last_used_at is None or now - key.last_used_at >= LAST_USED_EVERY:
        _note_use(key, now)
    return key


def revoke(*, key: ApiKey, now: datetime) -> None:
    """Refuse the key from `now` on; a moment already set earlier stays."""
    ApiKey.objects.filter(pk=key.pk).filter(Q(revoked_at__isnull=True) | Q(revoked_at__gt=now)).update(revoked_at=now)
    key.refresh_from_db(fields=["revoked_at"])


def rotate(*, key: ApiKey, grace: timedelta, now: datetime) -> tuple[ApiKey, str]:
    """Make a successor with the same rights; the old key works on for `grace`. Return the new key and its secret.

    Raises InvalidKey for a key that no longer works or has a successor already.
    """
    with transaction.atomic():
        account = Account.objects.select_for_update(no_key=True).get(pk=key.account_id)  # the ledger counts under it
        old = ApiKey.objects.select_for_update().get(pk=key.pk)
        if not old.works_at(now) or ApiKey.objects.filter(replaces=old).exists():
            raise InvalidKey("revoked")
        new, secret = issue(
            account=account, name=old.name, mode=old.mode, now=now, scopes=old.scopes, expires_at=old.expires_at
        )
        for field in ("rate_limit_per_minute", "concurrent_lookups", "monthly_budget", "budget_month", "budget_used"):
            setattr(new, field, getattr(old, field))
        new.replaces = old
        new.save()
        ApiKey.objects.filter(pk=old.pk).update(revoked_at=now + grace)
    key.refresh_from_db(fields=["revoked_at"])
    return new, secret


def set_budget(*, key: ApiKey, monthly_budget: int | None, now: datetime) -> None:
    """Limit what the key may spend in a month (units; None: no limit), counting what it used this month already.

    The limit is that of the keys it replaced and was replaced by as well.
    """
    month = budgets.month_of(now)
    with transaction.atomic():
        # The ledger counts under the account's lock; so does this.
        Account.objects.select_for_update(no_key=True).get(pk=key.account_id)
        key.monthly_budget = None if monthly_budget is None else money.units(monthly_budget)
        key.budget_month = None if monthly_budget is None else month
        same = budgets.list_same(key.pk)
        key.budget_used = 0 if monthly_budget is None else budgets.used_by_keys(key_ids=same, month=month)
        shared = ("monthly_budget", "budget_month", "budget_used")
        ApiKey.objects.filter(pk__in=same).update(**{name: getattr(key, name) for name in shared})


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _note_use(key: ApiKey, now: datetime) -> None:
    """Write when the key was last used; of several requests in the same minute one writes."""
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - LAST_USED_EVERY)
    if ApiKey.objects.filter(pk=key.pk).filter(stale).update(last_used_at=now):
        key.last_used_at = now
