"""Refuses JSON of strangers: nested too deeply, before the decoder sees it, and what no database keeps, behind it.

The decoder follows every level on the machine's stack. Python's own limit normally ends that in an error, but any
imported library may raise the limit, and then one hostile body ends the whole process.
"""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 100  # real answers of registries stay below ten levels
_QUOTE = ord('"')
_OTHERS = bytes(sign for sign in range(256) if sign not in b'"[]{}')


class TooDeep(ValueError):
    """The text is nested more than `DEEPEST` levels deep, in its brackets outside of strings."""


def refuse_deep(text: str) -> None:
    """Raise TooDeep when the brackets of a JSON text open too many levels. Costs some 10 ms for a megabyte of rows.

    It takes what the decoder will read: in bytes of another charset half a sign may look like a quotation mark.
    """
    raw, depth, in_string = text.encode(errors="surrogatepass"), 0, False
    for sign in raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _OTHERS):
        if sign == _QUOTE:
            in_string = not in_string
        elif not in_string:
            depth += 1 if sign in b"[{" else -1
        if depth > DEEPEST:
            raise TooDeep(f"nested more than {DEEPEST} levels deep")


def refuse_unkept(content: Any) -> None:
    """Raise ValueError for a NUL or half a character in what was read: PostgreSQL stores neither."""
    text = json.dumps(content, ensure_ascii=False)
    text.encode()  # of half a character a UnicodeError, which is a ValueError
    if "\\u0000" in text:
        raise ValueError("NUL in it")
