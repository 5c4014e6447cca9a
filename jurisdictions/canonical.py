"""JSON in its canonical form (RFC 8785): one text for one value, which is what hashes and signatures are made of.

The library decides what that is. Where Python's own encoder is sure to write the same (it is written in C, and takes a
fifth of the time), it does: of values whose text is ASCII, so that keys have the same order by characters as by units
of UTF-16, and whose numbers every reader of JSON keeps and spells alike.
"""

from __future__ import annotations

import json
from typing import Any

import rfc8785

_MOST = 2**53 - 1  # a larger integer is refused by the library
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":")).encode


class _Odd(Exception):
    """The library has to write it, or to say why it cannot be written."""


def to_bytes(value: Any) -> bytes:
    """The canonical form; rfc8785.CanonicalizationError (a ValueError) for what has none."""
    try:
        text = _encode(_simple(value))
    except _Odd:
        return rfc8785.dumps(value)
    return text.encode() if text.isascii() else rfc8785.dumps(value)


def _simple(value: Any) -> Any:
    """The same value for Python's encoder: 1.0 is written as 1."""
    kind = type(value)
    if value is None or kind is bool or isinstance(value, str):
        return value
    if kind is dict:
        if not all(type(name) is str for name in value):
            raise _Odd
        return {name: _simple(inner) for name, inner in value.items()}
    if kind is list or kind is tuple:
        return [_simple(inner) for inner in value]
    number = int(value) if kind is float and value.is_integer() else value
    if type(number) is int and -_MOST <= number <= _MOST:
        return number
    if type(number) is float and 1e-4 <= abs(value) < 1e16:  # outside, Python writes an exponent
        return value
    raise _Odd
