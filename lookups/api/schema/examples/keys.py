"""API keys: one, several, a new one."""

from __future__ import annotations

from typing import Any

from lookups.api.schema.examples.making import error, reply, request
from lookups.api.schema.examples.records import WHEN
from lookups.api.wire import keys
from lookups.api.wire.shape import fill
from lookups.api.wire.words import KeyMode, KeyStatus, Scope

ID, SUCCESSOR = "key_2f6c1d0e9b7a4c3f8e5d4c3b2a190f8e", "key_71d0c5b4a39248f6b0e1d2c3a4f5968b"
LATER = "2026-11-22T12:00:00.000Z"
CREATE_LIKE_THIS = request("Like the key that asks", name="nightly import")
CREATE_NARROW = request(
    "For one task",
    name="nightly import",
    mode="test",
    scopes=["bulk"],
    expiresAt="2099-12-31T00:00:00Z",
    allowedNetworks=["192.0.2.0/24", "2001:db8::/32"],
)
ROTATE = request("Within an hour", overlapSeconds=3600)


def _key(**differs: Any) -> keys.Key:
    known = keys.Key(
        id=ID,
        name="nightly import",
        mode=KeyMode.LIVE,
        prefix="osd_4f0cq2",
        status=KeyStatus.ACTIVE,
        scopes=[Scope.BULK],
        allowedNetworks=["192.0.2.0/24", "2001:db8::/32"],
        limits=keys.KeyLimits(requestsPerMinute=50, concurrentLookups=10, monthlyBudget=None),
        createdAt=WHEN,
        expiresAt="2099-12-31T00:00:00.000Z",
        revokedAt=None,
        lastUsedAt=None,
        replaces=None,
        replacedBy=None,
    )
    for name, value in differs.items():
        setattr(known, name, value)
    return known


def _made(title: str, key: keys.Key, secret: str | None, until: str | None = None) -> Any:
    shape = keys.NewKeyReply(success=True, livemode=True, key=key, secret=secret, previousValidUntil=until)
    return reply(title, shape, 201)


_FIELDS = {"success": True, "livemode": True}
KEYS = reply("One key", keys.KeyList(success=True, livemode=True, keys=[_key()], nextCursor=None))
KEY = reply("In use", fill(keys.KeyReply, _FIELDS, key=_key(lastUsedAt=WHEN)))
REVOKED = reply("Revoked", fill(keys.KeyReply, _FIELDS, key=_key(status=KeyStatus.REVOKED, revokedAt=WHEN)))
CREATED = _made("Made", _key(), "osd_4f0cq2…")
CREATED_BEFORE = _made("Made before", _key(), None)
ROTATED = _made("Rotated", _key(id=SUCCESSOR, prefix="osd_q7ta5w", replaces=ID), "osd_q7ta5w…", LATER)
NO_KEY = error(404, "key_not_found", "Key not found")
ENDED = error(409, "key_ended", "The key was rotated or revoked, or has expired")
LAST = error(409, "last_key", "No other key could make keys: rotate this one, and revoke it with its successor")
TOO_MANY = error(409, "too_many_keys", "At most 50 keys of a mode work at a time: revoke some")
