"""Keys as customers manage them, with one of their keys: none makes or hands over more than it has itself.

People do it with their workspace's key, which has every right. Everything happens under the account's lock, with the
key that asks read anew: a key that was just revoked makes none, and two that revoke each other do not both succeed.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from billing import audit, keys, locks, money, networks
from billing.models import ApiKey

SCOPE = "keys"  # the right to do this
MOST_KEYS = 50  # working keys of one mode; while keys are rotated, their successors come on top
OVERLAP, LONGEST_OVERLAP = timedelta(hours=24), timedelta(days=7)
SHORTEST_OF_ITSELF = timedelta(seconds=60)  # a reply with the new secret that is lost must lock nobody out
_PUBLIC_ID = re.compile(r"key_([0-9a-f]{32})")


class Beyond(Exception):
    """More than the key that asks has; the text says what."""


class KeyEnded(Exception):
    """The key was rotated, revoked or has expired."""


class LastKey(Exception):
    """Without this key no other could be made."""


class TooShort(Exception):
    """A key that rotates itself has to stay for `SHORTEST_OF_ITSELF`."""


class TooManyKeys(Exception):
    """As many keys work as may."""


def list_keys(*, by: ApiKey, before: int | None = None) -> QuerySet[ApiKey]:
    """What this key sees: a test key those of test mode, a live key all of the account; newest first."""
    seen = ApiKey.objects.of_programs().filter(account_id=by.account_id).select_related("replaces", "replaced_by")
    if by.is_test:
        seen = seen.filter(mode=ApiKey.Mode.TEST)
    if before is not None:
        seen = seen.filter(pk__lt=before)
    return seen.order_by("-pk")


def find(public_id: str, *, by: ApiKey) -> ApiKey | None:
    """The key of that name, if this key sees it."""
    found = _PUBLIC_ID.fullmatch(public_id)
    return list_keys(by=by).filter(uuid=uuid.UUID(found[1])).first() if found else None


def create(
    *,
    by: ApiKey,
    name: str,
    now: datetime,
    mode: str | None = None,
    scopes: Iterable[str] | None = None,
    expires_at: datetime | None = None,
    allowed_networks: Sequence[str] | None = None,
    monthly_budget: int | None = None,
    named: uuid.UUID | None = None,
) -> tuple[ApiKey, str | None]:
    """Make a key; what is None is as the key that asks has it. Return it with its secret, this once.

    `monthly_budget` is in 1/10,000 USD, None: no limit. `named` is the name it is to have: if there is a key of that
    name already, that one is returned, without a secret.
    Raises Beyond, TooManyKeys and InvalidKey (the key that asks has ended).
    """
    with _asking(by, now) as asker:
        if known := _find_named(named, asker):
            return known, None
        wanted = ApiKey(
            account=asker.account,
            mode=mode or asker.mode,
            scopes=asker.scopes if scopes is None else list(scopes),
            expires_at=expires_at or asker.expires_at,
            allowed_networks=asker.allowed_networks if allowed_networks is None else list(allowed_networks),
        )
        _check_within(asker, wanted)
        if asker.revoked_at is not None:
            raise Beyond("This key was rotated and makes no keys any more: use its successor")
        _check_room(asker, wanted.mode, MOST_KEYS, now)
        made, secret = keys.issue(
            account=asker.account,
            name=name,
            mode=wanted.mode,
            scopes=wanted.scopes,
            expires_at=wanted.expires_at,
            allowed_networks=wanted.allowed_networks,
            rate_limit_per_minute=_slower(asker.rate_limit_per_minute, settings.RATE_LIMIT_PER_MINUTE),
            concurrent_lookups=_slower(asker.concurrent_lookups, settings.CONCURRENT_LOOKUPS),
            named=named,
            now=now,
        )
        if monthly_budget is not None:
            _set_budget(made, monthly_budget, now)
    return made, secret


def change(*, by: ApiKey, key: ApiKey, name: str, monthly_budget: int | None, now: datetime) -> ApiKey:
    """Call a key something else, and limit what it may spend in a month (1/10,000 USD; None: no limit); return it.

    The limit is that of its whole chain of rotations. Raises Beyond, KeyEnded and InvalidKey (the key that asks has
    ended).
    """
    with _asking(by, now) as asker:
        old = ApiKey.objects.get(pk=key.pk)
        _check_within(asker, old)
        if not old.works_at(now):
            raise KeyEnded
        if old.name != name:
            old.name = name
            old.save(update_fields=["name"])
        if old.monthly_budget != monthly_budget:
            _set_budget(old, monthly_budget, now)
    return old


def rotate(
    *, by: ApiKey, key: ApiKey, overlap: timedelta, now: datetime, named: uuid.UUID | None = None
) -> tuple[ApiKey, str | None]:
    """Make a successor with the same rights; the old key works on for `overlap`. Returned and named as by `create`.

    Raises Beyond, KeyEnded, TooShort, TooManyKeys and InvalidKey (the key that asks has ended).
    """
    with _asking(by, now) as asker:
        if known := _find_named(named, asker):
            return known, None
        old = ApiKey.objects.get(pk=key.pk)
        if old.pk == asker.pk:
            if overlap < SHORTEST_OF_ITSELF:
                raise TooShort
        else:
            _check_within(asker, old)
            lost = old.replaces_id == asker.pk and old.last_used_at is None  # the reply with its secret, it seems
            if asker.revoked_at is not None and not lost:
                raise Beyond("This key was rotated: it rotates its successor alone, while nobody has used that one")
        _check_room(asker, old.mode, 2 * MOST_KEYS, now)
        try:
            return keys.rotate(key=old, grace=overlap, named=named, now=now)
        except keys.InvalidKey:
            raise KeyEnded from None


def revoke(*, by: ApiKey, key: ApiKey, now: datetime) -> ApiKey:
    """Refuse the key from now on, also the one that asks; return it. Again, it stays as it is.

    Networks, expiry and budget stand in nobody's way here: who may do as much may end it. People may end the last one
    as well, for they make another one in the workspace. Raises Beyond, LastKey and InvalidKey (the key that asks has
    ended).
    """
    with _asking(by, now) as asker:
        old = ApiKey.objects.get(pk=key.pk)
        _check_scopes(asker, old)
        if old.works_at(now) and not asker.is_workspace and _is_last(old, now):
            raise LastKey
        keys.revoke(key=old, now=now)
    return old


@contextmanager
def _asking(by: ApiKey, now: datetime) -> Iterator[ApiKey]:
    """The key that asks as it is now, with its account, which is locked until all is done."""
    with transaction.atomic():
        locks.lock_account(by.account_id)
        asker = ApiKey.objects.select_related("account").get(pk=by.pk)
        if not asker.may_ask(now) or _was_revoked(asker):
            raise keys.InvalidKey("revoked")
        yield asker


def _was_revoked(key: ApiKey) -> bool:
    """Whether it has an end and no successor: by a clock that was read before, it seems to work still."""
    return key.revoked_at is not None and not ApiKey.objects.filter(replaces=key).exists()


def _set_budget(key: ApiKey, monthly_budget: int | None, now: datetime) -> None:
    if key.is_test:
        raise Beyond("A test key spends nothing, and has no budget")
    keys.set_budget(key=key, monthly_budget=monthly_budget, now=now)
    words = "no limit" if monthly_budget is None else f"{money.to_decimal_string(monthly_budget)} USD a month"
    audit.record(audit.Kind.BUDGET_SET, subject=key, detail=f"{key.prefix}…: {words}.", now=now)


def _find_named(named: uuid.UUID | None, asker: ApiKey) -> ApiKey | None:
    return None if named is None else list_keys(by=asker).filter(uuid=named).first()


def _check_within(asker: ApiKey, wanted: ApiKey) -> None:
    """Raise Beyond where a key would be able to do anything that the one that asks is not."""
    if asker.is_test and not wanted.is_test:
        raise Beyond("mode: a test key makes test keys only")
    _check_scopes(asker, wanted)
    if asker.expires_at and (wanted.expires_at is None or wanted.expires_at > asker.expires_at):
        raise Beyond("expiresAt: the key would outlive the one that asks")
    if not networks.are_within(wanted.allowed_networks, asker.allowed_networks):
        raise Beyond("allowedNetworks: the one that asks may not be used from all of them")
    shares = wanted.is_test or wanted.replaces_id == asker.pk  # no budget in test mode; a successor has the same one
    if asker.monthly_budget is not None and not shares:
        raise Beyond("A key with a monthly budget makes no other live keys: what they spend would come on top of it")


def _check_scopes(asker: ApiKey, wanted: ApiKey) -> None:
    if asker.scopes and (not wanted.scopes or set(wanted.scopes) - set(asker.scopes)):
        raise Beyond(f"scopes: the key that asks has {', '.join(asker.scopes)} alone")


def _check_room(asker: ApiKey, mode: str, most: int, now: datetime) -> None:
    if ApiKey.objects.working(now).of_programs().filter(account_id=asker.account_id, mode=mode).count() >= most:
        raise TooManyKeys


def _slower(own: int | None, usual: int) -> int | None:
    """A limit that was set below the usual one goes on to keys that are made with it; a higher one does not."""
    return own if own is not None and own < usual else None


def _is_last(key: ApiKey, now: datetime) -> bool:
    """Whether nobody could make keys of its mode without it. What was rotated is not counted: it has an end."""
    if key.revoked_at is not None or not key.allows(SCOPE):
        return False
    working = ApiKey.objects.working(now).of_programs()
    others = working.filter(account_id=key.account_id, revoked_at__isnull=True).exclude(pk=key.pk)
    if not key.is_test:
        others = others.filter(mode=ApiKey.Mode.LIVE)
    return not any(other.allows(SCOPE) for other in others)
