"""API keys: random secrets that are shown once, and known to us only by their hash.

A secret is `osd_` (live) or `osd_test_` followed by 160 random bits as 32 characters of lower-case base32. A fast
hash is right for such secrets: there is nothing to guess, and a slow one would cost 384 ms per request.
Scanners find a leaked key by the pattern `osd_(test_)?[a-z2-7]{32}`.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from billing import audit, budgets, locks, money, networks
from billing.models import Account, ApiKey
from jurisdictions.prepared import Blank, Prepared

RECONCILE = "reconcile"  # a key of a spreadsheet has this scope and no other
ALONE = f"Choose {RECONCILE} alone: a key that can do more reconciles nothing, for it stands in an address."
SCOPES = ("lookup", "bulk", "names", "watches", "account", "keys", RECONCILE)
LEAKED_KEY_PATTERN = r"\bosd_(test_)?[a-z2-7]{32}\b"
MARKERS = {ApiKey.Mode.LIVE: "osd_", ApiKey.Mode.TEST: "osd_test_"}
SECRET_BYTES = 20
SHOWN_CHARACTERS = 6
LAST_USED_EVERY = timedelta(minutes=1)
LONGEST_SECRET = 200
WORKSPACE = "Workspace"
_BY_HASH = Prepared(
    lambda: ApiKey.objects.of_programs().select_related("account").filter(secret_hash=Blank("secret_hash"))
)
KEPT = (
    "name",
    "mode",
    "scopes",
    "allowed_networks",
    "expires_at",
    "rate_limit_per_minute",
    "concurrent_lookups",
    "monthly_budget",
    "budget_month",
    "budget_used",
)
"""What a key hands on to the one that replaces it."""


class InvalidKey(Exception):
    """The secret opens nothing; `reason` (unknown, revoked, expired, account_closed, network) is for us."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The API key is not valid ({reason}).")
        self.reason = reason


class AccountClosed(InvalidKey):
    """The key is right, but its account is closed."""

    def __init__(self) -> None:
        super().__init__("account_closed")


class WrongNetwork(InvalidKey):
    """The key is right, and may not be used from the address it came from."""

    def __init__(self) -> None:
        super().__init__("network")


def issue(
    *,
    account: Account,
    name: str,
    mode: str = "live",
    now: datetime,
    scopes: Iterable[str] | None = None,
    expires_at: datetime | None = None,
    allowed_networks: Iterable[str] = (),
    rate_limit_per_minute: int | None = None,
    concurrent_lookups: int | None = None,
    named: uuid.UUID | None = None,
) -> tuple[ApiKey, str]:
    """Make a key; return it with its secret, which cannot be shown a second time.

    `scopes` of None allow everything; a word outside `SCOPES` raises ValueError. Without networks it may be used
    from everywhere. `named` is what customers call it by, where that is settled.
    """
    with transaction.atomic():
        key, secret = _make(
            account=account,
            name=name,
            mode=mode,
            now=now,
            scopes=scopes,
            expires_at=expires_at,
            allowed_networks=list(allowed_networks),
            rate_limit_per_minute=rate_limit_per_minute,
            concurrent_lookups=concurrent_lookups,
            uuid=named or uuid.uuid4(),
        )
        _record(audit.Kind.KEY_ISSUED, key, now=now)
    return key, secret


def _make(
    *, account: Account, mode: str, now: datetime, scopes: Iterable[str] | None, **columns: Any
) -> tuple[ApiKey, str]:
    chosen = sorted(set(scopes or ()))
    if unknown := set(chosen) - set(SCOPES):
        raise ValueError(f"Unknown scopes: {', '.join(sorted(unknown))}.")
    marker = MARKERS[ApiKey.Mode(mode)]
    secret = marker + base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode().lower()
    key = ApiKey.objects.create(
        account=account,
        mode=ApiKey.Mode(mode),
        prefix=secret[: len(marker) + SHOWN_CHARACTERS],
        secret_hash=hash_secret(secret),
        scopes=chosen,
        created_at=now,
        **columns,
    )
    return key, secret


def get_workspace_key(*, account: Account, livemode: bool, now: datetime) -> ApiKey:
    """The key with which members of the account ask in the workspace, made when it is first needed.

    What it is known by is the hash of nothing that anybody has seen, so no secret opens it.
    """
    mode = ApiKey.Mode.LIVE if livemode else ApiKey.Mode.TEST
    made = {
        "name": WORKSPACE,
        "prefix": WORKSPACE,
        "secret_hash": hash_secret(secrets.token_hex(SECRET_BYTES)),
        "created_at": now,
    }
    key, _ = ApiKey.objects.get_or_create(account=account, mode=mode, is_workspace=True, defaults=made)
    key.account = account
    return key


def verify(*, secret: str, now: datetime, address: networks.Address | None = None) -> ApiKey:
    """Return the working key behind a secret, its account loaded, in one query; raise InvalidKey otherwise.

    `address` is whose request it came with; a key that is bound to networks opens nothing without one.
    """
    if not secret.startswith("osd_") or len(secret) > LONGEST_SECRET:
        raise InvalidKey("unknown")
    key = _BY_HASH.first(secret_hash=hash_secret(secret))
    if key is None:
        raise InvalidKey("unknown")
    if not key.works_at(now):
        raise InvalidKey(key.status_at(now))
    if not key.account.is_active:
        raise AccountClosed
    if not networks.admit(key.allowed_networks, address):
        raise WrongNetwork
    if key.last_used_at is None or now - key.last_used_at >= LAST_USED_EVERY:
        _note_use(key, now)
    return key


def revoke(*, key: ApiKey, now: datetime) -> None:
    """Refuse the key from `now` on; a moment already set earlier stays."""
    with transaction.atomic():
        works = ApiKey.objects.filter(pk=key.pk).filter(Q(revoked_at__isnull=True) | Q(revoked_at__gt=now))
        if works.update(revoked_at=now):
            _record(audit.Kind.KEY_REVOKED, key, now=now)
    key.refresh_from_db(fields=["revoked_at"])


def can_rotate(key: ApiKey, *, now: datetime) -> bool:
    """Whether a key works, is no workspace's own, and has no successor yet.

    One that was revoked has ended, also by a clock that was read before: who waited for that does not undo it.
    """
    is_to_stay = key.revoked_at is None and key.works_at(now) and not key.is_workspace
    return is_to_stay and not ApiKey.objects.filter(replaces=key).exists()


def rotate(*, key: ApiKey, grace: timedelta, now: datetime, named: uuid.UUID | None = None) -> tuple[ApiKey, str]:
    """Make a successor with the same rights; the old key works on for `grace`, or until it expires before that.

    Returns the new key and its secret. Raises InvalidKey for a key that no longer works or has a successor already.
    """
    with transaction.atomic():
        account = locks.lock_account(key.account_id)  # the ledger counts under it
        old = ApiKey.objects.select_for_update().get(pk=key.pk)
        if not can_rotate(old, now=now):
            raise InvalidKey("revoked")
        same = {name: getattr(old, name) for name in KEPT}
        new, secret = _make(account=account, now=now, replaces=old, uuid=named or uuid.uuid4(), **same)
        old.revoked_at = min(now + grace, old.expires_at or now + grace)
        old.save(update_fields=["revoked_at"])
        _record(audit.Kind.KEY_ROTATED, old, f", its successor is {new.prefix}…", now=now)
    key.refresh_from_db(fields=["revoked_at"])
    return new, secret


def set_budget(*, key: ApiKey, monthly_budget: int | None, now: datetime) -> None:
    """Limit what the key may spend in a month (units; None: no limit), counting what it used this month already.

    The limit is that of the keys it replaced and was replaced by as well.
    """
    month = budgets.month_of(now)
    with transaction.atomic():
        # The ledger counts under the account's lock; so does this.
        locks.lock_account(key.account_id)
        key.monthly_budget = None if monthly_budget is None else money.units(monthly_budget)
        key.budget_month = None if monthly_budget is None else month
        same = budgets.list_same(key.pk)
        key.budget_used = 0 if monthly_budget is None else budgets.used_by_keys(key_ids=same, month=month)
        shared = ("monthly_budget", "budget_month", "budget_used")
        ApiKey.objects.filter(pk__in=same).update(**{name: getattr(key, name) for name in shared})


def _record(kind: audit.Kind, key: ApiKey, more: str = "", *, now: datetime) -> None:
    audit.record(kind, subject=key, detail=f"{key.prefix}… of account {key.account_id}{more}.", now=now)


def reconciles_in_vain(scopes: Iterable[str]) -> bool:
    """Whether these scopes have that of a spreadsheet and more, and not that of making keys, which hands it on."""
    chosen = set(scopes)
    return RECONCILE in chosen and len(chosen) > 1 and "keys" not in chosen


def is_for_spreadsheets(key: ApiKey) -> bool:
    """Whether a person works with it, in a spreadsheet: what it asks is shown there and told to no program."""
    return list(key.scopes) == [RECONCILE]


def hash_secret(secret: str) -> str:
    """Return what is kept of a secret, by which it is found again."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _note_use(key: ApiKey, now: datetime) -> None:
    """Write when the key was last used; of several requests in the same minute one writes."""
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - LAST_USED_EVERY)
    if ApiKey.objects.filter(pk=key.pk).filter(stale).update(last_used_at=now):
        key.last_used_at = now
