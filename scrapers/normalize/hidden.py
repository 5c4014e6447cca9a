"""Characters that nobody sees, such as U+202E, which shows what follows it backwards: names go without them.

They are left out of what is compared and told, and named beside it (`Evidence.left_out`); the registry's bytes, whose
hash is the evidence, have them still.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Value = TypeVar("Value")
_CATEGORIES = frozenset({"Cc", "Cf", "Cs"})  # control and format characters, halves of others
_WHITE_SPACE = frozenset("\t\n\r")


def find_hidden(text: str) -> list[str]:
    """The characters of a text that cannot be seen, in their order; white space is not among them."""
    if text.isprintable():
        return []
    return [sign for sign in text if unicodedata.category(sign) in _CATEGORIES and sign not in _WHITE_SPACE]


def visible(text: str) -> str:
    """The text without what cannot be seen."""
    return text.translate(dict.fromkeys(map(ord, hidden))) if (hidden := find_hidden(text)) else text


def spell_out(sign: str) -> str:
    """How a character is named that cannot be shown: "U+202E"."""
    return f"U+{ord(sign):04X}"


def leave_out(value: Value, hidden: set[str]) -> Value:
    """The same texts, tuples, mappings and records without what cannot be seen, which is added to `hidden`."""
    found: Any = value
    if value is None:
        return value
    if isinstance(value, str):
        if not value.isprintable():  # most texts are
            hidden.update(find_hidden(value))
            found = visible(value)
    elif isinstance(value, tuple):
        found = tuple(leave_out(item, hidden) for item in value)
    elif isinstance(value, Mapping):
        found = {name: leave_out(item, hidden) for name, item in value.items()}
    elif is_dataclass(value):
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        cleaned = {name: leave_out(part, hidden) for name, part in parts.items()}
        changed = {name: part for name, part in cleaned.items() if part != parts[name]}
        found = replace(value, **changed) if changed else value  # type: ignore[type-var]
    return found  # type: ignore[no-any-return]
