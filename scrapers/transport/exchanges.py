"""What a portal was asked and what it answered, word for word, in case a person has to look at it.

A conversation remembers its last few exchanges whatever comes of it: that costs nothing, since its pages are held
anyway. Who keeps them for longer cuts an operator's keys out first. What was sent besides the address (forms, headers,
cookies) is not remembered: keys and session marks are there.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus, urlsplit, urlunsplit

REMEMBERED = 4
HIDDEN = "[hidden]"
_NAMED_SO = (
    r"(?:[\w$.-]*(?:api[_-]?key|app[_-]?token|token|secret|passw(?:or)?d|signature|credential|subscription-key)[\w.-]*"
    r"|key|sig|auth|authorization|jsessionid|sid|session(?:id)?)"
)
_SECRET_FIELD = re.compile(rf"(?i)(?<=[?&;])({_NAMED_SO})=[^&;#]*")


@dataclass(slots=True)
class Exchange:
    """One request and what came back: `status` is None until an answer began, `body` holds what of it arrived.

    `at` is when it was sent (time.monotonic()). `url` has its query once an answer came.
    """

    method: str
    url: str
    at: float
    status: int | None = None
    content_type: str = ""
    body: bytes | bytearray = b""


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


def hide_in_body(body: bytes, secrets: Iterable[str]) -> bytes:
    """The same for the bytes of a page: a portal may repeat what it was asked with."""
    for spelling in spellings(secrets):
        body = body.replace(spelling.encode(), HIDDEN.encode())
    return body


def spellings(texts: Iterable[str]) -> list[str]:
    """Each text as it is, and as an address, a page or JSON would write it; the longest first."""
    found = {
        spelling
        for one in texts
        if one
        for spelling in (one, quote(one, safe=""), quote_plus(one), html.escape(one), json.dumps(one)[1:-1])
    }
    return sorted(found, key=len, reverse=True)
