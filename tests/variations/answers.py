"""Variations of answers in JSON: keys, rows, kinds of values, dates.

Only keys that every saved answer of the kind has are renamed: where one may be missing (open data leaves empty columns
out), a missing one is no variation, but another fact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from tests.variations.values import DATE

_ISO = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(T[\d:.]+Z?)?$")
Change = Callable[[Any], Any]


def each_object(change: Change) -> Change:
    """Apply a change to every object, from within."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return change({name: walk(item) for name, item in value.items()})
        return value

    return walk


def each_value(change: Change) -> Change:
    """Apply a change to every value that has no parts."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return {name: walk(item) for name, item in value.items()}
        return change(value)

    return walk


def _one_more(found: dict[str, Any]) -> dict[str, Any]:
    if found and all(name.isdigit() for name in found):
        return found  # rows by their numbers: one more would be a row
    return {**found, "REMARKS_NEW": "See file"}


def _reordered(found: dict[str, Any]) -> dict[str, Any]:
    if found and all(name.isdigit() for name in found):
        return found  # the order of rows says which one fits best
    return dict(reversed(found.items()))


def _upper_label(found: dict[str, Any]) -> dict[str, Any]:
    label = found.get("LABEL")
    return {**found, "LABEL": label.upper()} if isinstance(label, str) else found


def _empty_row(value: Any) -> Any:
    if isinstance(value, list):
        rows = [_empty_row(item) for item in value]
        return [*rows, {}] if rows and all(isinstance(row, dict) for row in rows) else rows
    if isinstance(value, dict):
        return {name: _empty_row(item) for name, item in value.items()}
    return value


def _single(value: Any) -> Any:
    if isinstance(value, list):
        rows = [_single(item) for item in value]
        return rows[0] if len(rows) == 1 and isinstance(rows[0], dict) else rows
    if isinstance(value, dict):
        return {name: _single(item) for name, item in value.items()}
    return value


def _american(value: Any) -> Any:
    found = _ISO.match(value) if isinstance(value, str) else None
    return f"{found[2]}/{found[3]}/{found[1]}" if found else value


def _iso(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found = _ISO.match(value)
    if found and found[4]:
        return value[:10]
    return DATE.sub(lambda us: date(int(us[3]), int(us[1]), int(us[2])).isoformat(), value)


CHANGES: dict[str, Change] = {
    "key: one more in every object": each_object(_one_more),
    "keys: in another order": each_object(_reordered),
    "upper case labels": each_object(_upper_label),
    "row: an empty one more": _empty_row,
    "row: the only one without its list": _single,
    "wrapper: around the answer": lambda value: {"result": value},
    "value: null for empty text": each_value(lambda value: None if value == "" else value),
    "value: empty text for null": each_value(lambda value: "" if value is None else value),
    "value: blanks around it": each_value(lambda value: f" {value}  " if isinstance(value, str) and value else value),
    "value: numbers as text": each_value(lambda value: str(value) if type(value) is int else value),
    "date form: 03/04/2015": each_value(_american),
    "date form: 2015-03-04": each_value(_iso),
}


Place = tuple[str, ...]


def unwrapped(body: bytes) -> tuple[Any, bool]:
    """The value of an answer, and whether it was JSON within JSON, as some services wrap it."""
    value = json.loads(body)
    if isinstance(value, dict) and set(value) == {"d"} and str(value["d"]).startswith(("{", "[")):
        return json.loads(value["d"]), True
    return value, False


def vary_answer(body: bytes, always: Mapping[Place, frozenset[str]]) -> Iterator[tuple[str, bytes]]:
    """Every variation of an answer that differs from it, by name; `always` are the keys that every such answer has."""
    value, inner = unwrapped(body)
    plain = json.dumps(value)
    changes = dict(CHANGES)
    for place, found in objects(value):
        for key in sorted(always.get(place, frozenset()) & found.keys()):
            if found[key] not in (None, "", []):
                changes[f"key renamed: {'.'.join((*place, key))}"] = _renamed(place, key)
    for name, change in changes.items():
        varied = json.dumps(change(value))
        if varied != plain:
            yield name, (json.dumps({"d": varied}) if inner else varied).encode()


def objects(value: Any, place: Place = ()) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Every object of an answer with its place; rows, and keys that are their numbers, are one place."""
    if isinstance(value, list):
        for item in value:
            yield from objects(item, place)
    elif isinstance(value, dict):
        if not all(name.isdigit() for name in value):
            yield place, value
        for name, item in value.items():
            yield from objects(item, place if name.isdigit() else (*place, name))


def keys_always_there(answers: Iterable[Any]) -> dict[Place, frozenset[str]]:
    """The keys of each place that no object lacks there."""
    found: dict[Place, frozenset[str]] = {}
    for answer in answers:
        for place, one in objects(answer):
            found[place] = found.get(place, frozenset(one)) & one.keys()
    return found


def _renamed(wanted: Place, key: str) -> Change:
    def walk(value: Any, place: Place = ()) -> Any:
        if isinstance(value, list):
            return [walk(item, place) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            (f"{name}_NEW" if place == wanted and name == key else name): walk(
                item, place if name.isdigit() else (*place, name)
            )
            for name, item in value.items()
        }

    return walk
