"""What a provider answers, as far as it can be an answer: one JSON object, within a time, a length and a depth.

A read time-out starts anew with every byte, and whoever stands between us and a provider may answer in its place.
"""

from __future__ import annotations

import json
from time import monotonic
from typing import Any

from jurisdictions import nesting

LONGEST = 16 * 1024 * 1024  # bytes; a page of a hundred payments has some 300,000
PIECE = 64 * 1024


class Unreadable(ValueError):
    """It is no answer; the message says why."""


def read_body(raw: Any, *, seconds: float) -> bytes:
    """All of the body of an urllib3 response, unpacked. Raises Unreadable; what urllib3 raises goes through."""
    until, body = monotonic() + seconds, bytearray()
    while piece := raw.read1(PIECE, decode_content=True):
        body += piece
        if len(body) > LONGEST:
            raise Unreadable("the answer is too long")
        if monotonic() > until:
            raise Unreadable(f"the answer was not over within {seconds:g} s")
    return bytes(body)


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is. Raises Unreadable."""
    try:
        text = body.decode("utf-8-sig")
        nesting.refuse_deep(text)
        found = json.loads(text)
    except ValueError as error:
        raise Unreadable("the answer is not JSON") from error
    if not isinstance(found, dict):
        raise Unreadable("the answer is no JSON object")
    return found
