"""Labelled values: read by their label, counted, and what nobody read is shown to operators.

A page of labels is a closed list: each is read, or ignored by name; the rest is in `unread`. A mandatory label
that is missing is a changed page.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize.hidden import visible


def listed(text: str) -> tuple[str, ...]:
    """The parts of a list that is written on one line: "Good Standing | Active" are two."""
    return tuple(part.strip() for part in text.split("|") if part.strip())


def fold(label: str) -> str:
    """A label as it is compared: lower case, without colon, dots, doubled blanks and signs that nobody sees."""
    return _fold(label) if len(label) <= _SHORT else _fold.__wrapped__(label)


_SHORT = 100  # characters of a label: longer texts are of one page alone, and would fill the memory


@lru_cache(maxsize=4096)  # the same labels, page after page
def _fold(label: str) -> str:
    return " ".join(visible(label).split()).rstrip(" :.").casefold()


class Labels:
    """Values by label, each handed out by name. Several values under one label stay a list (`all`)."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        self._values: dict[str, list[Any]] = {}
        self._shown: dict[str, str] = {}
        self._read: set[str] = set()
        for label, value in pairs:
            name = fold(label)
            if name:
                self._values.setdefault(name, []).append(value)
                self._shown.setdefault(name, label.strip())

    def one(self, *labels: str) -> Any:
        """The value under the first of these labels that is there; PageChanged when none is, or it stands twice."""
        found = self.maybe(*labels, missing=_MISSING)
        if found is _MISSING:
            raise PageChanged(f"no label {' / '.join(labels)} among {sorted(self._shown.values())}")
        return found

    def maybe(self, *labels: str, missing: Any = None) -> Any:
        """The value under the first of these labels that is there, else `missing`."""
        names = [fold(label) for label in labels]
        self._read.update(names)
        for name in names:
            values = self._values.get(name)
            if values:
                if len({repr(value) for value in values}) > 1:
                    raise PageChanged(f"label {name!r} stands {len(values)} times with different values")
                return values[0]
        return missing

    def all(self, label: str) -> list[Any]:
        """Every value under this label, in page order."""
        self._read.add(fold(label))
        return list(self._values.get(fold(label), ()))

    def ignore(self, *labels: str) -> None:
        """Name labels that are known and not wanted."""
        self._read.update(fold(label) for label in labels)

    @property
    def is_empty(self) -> bool:
        """Whether there is no label at all."""
        return not self._values

    @property
    def unread(self) -> list[str]:
        """The labels on the page that nobody asked for."""
        return [self._shown[name] for name in self._values if name not in self._read]


_MISSING = object()


def need(mapping: Any, key: str) -> Any:
    """A mandatory key of a JSON object; PageChanged when the object is none, or lacks it."""
    if not isinstance(mapping, Mapping) or key not in mapping:
        raise PageChanged(f"no key {key!r} in {_keys(mapping)}")
    return mapping[key]


def refuse_renamed(mapping: Mapping[str, Any], keys: Iterable[str], *, known: Collection[str]) -> None:
    """PageChanged when one of `keys` is missing where a key stands that nobody knows: it may be it.

    For keys that need not be there; what always is there is read by `need`.
    """
    missing, strange = set(keys) - set(mapping), set(mapping) - set(known)
    if missing and strange:
        raise PageChanged(f"{sorted(missing)} may have been renamed to one of {sorted(strange)}")


def need_list(value: Any, what: str) -> list[Any]:
    """A JSON list; PageChanged when it is something else."""
    if not isinstance(value, list):
        raise PageChanged(f"{what} is {type(value).__name__}, not a list")
    return value


def need_object(value: Any, what: str) -> Mapping[str, Any]:
    """A JSON object; PageChanged when it is something else."""
    if not isinstance(value, Mapping):
        raise PageChanged(f"{what} is {type(value).__name__}, not an object")
    return value


def need_rows(value: Any, what: str) -> list[Mapping[str, Any]]:
    """A JSON list of objects; PageChanged when it, or one of them, is something else."""
    return [need_object(row, f"a row of {what}") for row in need_list(value, what)]


def optional_object(value: Any, what: str) -> Mapping[str, Any] | None:
    """A JSON object; None for null and "", and PageChanged for anything else: an empty list, or object, is a change."""
    return None if value in (None, "") else need_object(value, what)


def optional_rows(value: Any, what: str) -> list[Mapping[str, Any]]:
    """A JSON list of objects; an empty one for null and ""."""
    return [] if value in (None, "") else need_rows(value, what)


def need_number(value: Any, what: str) -> int:
    """A whole number, as a number or as digits; PageChanged for anything else."""
    if isinstance(value, bool) or not str(value).isdecimal():
        raise PageChanged(f"{what} is {value!r}, not a whole number")
    return int(value)


def need_text(mapping: Any, key: str) -> str:
    """A mandatory key that must hold text with something in it; doubled blanks are one, as in every other value."""
    value = need(mapping, key)
    if not isinstance(value, str) or not value.strip():
        raise PageChanged(f"{key!r} is empty or no text: {value!r}")
    return " ".join(value.split())


def text(value: Any) -> str | None:
    """Trimmed text, None for blank; numbers as they are written; PageChanged for anything that is not a value."""
    if value is None:
        return None
    if isinstance(value, (bool, list, dict)):
        raise PageChanged(f"expected text, got {value!r}")
    cleaned = " ".join(str(value).split())
    return cleaned or None


def _keys(value: Any) -> str:
    return str(sorted(value)) if isinstance(value, Mapping) else type(value).__name__


def note_unread(unread: Iterable[str], session: Any) -> None:
    """Put labels nobody read into the attempt's trace, where operators count them."""
    left = list(unread)
    if left:
        session.trace.add("unread_labels", time.monotonic(), ", ".join(sorted(left)))


def note_unread_keys(rows: Iterable[Mapping[str, Any]], known: frozenset[str], session: Any) -> None:
    """The same for the keys of JSON rows, each key once."""
    note_unread({key for row in rows for key in row} - known, session)


def is_domestic(word: str | None) -> bool | None:
    """Whether a registry calls an entity domestic or foreign; None for any other word."""
    return {"domestic": True, "foreign": False}.get((word or "").strip().casefold())


def coded(text: str) -> dict[str, str]:
    """A published list of codes, written "CF: Foreign Profit Corporation | TR: Trust", as words by code."""
    pairs = (entry.partition(":") for entry in listed(text))
    return {code.strip(): words.strip() for code, _, words in pairs}
