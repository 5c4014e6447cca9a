"""What a portal was asked and what it answered, word for word: the evidence of an answer, before it is kept.

A conversation remembers all of its exchanges: that costs nothing, since its pages are held anyway. Who keeps them cuts
an operator's keys out first, and records where. Of what was sent the form is remembered, and no header and no cookie:
those are a session's marks, and prove nothing.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit, urlunsplit

from requests import PreparedRequest

from jurisdictions import canonical

HIDDEN = "[hidden]"
MOST_READ = 2 * 1024 * 1024  # bytes of a failed attempt's page that are looked at; what is beyond tells no reason
# What a reader or the transport reads of a header, and what tells of the answer's time; never a cookie.
KEPT_HEADERS = frozenset(
    {
        "cf-mitigated",
        "content-type",
        "date",
        "etag",
        "last-modified",
        "location",
        "retry-after",
        "x-soda2-fields",
        "x-soda2-truth-last-modified",
    }
)
_NAMED_SO = (
    r"(?:[\w$.-]*(?:api[_-]?key|app[_-]?token|token|secret|passw(?:or)?d|signature|credential|subscription-key)[\w.-]*"
    r"|key|sig|auth|authorization|jsessionid|sid|session(?:id)?)"
)
_SECRET_FIELD = re.compile(rf"(?i)(?<=[?&;])({_NAMED_SO})=[^&;#]*")
_SECRET_NAME = re.compile(rf"(?i){_NAMED_SO}")


@dataclass(slots=True)
class Exchange:
    """One request and what came back: `status` is None until an answer began, `body` holds what of it arrived.

    `at` is when it was sent (time.monotonic()). `url` has its query once an answer came. `sent` is the form or JSON
    that went with it. `peer` is the machine that answered, `certificate` the SHA-256 of the one it showed (DER, hex).
    `file` names the published file, where rows of a loaded copy were read instead of a portal.
    """

    method: str
    url: str
    at: float
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | bytearray = b""
    sent: Any = None
    peer: str | None = None
    certificate: str | None = None
    file: Mapping[str, str | None] | None = None

    @property
    def content_type(self) -> str:
        """What the answer says it is."""
        return self.headers.get("content-type", "")


@dataclass(frozen=True, slots=True)
class Kept:
    """An exchange as it may be kept: its record, JSON-ready, and the bytes whose hash stands in it."""

    record: dict[str, Any]
    body: bytes

    @property
    def sha256(self) -> str:
        """The hash of the bytes."""
        return str(self.record["body"]["sha256"])


def to_kept(heard: Exchange, secrets: Iterable[str], *, at: str, most: int | None = None) -> Kept:
    """The exchange without our keys. `at`: when it was sent; `most`: bytes of its body, more is cut off at the end."""
    secrets = [one for one in secrets if one]
    came = bytes(heard.body)
    body, cuts = cut_out(came, secrets)
    if most is not None:  # only now: before, a piece of a key might have been left at the end
        body, cuts = body[:most], [cut for cut in cuts if sum(cut) <= most]
    headers = {
        name: keepable(hide_in_address(text, secrets)) for name, text in heard.headers.items() if name in KEPT_HEADERS
    }
    record = {
        "at": at,
        "method": heard.method,
        "url": keepable(hide_in_address(heard.url, secrets)),
        "sent": without_secrets(heard.sent, secrets),
        "status": heard.status,
        "headers": headers,
        "body": {
            "sha256": hashlib.sha256(body).hexdigest(),
            "size": len(body),
            "cuts": cuts,
            "whole": isinstance(heard.body, bytes) and (most is None or len(came) <= most),
        },
        "peer": heard.peer,
        "certificate": heard.certificate,
        "copy": dict(heard.file) if heard.file is not None else None,
    }
    return Kept(record, body)


def record_hash(record: Mapping[str, Any]) -> str:
    """The SHA-256 of a record in its canonical form (RFC 8785), hex."""
    return hashlib.sha256(canonical.to_bytes(dict(record))).hexdigest()


def digest(records: Sequence[Mapping[str, Any]]) -> str:
    """The SHA-256 of the list of the records' hashes in its canonical form, hex: one for a whole conversation."""
    return hashlib.sha256(canonical.to_bytes([record_hash(one) for one in records])).hexdigest()


def sent_with(request: PreparedRequest) -> Any:
    """The form or JSON of a request; a field that is sent twice has a list of its values. None: nothing was sent."""
    body = request.body
    if not body:
        return None
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body)
    if "json" in str(request.headers.get("Content-Type", "")):
        return json.loads(text)
    fields: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        held = fields.get(name, [])
        fields[name] = value if name not in fields else [*(held if isinstance(held, list) else [held]), value]
    return fields


def cut_out(body: bytes, secrets: Iterable[str]) -> tuple[bytes, list[list[int]]]:
    """The bytes of a page without our keys, and where a mark stands for one: a portal may repeat what it was sent.

    The ranges are [offset, length] in the bytes that are left.
    """
    written = spellings(secrets)
    if not written:
        return body, []
    pieces, cuts, length, last = list[bytes](), list[list[int]](), 0, 0
    for found in re.finditer(b"|".join(re.escape(one.encode()) for one in written), body):
        piece = body[last : found.start()]
        pieces += (piece, HIDDEN.encode())
        cuts.append([length + len(piece), len(HIDDEN)])
        length, last = length + len(piece) + len(HIDDEN), found.end()
    return b"".join((*pieces, body[last:])), cuts


def hide_in_address(url: str, secrets: Iterable[str]) -> str:
    """The address without our keys, without fields of the query that are named like one, and without a user's name."""
    try:
        parts = urlsplit(url)
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    except ValueError:
        pass  # a portal may lead anywhere; what is no address is shown as it is
    return _SECRET_FIELD.sub(rf"\1={HIDDEN}", hide(url, secrets))


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without our keys, however they are spelled in it."""
    for spelling in spellings(secrets):
        text = text.replace(spelling, HIDDEN)
    return text


def keepable(text: str) -> str:
    """Text that every database keeps: what a portal writes into a header or a link may hold anything."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def spellings(texts: Iterable[str]) -> list[str]:
    """Each text as it is, and as an address, a page or JSON would write it; the longest first."""
    found = {
        spelling
        for one in texts
        if one
        for spelling in (one, quote(one, safe=""), quote_plus(one), html.escape(one), json.dumps(one)[1:-1])
    }
    return sorted(found, key=len, reverse=True)


def without_secrets(sent: Any, secrets: Iterable[str]) -> Any:
    """The same form or JSON, without our keys and without fields that are named like one."""
    if isinstance(sent, str):
        return keepable(hide(sent, secrets))
    if isinstance(sent, list):
        return [without_secrets(one, secrets) for one in sent]
    if isinstance(sent, dict):
        return {
            keepable(str(name)): HIDDEN if _SECRET_NAME.fullmatch(str(name)) else without_secrets(one, secrets)
            for name, one in sent.items()
        }
    return sent
