"""The keys that this installation signs evidence with: made when first needed, never stored, rotated in public.

A private key is derived from the operator's secret and a random salt. Who reads the database finds salts and public
keys; without the secret they sign nothing. Each key is signed by the one before it, so that who knows one of them can
follow to all later ones.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, transaction

from billing import audit
from jurisdictions import canonical
from lookups.lookup.storage import wire_time
from lookups.models import SigningKey

log = logging.getLogger(__name__)

REMEMBERED = timedelta(minutes=1)  # how long a process signs on before it learns of a rotation
FIRST = "The first key of this installation."
OTHER_SECRET = "The operator's secret was changed."  # noqa: S105 - it says so, it is none
SET_BACK = "The clock was set back: the key before it is not in use yet."
_CACHED = "signing_key_since"
_HALF = 48  # bytes of each half of an ECDSA signature on P-384
_P384_ORDER = int(
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16
)


@dataclass(frozen=True, slots=True)
class Signed:
    """A text as it was signed: its bytes, their SHA-256 in hexadecimal digits, and the signature in base64."""

    document: bytes
    sha256: str
    signature: str
    key_id: str


def sign(content: dict[str, Any], *, now: datetime) -> Signed:
    """Write it in the one form of RFC 8785 and sign that; joins the caller's transaction."""
    document = canonical.to_bytes(content)
    key_id, salt = _in_use(now)
    signature = _keys_of(_secret(), salt).signing.sign(document)
    return Signed(document, hashlib.sha256(document).hexdigest(), _base64(signature), key_id)


def sign_archive(text: str, *, now: datetime) -> tuple[str, str]:
    """Sign a text as archive files are (ECDSA on P-384): the signature and the public key in base64."""
    _, salt = _in_use(now)
    key = _keys_of(_secret(), salt).archive
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return _base64(r.to_bytes(_HALF) + s.to_bytes(_HALF)), _archive_public(key)


def rotate(*, reason: str, now: datetime) -> SigningKey:
    """Make a new key, vouched for by the one in use, and retire all before it in two minutes.

    Other processes sign on for a minute, which begins when the transaction ends that has read the key before it.
    Whoever runs it has a reason that everybody may read.
    """
    with transaction.atomic():
        SigningKey.objects.select_for_update().order_by("-number").first()  # of two at once one comes after the other
        last = SigningKey.objects.order_by("-number").first()
        made = _make(last, reason=reason, now=now)
        SigningKey.objects.in_use(now).exclude(pk=made.pk).update(retired_at=now + 2 * REMEMBERED)
        audit.record(audit.Kind.DONE, subject=made, detail=f"A new signing key. {reason}", now=now)
    cache.delete(_CACHED)
    return made


def list_published() -> dict[str, Any]:
    """Every key there ever was, in order, as anybody may read it."""
    kept = SigningKey.objects.order_by("number").select_related("previous")
    return {
        "type": "sos-lookup/keys",
        "version": 1,
        "service": settings.PUBLIC_URL,
        "keys": [
            {
                **statement(key),
                "number": key.number,
                "retiredAt": wire_time(key.retired_at),
                "signature": key.signature or None,
            }
            for key in kept
        ],
    }


def statement(key: SigningKey) -> dict[str, Any]:
    """What the key before it signs of a key."""
    return {
        "type": "sos-lookup/key",
        "version": 1,
        "id": key.pk,
        "algorithm": "Ed25519",
        "publicKey": key.public_key,
        "archivePublicKey": key.archive_public_key,
        "validFrom": wire_time(key.valid_from),
        "previous": key.previous_id,
        "reason": key.reason,
    }


def derived_key() -> str:
    """Return what stands in for an unset SIGNING_SECRET; whoever sets one keeps this as the previous."""
    return hmac.new(settings.SECRET_KEY.encode(), b"lookups.evidence", hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class _Keys:
    signing: Ed25519PrivateKey
    archive: ec.EllipticCurvePrivateKey


def _in_use(now: datetime) -> tuple[str, str]:
    """Id and salt of the key that signs: the newest of those that the operator's secret makes, made if there is none.

    It is remembered once it is committed, for a key of a transaction that fails is none.
    """
    known: tuple[str, str, datetime] | None = cache.get(_CACHED)
    if known is not None and known[2] <= now:
        return known[:2]
    key = _find_own(now) or _make_first(now)
    found = (key.pk, key.salt, key.valid_from)
    transaction.on_commit(lambda: cache.set(_CACHED, found, REMEMBERED.total_seconds()))
    return found[:2]


def _find_own(now: datetime) -> SigningKey | None:
    keys = SigningKey.objects.in_use(now).filter(valid_from__lte=now).order_by("-number")
    return next(filter(_is_own, keys), None)


def _is_own(key: SigningKey) -> bool:
    """Whether the operator's secret makes it."""
    return _public(_keys_of(_secret(), key.salt).signing) == key.public_key


def _make_first(now: datetime) -> SigningKey:
    """The first key there is, of a secret, or since the clock was set back; of two processes at once one makes it."""
    try:
        with transaction.atomic():
            last = SigningKey.objects.order_by("-number").first()
            is_ahead = any(_is_own(key) for key in SigningKey.objects.in_use(now).filter(valid_from__gt=now))
            reason = FIRST if last is None else SET_BACK if is_ahead else OTHER_SECRET
            return _make(last, reason=reason, now=now)
    except IntegrityError:
        made = _find_own(now)
        if made is None:
            raise
        return made


def _make(last: SigningKey | None, *, reason: str, now: datetime) -> SigningKey:
    salt = secrets.token_hex(16)
    keys = _keys_of(_secret(), salt)
    public = keys.signing.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    made = SigningKey(
        id=hashlib.sha256(public).hexdigest()[:16],
        number=1 if last is None else last.number + 1,
        salt=salt,
        public_key=_base64(public),
        archive_public_key=_archive_public(keys.archive),
        # What ended a moment before is signed with it, too: `now` was read before, or another machine's clock is behind
        valid_from=now - REMEMBERED,
        reason=reason,
        previous=last,
    )
    if last is not None:
        made.signature = _vouch(last, canonical.to_bytes(statement(made)))
    made.save(force_insert=True)
    return made


def _vouch(key: SigningKey, document: bytes) -> str:
    """An older key's signature; empty where its secret is gone."""
    for secret in filter(None, (_secret(), settings.SIGNING_SECRET_PREVIOUS, derived_key())):
        signing = _keys_of(secret, key.salt).signing
        if _public(signing) == key.public_key:
            return _base64(signing.sign(document))
    log.warning("Nobody vouches for the new signing key: the secret of key %s is not known any more.", key.pk)
    return ""


def _secret() -> str:
    return settings.SIGNING_SECRET or derived_key()


@lru_cache(maxsize=16)
def _keys_of(secret: str, salt: str) -> _Keys:
    seed = hmac.new(secret.encode(), f"evidence signing key:{salt}".encode(), hashlib.sha256).digest()
    number = hmac.new(secret.encode(), f"evidence archive key:{salt}".encode(), hashlib.sha512).digest()
    private = int.from_bytes(number) % (_P384_ORDER - 1) + 1
    return _Keys(Ed25519PrivateKey.from_private_bytes(seed), ec.derive_private_key(private, ec.SECP384R1()))


def _public(key: Ed25519PrivateKey) -> str:
    return _base64(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))


def _archive_public(key: ec.EllipticCurvePrivateKey) -> str:
    return _base64(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
