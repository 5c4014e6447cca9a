"""The "Payment" scheme of HTTP authentication: how a 402 asks for money, and how a paid request proves itself.

Pure functions over strings, bytes and `now`: no database, no settings, no network. A challenge is never stored: its
id is an HMAC over everything it says, so a credential that comes back with it can be checked on any server. The
scheme is draft-httpauth-payment-01; its numbers are explained where they are used.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from jurisdictions import nesting

PROBLEM_BASE = "https://paymentauth.org/problems/"
INTENT = "charge"
LARGEST_CREDENTIAL = 16_384  # the scheme asks for 4 KB at least; signed transactions stay far below

# word -> status, title, and when the same credential may be sent again, in seconds (0: never). A fresh challenge is
# offered with 402 alone, and never where money may have moved: both known clients pay again up to three times when a
# credential is answered by another 402. The scheme has 500 for an open outcome; 503 says that it will be known.
PROBLEMS: dict[str, tuple[int, str, int]] = {
    "payment-required": (402, "Payment Required", 0),
    "malformed-credential": (402, "Malformed Credential", 0),
    "invalid-challenge": (402, "Invalid Challenge", 0),
    "payment-expired": (402, "Payment Expired", 0),
    "verification-failed": (402, "Verification Failed", 0),
    "invalid-payload": (402, "Invalid Payload", 0),
    "payment-insufficient": (402, "Payment Insufficient", 0),
    "payment-action-required": (402, "Payment Action Required", 0),
    "method-unsupported": (400, "Payment Method Unsupported", 0),
    "bad-request": (400, "Bad Request", 0),
    "idempotency-conflict": (409, "Idempotency Conflict", 0),
    "payment-in-progress": (409, "Payment In Progress", 2),
    "payment-unavailable": (503, "Payment Unavailable", 10),
    "internal-payment-error": (503, "Payment Pending", 30),
}


class PaymentProblem(Exception):
    """A payment that was not accepted, in the scheme's words; `detail` is fit for the client."""

    def __init__(self, word: str, detail: str) -> None:
        super().__init__(f"{word}: {detail}")
        self.word = word
        self.detail = detail
        self.status, self.title, self.retry_after = PROBLEMS[word]
        self.may_offer = self.status == 402

    def body(self, challenge_id: str | None = None) -> dict[str, Any]:
        """Return the problem+json body; `challenge_id` is the first offered challenge's."""
        body = {"type": PROBLEM_BASE + self.word, "title": self.title, "status": self.status, "detail": self.detail}
        return body if challenge_id is None else {**body, "challengeId": challenge_id}


@dataclass(frozen=True, slots=True)
class Challenge:
    """One offer, exactly as it stands in `WWW-Authenticate`; "" means the parameter is absent."""

    realm: str
    method: str
    request: str
    intent: str = INTENT
    expires: str = ""
    digest: str = ""
    opaque: str = ""
    header: str = ""
    id: str = ""
    description: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Credential:
    """What a client sent back: the challenge it answers, and its proof in the method's own shape."""

    challenge: Challenge
    payload: dict[str, Any]
    source: str


def canonical(value: Any) -> str:
    """Return `value` as JSON in the one canonical form (RFC 8785); raise ValueError where that form needs care.

    For the strings, whole numbers, lists and objects with ASCII names that requests are made of, sorted keys without
    spaces are that form; a float or another name is refused instead of written in a way others read differently.
    """
    _refuse_uncommon(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def encode(text: str) -> str:
    """Return text as base64url without padding."""
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Return the bytes of base64url with or without padding; raise ValueError for anything else."""
    bare = text.rstrip("=")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", bare):
        raise ValueError("not base64url")
    try:
        return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error as error:
        raise ValueError("not base64url") from error


def digest_of(body: bytes) -> str:
    """Return the RFC 9530 digest of a request's raw bytes."""
    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


def moment(now: datetime) -> str:
    """Return a moment as RFC 3339 in UTC, to the second."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def nonce_and(**bound: str) -> str:
    """Return an `opaque` of a random nonce and what else the challenge is bound to.

    Without the nonce two equal requests in one second would get one id, and the second payer look like a replay.
    """
    return encode(canonical({"nonce": secrets.token_hex(16), **bound}))


def sign(challenge: Challenge, *, secret: str) -> str:
    """Return the id: HMAC-SHA256 over seven slots joined by "|", and an eighth only where `header` is used."""
    slots = [
        challenge.realm,
        challenge.method,
        challenge.intent,
        challenge.request,
        challenge.expires,
        challenge.digest,
        challenge.opaque,
    ]
    if challenge.header:
        slots.append(challenge.header)
    mac = hmac.new(secret.encode(), "|".join(slots).encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(mac).rstrip(b"=").decode()


def make(*, secret: str, request: Mapping[str, Any], **parameters: str) -> Challenge:
    """Return a signed challenge for `request` (the method's terms) with the other parameters as text."""
    bare = Challenge(request=encode(canonical(dict(request))), **parameters)
    named = {each.name: getattr(bare, each.name) for each in fields(bare)}
    return Challenge(**{**named, "id": sign(bare, secret=secret)})


def write_header(challenges: Iterable[Challenge]) -> str:
    """Return the value of `WWW-Authenticate`, several offers joined in one line, the preferred one first."""
    order = ("id", "realm", "method", "intent", "request", "digest", "expires", "opaque", "header", "description")
    offers = []
    for challenge in challenges:
        present = ((name, getattr(challenge, name)) for name in order)
        offers.append("Payment " + ", ".join(f"{name}={_quoted(value)}" for name, value in present if value))
    return ", ".join(offers)


def read_credential(header: str) -> Credential:
    """Return the credential in an `Authorization` value "Payment …"; raise PaymentProblem for what is none."""
    scheme, _, token = header.strip().partition(" ")
    if scheme.lower() != "payment":
        raise PaymentProblem("malformed-credential", "The credential is not of the Payment scheme.")
    if "," in token:
        raise PaymentProblem("bad-request", "Send one Payment credential at a time.")
    if len(token) > LARGEST_CREDENTIAL:
        raise PaymentProblem("malformed-credential", "The credential is too long.")
    try:
        content = _read_json(decode(token.strip()))
    except ValueError:
        raise PaymentProblem("malformed-credential", "The credential is not base64url of a JSON object.") from None
    if not isinstance(content, dict) or not isinstance(content.get("payload"), dict):
        raise PaymentProblem("malformed-credential", "The credential lacks its challenge or its payload.")
    source = content.get("source", "")
    return Credential(
        _read_echo(content.get("challenge")), content["payload"], source if isinstance(source, str) else ""
    )


def check(
    credential: Credential,
    *,
    secrets: Iterable[str],
    realm: str,
    terms: str,
    body: bytes,
    bound: Mapping[str, str],
    now: datetime,
) -> None:
    """Raise PaymentProblem unless the credential answers a challenge of ours that fits this very request.

    `secrets` are the current and the previous one; `terms` is the encoded `request` this route would offer now;
    `bound` is what the opaque was made with besides its nonce.
    """
    echo = credential.challenge
    if not any(hmac.compare_digest(sign(echo, secret=secret), echo.id) for secret in secrets if secret):
        raise PaymentProblem("invalid-challenge", "The challenge is not one of ours, or it was changed.")
    if echo.realm != realm or echo.intent != INTENT or echo.request != terms:
        raise PaymentProblem("invalid-challenge", "The challenge was made for other terms.")
    if not echo.expires or datetime.fromisoformat(echo.expires) <= now:
        raise PaymentProblem("payment-expired", "The challenge has expired.")
    if echo.digest != digest_of(body):
        raise PaymentProblem("invalid-challenge", "The challenge was made for another request body.")
    opaque = json.loads(decode(echo.opaque)) if echo.opaque else {}
    if any(opaque.get(name) != value for name, value in bound.items()):
        raise PaymentProblem("invalid-challenge", "The challenge was made for another address.")


def write_receipt(*, method: str, reference: str, now: datetime, **more: str) -> str:
    """Return the value of `Payment-Receipt` for a payment that succeeded."""
    return encode(
        canonical({"status": "success", "method": method, "reference": reference, "timestamp": moment(now), **more})
    )


def proof_hash(method: str, payload: Mapping[str, Any]) -> str:
    """Return what tells this proof from every other, without storing it."""
    text = json.dumps([method, payload], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _quoted(value: str) -> str:
    if not value.isascii() or any(ord(char) < 32 for char in value):
        raise ValueError("A challenge's parameters are printable ASCII.")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read_json(raw: bytes) -> Any:
    """Return what the JSON says; raise ValueError for none, and for text that cannot be stored or sent on."""
    text = raw.decode("utf-8-sig")
    nesting.refuse_deep(text)
    content = json.loads(text)
    nesting.refuse_unkept(content)
    return content


def _read_echo(content: Any) -> Challenge:
    names = {each.name for each in fields(Challenge)}
    if not isinstance(content, dict):
        raise PaymentProblem("malformed-credential", "The credential lacks its challenge.")
    known = {name: value for name, value in content.items() if name in names}
    required = {"id", "realm", "method", "intent", "request"}
    if not all(isinstance(value, str) and value.isascii() for value in known.values()) or required - set(known):
        raise PaymentProblem(
            "malformed-credential", "The challenge in the credential lacks fields or has strange ones."
        )
    return Challenge(**known)


def _refuse_uncommon(value: Any) -> None:
    if isinstance(value, dict):
        if not all(isinstance(name, str) and name.isascii() for name in value):
            raise ValueError("Names in a request are ASCII text.")
        for each in value.values():
            _refuse_uncommon(each)
    elif isinstance(value, list):
        for each in value:
            _refuse_uncommon(each)
    elif isinstance(value, float) or not isinstance(value, str | int | bool | None):
        raise ValueError(f"A request holds text, whole numbers, lists and objects, not {value!r}.")
